use alloc::vec;

use super::{parse_format as parse, parse_typestr, typestr_of};
use crate::abi::DLDataType;

fn plain(format: &str) -> Option<(DLDataType, bool)> {
    parse(format).ok().filter(|format| format.inner.is_empty()).map(|format| (format.dtype, format.swapped))
}

#[test]
fn a_code_names_its_dtype() {
    let cases = [
        ("?", DLDataType::BOOL),
        ("b", DLDataType::I8),
        ("B", DLDataType::U8),
        ("c", DLDataType::U8),
        ("@h", DLDataType::I16),
        ("=H", DLDataType::U16),
        ("i", DLDataType::I32),
        ("=l", DLDataType::I32),
        ("=L", DLDataType::U32),
        ("q", DLDataType::I64),
        ("=Q", DLDataType::U64),
        ("e", DLDataType::F16),
        ("f", DLDataType::F32),
        ("1d", DLDataType::F64),
        ("Zf", DLDataType::C64),
        ("=Zd", DLDataType::C128),
    ];
    for (format, dtype) in cases {
        assert_eq!(plain(format), Some((dtype, false)), "{format}");
    }
}

#[cfg(target_pointer_width = "64")]
#[test]
fn native_sizes_are_those_of_c() {
    assert_eq!(plain("l"), Some((if cfg!(windows) { DLDataType::I32 } else { DLDataType::I64 }, false)));
    assert_eq!(plain("n"), Some((DLDataType::I64, false)));
    assert_eq!(plain("=n"), None);
}

#[cfg(target_endian = "little")]
#[test]
fn the_other_byte_order_is_told_where_it_matters() {
    assert_eq!(plain("<f"), Some((DLDataType::F32, false)));
    assert_eq!(plain(">f"), Some((DLDataType::F32, true)));
    assert_eq!(plain("!Zd"), Some((DLDataType::C128, true)));
    assert_eq!(plain(">B"), Some((DLDataType::U8, false)));
    assert_eq!(plain(">?"), Some((DLDataType::BOOL, false)));
}

#[test]
fn counts_and_shapes_become_axes() {
    for (format, inner) in [("4f", vec![4]), ("(2,3)f", vec![2, 3]), ("(2,3)<4f", vec![2, 3, 4]), ("<0f", vec![0])] {
        assert_eq!(parse(format).map(|format| format.inner), Ok(inner), "{format}");
    }
}

#[test]
fn what_is_no_plain_number_is_refused() {
    let hostile = [
        "",
        "@",
        "T{f:a:}",
        "ff",
        "f4",
        "x",
        "4x",
        "s",
        "10s",
        "w",
        "O",
        "P",
        "Zg",
        "g",
        "Z",
        "M8[ns]",
        "(2,3",
        "(2,)f",
        "()f",
        "(a)f",
        "99999999999999999999f",
        "f\0",
        "é",
        "&f",
        "t",
        "((2)f",
        "<<<f",
        "-1f",
    ];
    for format in hostile {
        assert!(parse(format).is_err(), "{format:?}");
    }
}

#[test]
fn a_type_string_is_read_as_it_was_written() {
    let named = [DLDataType::BOOL, DLDataType::I8, DLDataType::U64, DLDataType::F16, DLDataType::C128];
    for dtype in named {
        assert_eq!(typestr_of(dtype).map(|text| parse_typestr(&text)), Some(Ok((dtype, false))), "{dtype}");
    }
    for dtype in [DLDataType::BF16, DLDataType::I4, DLDataType::C32, DLDataType::F8_E4M3FN] {
        assert_eq!(typestr_of(dtype), None, "{dtype}");
    }
}

#[cfg(target_endian = "little")]
#[test]
fn a_type_string_tells_the_other_byte_order() {
    assert_eq!(parse_typestr(">f4"), Ok((DLDataType::F32, true)));
    assert_eq!(parse_typestr(">u1"), Ok((DLDataType::U8, false)));
}

#[test]
fn a_type_string_of_no_number_is_refused() {
    for text in [
        "", "<", "<f", "<f3", "<f16", "<f-4", "f4", "<c4", "|b2", "<M8[ns]", "|S3", "<U1", "|V8", "|O8", "<i999", "<é4",
    ] {
        assert!(parse_typestr(text).is_err(), "{text:?}");
    }
}
