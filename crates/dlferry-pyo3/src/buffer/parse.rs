//! Reading the format strings of PEP 3118, as far as they describe plain elements.

use core::iter::Peekable;
use core::str::Chars;

use dlferry::abi::{DLDataType, DLDataTypeCode};

/// What a format string says: one element type, perhaps repeated, perhaps in the other byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) dtype: DLDataType,
    /// Extents that a repeat count or a `(2,3)` prefix adds behind the buffer's own axes.
    pub(crate) inner: Vec<i64>,
    /// The bytes of each scalar lie in the order that this machine does not use.
    pub(crate) swapped: bool,
}

/// Which sizes the codes have, and in which order the bytes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// `@` or nothing: the C compiler's sizes.
    Native,
    /// `=`, `<`, `>`, `!`: the standard sizes.
    Standard { swapped: bool },
}

/// Parses a format string. The error is the end of a sentence that begins with the format.
pub(crate) fn parse(format: &str) -> Result<Format, &'static str> {
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
        Some('s' | 'p' | 'u' | 'w') => Err("is text; DLPack carries numbers, so view its bytes as uint8"),
        Some('O' | 'P' | 'X' | '&') => Err("is a pointer, which means nothing elsewhere"),
        Some('M' | 'm') => Err("is a time; view it as int64"),
        _ => Err("is no format that is known here"),
    }
}

/// Bits of what has a byte order of its own: a complex number has two.
fn scalar_bits(dtype: DLDataType) -> u8 {
    if dtype.code == DLDataTypeCode::COMPLEX { dtype.bits / 2 } else { dtype.bits }
}

#[cfg(test)]
mod tests;
