//! Format strings of PEP 3118, as far as they describe plain elements.

use alloc::vec::Vec;
use core::ffi::CStr;
use core::iter::Peekable;
use core::str::Chars;

use super::NotationError;
use crate::abi::{DLDataType, DLDataTypeCode};

/// What a format string says: one element type, perhaps repeated, perhaps in the other byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// The type of one element.
    pub dtype: DLDataType,
    /// Extents that a repeat count or a `(2,3)` prefix adds behind the buffer's own axes.
    pub inner: Vec<i64>,
    /// The bytes of each scalar lie in the order that this machine does not use.
    pub swapped: bool,
}

/// Which sizes the codes have, and in which order the bytes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// `@` or nothing: the C compiler's sizes.
    Native,
    /// `=`, `<`, `>`, `!`: the standard sizes.
    Standard { swapped: bool },
}

/// Reads a format string.
///
/// # Errors
///
/// [`NotationError`] for what describes no plain elements: structs, text, pointers, padding, or no format at all.
pub fn parse_format(format: &str) -> Result<Format, NotationError> {
    parse(format).map_err(NotationError)
}

fn parse(format: &str) -> Result<Format, &'static str> {
    let mut rest = format.chars().peekable();
    let mut order = Order::Native;
    read_order(&mut rest, &mut order);
    let mut inner = Vec::new();
    if rest.next_if_eq(&'(').is_some() {
        read_extents(&mut rest, &mut inner)?;
        read_order(&mut rest, &mut order);
    }
    if let Some(count) = read_number(&mut rest)? {
        if count != 1 {
            inner.push(count);
        }
        read_order(&mut rest, &mut order);
    }
    let dtype = read_code(&mut rest, order)?;
    if rest.peek().is_some() {
        return Err("describes more than one field; take a single field of it");
    }
    let swapped = matches!(order, Order::Standard { swapped: true }) && scalar_bits(dtype) > 8;
    Ok(Format { dtype, inner, swapped })
}

fn read_order(rest: &mut Peekable<Chars<'_>>, order: &mut Order) {
    let Some(mark) = rest.next_if(|mark| "@=<>!^".contains(*mark)) else {
        return;
    };
    let big = cfg!(target_endian = "big");
    *order = match mark {
        '<' => Order::Standard { swapped: big },
        '>' | '!' => Order::Standard { swapped: !big },
        '=' => Order::Standard { swapped: false },
        _ => Order::Native,
    };
}

fn read_number(rest: &mut Peekable<Chars<'_>>) -> Result<Option<i64>, &'static str> {
    let mut number: Option<i64> = None;
    while let Some(digit) = rest.next_if(char::is_ascii_digit).and_then(|digit| digit.to_digit(10)) {
        let so_far = number.unwrap_or(0).checked_mul(10).and_then(|tens| tens.checked_add(digit.into()));
        number = Some(so_far.ok_or("has a count that is too large")?);
    }
    Ok(number)
}

fn read_extents(rest: &mut Peekable<Chars<'_>>, inner: &mut Vec<i64>) -> Result<(), &'static str> {
    loop {
        inner.push(read_number(rest)?.ok_or("has a malformed shape")?);
        match rest.next() {
            Some(',') => {}
            Some(')') => return Ok(()),
            _ => return Err("has a malformed shape"),
        }
    }
}

fn read_code(rest: &mut Peekable<Chars<'_>>, order: Order) -> Result<DLDataType, &'static str> {
    use core::ffi::{c_int, c_long, c_longlong, c_short};

    let native = order == Order::Native;
    let sized = |code, of_c: usize, standard: u8| {
        let bits = if native { u8::try_from(of_c.saturating_mul(8)).unwrap_or(standard) } else { standard };
        Ok(DLDataType { code, bits, lanes: 1 })
    };
    let (int, uint) = (DLDataTypeCode::INT, DLDataTypeCode::UINT);
    match rest.next() {
        Some('?') => Ok(DLDataType::BOOL),
        Some('b') => Ok(DLDataType::I8),
        Some('B' | 'c') => Ok(DLDataType::U8),
        Some('h') => sized(int, size_of::<c_short>(), 16),
        Some('H') => sized(uint, size_of::<c_short>(), 16),
        Some('i') => sized(int, size_of::<c_int>(), 32),
        Some('I') => sized(uint, size_of::<c_int>(), 32),
        Some('l') => sized(int, size_of::<c_long>(), 32),
        Some('L') => sized(uint, size_of::<c_long>(), 32),
        Some('q') => sized(int, size_of::<c_longlong>(), 64),
        Some('Q') => sized(uint, size_of::<c_longlong>(), 64),
        Some('n') if native => sized(int, size_of::<isize>(), 64),
        Some('N') if native => sized(uint, size_of::<usize>(), 64),
        Some('e') => Ok(DLDataType::F16),
        Some('f') => Ok(DLDataType::F32),
        Some('d') => Ok(DLDataType::F64),
        Some('F') => Ok(DLDataType::C64),
        Some('D') => Ok(DLDataType::C128),
        Some('Z') => match rest.next() {
            Some('f') => Ok(DLDataType::C64),
            Some('d') => Ok(DLDataType::C128),
            _ => Err("is a complex type that DLPack has no name for"),
        },
        Some('g') => Err("is a long double, whose layout DLPack does not know; convert it to float64"),
        Some('T') => Err("is a struct; take one of its fields"),
        Some('x') => Err("is padding"),
        Some('w') => Err("is text; DLPack carries numbers, so view its code points as uint32"),
        Some('s' | 'p' | 'u') => Err("is text; DLPack carries numbers, so view its bytes as uint8"),
        Some('O' | 'P' | 'X' | '&') => Err("is a pointer, which means nothing elsewhere"),
        Some('M' | 'm') => Err("is a time; view it as int64 of the same byte order"),
        _ => Err("is no format that is known here"),
    }
}

/// Bits of what has a byte order of its own: a complex number has two.
fn scalar_bits(dtype: DLDataType) -> u8 {
    if dtype.code == DLDataTypeCode::COMPLEX { dtype.bits / 2 } else { dtype.bits }
}

/// The format strings of PEP 3118 for the dtypes that have one, in native byte order and size: for elements that lie
/// as C wants them, and for those that do not, which a consumer must not read as C does.
const FORMATS: [(DLDataType, &CStr, &CStr); 14] = [
    (DLDataType::BOOL, c"?", c"?"),
    (DLDataType::I8, c"b", c"b"),
    (DLDataType::U8, c"B", c"B"),
    (DLDataType::I16, c"h", c"=h"),
    (DLDataType::U16, c"H", c"=H"),
    (DLDataType::I32, c"i", c"=i"),
    (DLDataType::U32, c"I", c"=I"),
    (DLDataType::I64, LONG_LONG.0, c"=q"),
    (DLDataType::U64, LONG_LONG.1, c"=Q"),
    (DLDataType::F16, c"e", c"=e"),
    (DLDataType::F32, c"f", c"=f"),
    (DLDataType::F64, c"d", c"=d"),
    (DLDataType::C64, c"Zf", c"=Zf"),
    (DLDataType::C128, c"Zd", c"=Zd"),
];

/// NumPy names 64-bit integers after the C type that it calls `int64`: `long` where that has 64 bits.
const LONG_LONG: (&CStr, &CStr) = if size_of::<core::ffi::c_long>() == 8 { (c"l", c"L") } else { (c"q", c"Q") };

/// The format string of a dtype, in native byte order and size; `None` when it has none.
///
/// `aligned` says whether the elements lie as C wants them; a consumer must not read others as C does.
#[must_use]
pub fn format_of(dtype: DLDataType, aligned: bool) -> Option<&'static CStr> {
    let (_, format, misaligned) = FORMATS.iter().find(|(known, ..)| *known == dtype)?;
    Some(if aligned { format } else { misaligned })
}
