//! Type strings of the array interface, such as `<f4`.

use alloc::format;
use alloc::string::String;

use super::NotationError;
use crate::abi::{DLDataType, DLDataTypeCode};

/// The kinds of the type strings that have a DLPack code, with the code.
const KINDS: [(char, DLDataTypeCode); 5] = [
    ('b', DLDataTypeCode::BOOL),
    ('i', DLDataTypeCode::INT),
    ('u', DLDataTypeCode::UINT),
    ('f', DLDataTypeCode::FLOAT),
    ('c', DLDataTypeCode::COMPLEX),
];

/// The largest elements that both sides know, in bits.
fn is_known(dtype: DLDataType) -> bool {
    let widths: &[u8] = match dtype.code {
        DLDataTypeCode::BOOL => &[8],
        DLDataTypeCode::INT | DLDataTypeCode::UINT => &[8, 16, 32, 64],
        DLDataTypeCode::FLOAT => &[16, 32, 64],
        DLDataTypeCode::COMPLEX => &[64, 128],
        _ => &[],
    };
    dtype.lanes == 1 && widths.contains(&dtype.bits)
}

/// Reads a type string: the dtype, and whether its bytes are in the order that this machine does not use.
///
/// # Errors
///
/// [`NotationError`] for what describes no numbers: times, text, structs, pointers, or no type string at all.
pub fn parse_typestr(typestr: &str) -> Result<(DLDataType, bool), NotationError> {
    parse(typestr).map_err(NotationError)
}

fn parse(typestr: &str) -> Result<(DLDataType, bool), &'static str> {
    let unknown = "is no type that DLPack has";
    let mut rest = typestr.chars();
    let order = rest.next().ok_or("is empty")?;
    let kind = rest.next().ok_or("is too short")?;
    let bytes: u8 = rest.as_str().parse().map_err(|_| match kind {
        'M' | 'm' => "is a time; view it as int64 of the same byte order",
        _ => "has no size in bytes",
    })?;
    let code = KINDS.iter().find(|(known, _)| *known == kind).map(|(_, code)| *code);
    let code = code.ok_or(match kind {
        'M' | 'm' => "is a time; view it as int64 of the same byte order",
        'S' | 'U' | 'a' => "is text; DLPack carries numbers",
        'V' => "is a struct, or bytes without a meaning; take one of its fields",
        'O' => "is a pointer, which means nothing elsewhere",
        _ => unknown,
    })?;
    let dtype = DLDataType { code, bits: bytes.checked_mul(8).ok_or(unknown)?, lanes: 1 };
    if !is_known(dtype) {
        return Err(unknown);
    }
    let swapped = match order {
        '<' => cfg!(target_endian = "big"),
        '>' => cfg!(target_endian = "little"),
        '|' | '=' => false,
        _ => return Err("has no byte order"),
    };
    Ok((dtype, swapped && bytes > 1))
}

/// The type string of a dtype; `None` when it has none.
#[must_use]
pub fn typestr_of(dtype: DLDataType) -> Option<String> {
    let kind = KINDS.iter().find(|(_, code)| *code == dtype.code).map(|(kind, _)| *kind)?;
    let order = match dtype.bits {
        8 => '|',
        _ if cfg!(target_endian = "big") => '>',
        _ => '<',
    };
    is_known(dtype).then(|| format!("{order}{kind}{}", dtype.bits / 8))
}
