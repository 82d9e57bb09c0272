//! Format strings of the buffer protocol and type strings of the array interface: any text is answered, and what the grammar
//! makes up is read as it was meant.

#![no_main]

#[path = "../shared/bytes.rs"]
mod bytes;

use bytes::Bytes;
use dlferry::abi::DLDataType;
use dlferry::element::check_dtype;
use dlferry::element::notation::{format_of, parse_format, parse_typestr, typestr_of};
use libfuzzer_sys::fuzz_target;

/// Codes of numbers, with their dtypes in standard size; those of native size only where no order is named.
const STANDARD: [(&str, DLDataType); 19] = [
    ("?", DLDataType::BOOL),
    ("b", DLDataType::I8),
    ("B", DLDataType::U8),
    ("c", DLDataType::U8),
    ("h", DLDataType::I16),
    ("H", DLDataType::U16),
    ("i", DLDataType::I32),
    ("I", DLDataType::U32),
    ("l", DLDataType::I32),
    ("L", DLDataType::U32),
    ("q", DLDataType::I64),
    ("Q", DLDataType::U64),
    ("e", DLDataType::F16),
    ("f", DLDataType::F32),
    ("d", DLDataType::F64),
    ("F", DLDataType::C64),
    ("D", DLDataType::C128),
    ("Zf", DLDataType::C64),
    ("Zd", DLDataType::C128),
];

fn any(text: &str) {
    if let Ok(format) = parse_format(text) {
        assert_eq!(check_dtype(format.dtype), Ok(()), "{text:?}");
        assert!(format.inner.iter().all(|extent| *extent >= 0), "{text:?}");
        assert!(!format.swapped || format.dtype.item_bytes() > 1, "{text:?}");
        for aligned in [false, true] {
            let again = format_of(format.dtype, aligned).expect("what a format says, a format can say").to_str();
            let again = parse_format(again.unwrap()).expect("our own format");
            assert!(again.dtype == format.dtype && again.inner.is_empty() && !again.swapped);
        }
    }
    if let Ok((dtype, swapped)) = parse_typestr(text) {
        let again = typestr_of(dtype).expect("what a type string says, a type string can say");
        assert_eq!(parse_typestr(&again), Ok((dtype, false)));
        assert!(!swapped || dtype.item_bytes() > 1);
    }
}

/// A format made up, and what it means.
fn made_up(bytes: &mut Bytes<'_>) {
    let mut text = String::new();
    let mut order = "@";
    let mut named = |bytes: &mut Bytes<'_>, text: &mut String| {
        let mark = bytes.pick(&["", "<", ">", "=", "!", "@"]);
        order = if mark.is_empty() { order } else { mark };
        text.push_str(mark);
    };
    named(bytes, &mut text);
    let mut inner: Vec<i64> = (0..bytes.below(4)).map(|_| i64::from(bytes.byte())).collect();
    if !inner.is_empty() {
        let extents: Vec<String> = inner.iter().map(i64::to_string).collect();
        text.push_str(&format!("({})", extents.join(",")));
        named(bytes, &mut text);
    }
    if bytes.one_in(3) {
        let count = bytes.number().max(0);
        text.push_str(&count.to_string());
        inner.extend((count != 1).then_some(count));
        named(bytes, &mut text);
    }
    let (code, mut dtype) = bytes.pick(&STANDARD);
    text.push_str(code);
    if order == "@" && code.eq_ignore_ascii_case("l") {
        dtype.bits = (size_of::<core::ffi::c_long>() * 8) as u8;
    }
    let other = if cfg!(target_endian = "little") { ['>', '!'].as_slice() } else { ['<'].as_slice() };
    let swapped = other.iter().any(|mark| order.starts_with(*mark)) && dtype.item_bytes() > 1;
    let found = parse_format(&text).unwrap_or_else(|why| panic!("{text:?} {why}"));
    assert_eq!((found.dtype, found.inner, found.swapped), (dtype, inner, swapped), "{text:?}");
    // One more code makes it a struct.
    text.push_str(bytes.pick(&["f", "x", " ", "B", ":a:"]));
    assert!(parse_format(&text).is_err(), "{text:?}");
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    match bytes.byte() % 2 {
        0 => any(&String::from_utf8_lossy(bytes.0)),
        _ => made_up(&mut bytes),
    }
});
