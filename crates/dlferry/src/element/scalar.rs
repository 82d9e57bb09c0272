use super::minifloat::Minifloat;
use crate::abi::{DLDataType, DLDataTypeCode};

/// The value of one element, in the widest type of its kind; no dtype loses precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A boolean.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A float of any format.
    Float(f64),
    /// A complex number: real part, imaginary part.
    Complex(f64, f64),
}

impl Scalar {
    /// Decodes one element of one lane.
    ///
    /// `bytes` are the [`item_bytes`](DLDataType::item_bytes) bytes of the element in native byte order. An element of
    /// fewer than 8 bits is one byte whose low bits hold the value; the other bits are ignored.
    ///
    /// Gives `None` for dtypes without a value here (opaque handles, unknown codes, several lanes, unusual widths such as
    /// 128-bit floats) and for any other number of bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use dlferry::abi::DLDataType;
    /// use dlferry::element::Scalar;
    ///
    /// assert_eq!(Scalar::decode(DLDataType::F32, &1.5_f32.to_ne_bytes()), Some(Scalar::Float(1.5)));
    /// assert_eq!(Scalar::decode(DLDataType::I4, &[0xff]), Some(Scalar::Int(-1)));
    /// assert_eq!(Scalar::decode(DLDataType::BOOL, &[7]), Some(Scalar::Bool(true)));
    /// ```
    #[must_use]
    pub fn decode(dtype: DLDataType, bytes: &[u8]) -> Option<Self> {
        if dtype.lanes != 1 || bytes.len() != dtype.item_bytes() {
            return None;
        }
        match (dtype.code, dtype.bits) {
            (DLDataTypeCode::BOOL, 8) => Some(Self::Bool(load(bytes)? != 0)),
            (DLDataTypeCode::INT, 1 | 2 | 4 | 8 | 16 | 32 | 64) => {
                Some(Self::Int(sign_extended(load(bytes)?, dtype.bits)))
            }
            (DLDataTypeCode::UINT, 1 | 2 | 4 | 8 | 16 | 32 | 64) => {
                Some(Self::UInt(zero_extended(load(bytes)?, dtype.bits)))
            }
            _ => match part(dtype) {
                Some(part) => {
                    let (real, imaginary) = bytes.split_at_checked(part.item_bytes())?;
                    Some(Self::Complex(float(part, real)?, float(part, imaginary)?))
                }
                None => float(dtype, bytes).map(Self::Float),
            },
        }
    }
}

/// Gives the dtype of each of the two parts of a complex dtype.
fn part(dtype: DLDataType) -> Option<DLDataType> {
    match dtype {
        DLDataType::C32 => Some(DLDataType::F16),
        DLDataType::C64 => Some(DLDataType::F32),
        DLDataType::C128 => Some(DLDataType::F64),
        DLDataType::BCOMPLEX32 => Some(DLDataType::BF16),
        _ => None,
    }
}

/// Decodes a float of any known format.
fn float(dtype: DLDataType, bytes: &[u8]) -> Option<f64> {
    match dtype {
        DLDataType::F32 => bytes.try_into().ok().map(|bytes| f64::from(f32::from_ne_bytes(bytes))),
        DLDataType::F64 => bytes.try_into().ok().map(f64::from_ne_bytes),
        _ => {
            let format = Minifloat::of(dtype)?;
            let code = u16::try_from(load(bytes)?).ok()?;
            Some(format.decode(code))
        }
    }
}

/// Reads 1, 2, 4 or 8 bytes as an unsigned number.
fn load(bytes: &[u8]) -> Option<u64> {
    if let Ok(bytes) = <[u8; 1]>::try_from(bytes) {
        return Some(u64::from(u8::from_ne_bytes(bytes)));
    }
    if let Ok(bytes) = <[u8; 2]>::try_from(bytes) {
        return Some(u64::from(u16::from_ne_bytes(bytes)));
    }
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        return Some(u64::from(u32::from_ne_bytes(bytes)));
    }
    <[u8; 8]>::try_from(bytes).ok().map(u64::from_ne_bytes)
}

/// Keeps the lowest `bits` bits, 1 to 64, and fills the rest with the sign.
fn sign_extended(raw: u64, bits: u8) -> i64 {
    let unused = 64_u32.wrapping_sub(u32::from(bits));
    i64::from_ne_bytes(raw.wrapping_shl(unused).to_ne_bytes()).wrapping_shr(unused)
}

/// Keeps the lowest `bits` bits, 1 to 64, and fills the rest with zeros.
fn zero_extended(raw: u64, bits: u8) -> u64 {
    let unused = 64_u32.wrapping_sub(u32::from(bits));
    raw.wrapping_shl(unused).wrapping_shr(unused)
}
