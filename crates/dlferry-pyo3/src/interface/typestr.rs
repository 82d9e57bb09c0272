use dlferry::abi::{DLDataType, DLDataTypeCode};

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

/// Reads a type string such as `<f4`: the dtype, and whether its bytes are in the other order. The error is the end of
/// a sentence that begins with the string.
pub(super) fn parse(typestr: &str) -> Result<(DLDataType, bool), &'static str> {
    let unknown = "is no type that DLPack has";
    let mut rest = typestr.chars();
    let order = rest.next().ok_or("is empty")?;
    let kind = rest.next().ok_or("is too short")?;
    let bytes: u8 = rest.as_str().parse().map_err(|_| match kind {
        'M' | 'm' => "is a time; view it as int64",
        _ => "has no size in bytes",
    })?;
    let code = KINDS.iter().find(|(known, _)| *known == kind).map(|(_, code)| *code);
    let code = code.ok_or(match kind {
        'M' | 'm' => "is a time; view it as int64",
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

/// The type string of a dtype, or `None` when there is none.
pub(super) fn write(dtype: DLDataType) -> Option<String> {
    let kind = KINDS.iter().find(|(_, code)| *code == dtype.code).map(|(kind, _)| *kind)?;
    let order = match dtype.bits {
        8 => '|',
        _ if cfg!(target_endian = "big") => '>',
        _ => '<',
    };
    is_known(dtype).then(|| format!("{order}{kind}{}", dtype.bits / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_string_is_read_as_it_was_written() {
        let named = [DLDataType::BOOL, DLDataType::I8, DLDataType::U64, DLDataType::F16, DLDataType::C128];
        for dtype in named {
            assert_eq!(write(dtype).map(|text| parse(&text)), Some(Ok((dtype, false))), "{dtype}");
        }
        for dtype in [DLDataType::BF16, DLDataType::I4, DLDataType::C32, DLDataType::F8_E4M3FN] {
            assert_eq!(write(dtype), None, "{dtype}");
        }
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn the_other_byte_order_is_told_where_it_matters() {
        assert_eq!(parse(">f4"), Ok((DLDataType::F32, true)));
        assert_eq!(parse(">u1"), Ok((DLDataType::U8, false)));
    }

    #[test]
    fn what_is_no_plain_number_is_refused() {
        for text in [
            "", "<", "<f", "<f3", "<f16", "<f-4", "f4", "<c4", "|b2", "<M8[ns]", "|S3", "<U1", "|V8", "|O8", "<i999",
            "<é4",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
