use core::fmt;
use core::str::FromStr;

use super::check::dtype_fault;
use super::family::{FAMILIES, Family, Width};
use crate::abi::DLDataType;

/// Writes the standard name: `float32`, `float8_e4m3fn`, `float32x4` for four lanes.
///
/// A dtype without a name is written by its numbers: `dtype(code=200, bits=8, lanes=1)`. Without a name are unknown codes
/// and whatever [`check_dtype`](crate::element::check_dtype) refuses.
impl fmt::Display for DLDataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(family) = Family::of(self.code).filter(|_| dtype_fault(*self).is_none()) else {
            return write!(f, "dtype(code={}, bits={}, lanes={})", self.code.0, self.bits, self.lanes);
        };
        f.write_str(family.stem)?;
        if !matches!(family.width, Width::Exactly(_)) {
            write!(f, "{}", self.bits)?;
        }
        if self.lanes > 1 {
            write!(f, "x{}", self.lanes)?;
        }
        Ok(())
    }
}

impl DLDataType {
    /// Finds the dtype of a standard name; the inverse of `Display`.
    ///
    /// Only the name itself is taken, in lower case and without blanks: there is one name for each dtype.
    ///
    /// # Examples
    ///
    /// ```
    /// use dlferry::abi::DLDataType;
    ///
    /// assert_eq!(DLDataType::from_name("bfloat16"), Some(DLDataType::BF16));
    /// assert_eq!(DLDataType::from_name("float32x4"), Some(DLDataType { lanes: 4, ..DLDataType::F32 }));
    /// assert_eq!(DLDataType::from_name("double"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        FAMILIES.iter().find_map(|family| parse_as(family, name))
    }
}

/// Reads a name of the given family: its stem, the width when that varies, the lanes when there are several.
fn parse_as(family: &Family, name: &str) -> Option<DLDataType> {
    let rest = name.strip_prefix(family.stem)?;
    let (width, lanes) = match rest.split_once('x') {
        Some((width, lanes)) => (width, Some(lanes)),
        None => (rest, None),
    };
    let bits = match family.width {
        Width::Exactly(bits) => width.is_empty().then_some(bits)?,
        Width::Any | Width::Positive => parse_number(width)?,
    };
    let lanes = match lanes {
        Some(lanes) => parse_number(lanes).filter(|lanes| *lanes > 1)?,
        None => 1,
    };
    let dtype = DLDataType { code: family.code, bits, lanes };
    dtype_fault(dtype).is_none().then_some(dtype)
}

/// Reads a decimal number as `Display` writes it: no sign, no leading zero.
fn parse_number<T: FromStr>(text: &str) -> Option<T> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_shortest = text == "0" || !text.starts_with('0');
    if is_plain && is_shortest { text.parse().ok() } else { None }
}
