use core::ffi::CStr;

use dlferry::abi::DLDataType;

/// The format strings of PEP 3118 for the dtypes that have one, in native byte order and size.
const FORMATS: [(DLDataType, &CStr); 14] = [
    (DLDataType::BOOL, c"?"),
    (DLDataType::I8, c"b"),
    (DLDataType::U8, c"B"),
    (DLDataType::I16, c"h"),
    (DLDataType::U16, c"H"),
    (DLDataType::I32, c"i"),
    (DLDataType::U32, c"I"),
    (DLDataType::I64, LONG_LONG.0),
    (DLDataType::U64, LONG_LONG.1),
    (DLDataType::F16, c"e"),
    (DLDataType::F32, c"f"),
    (DLDataType::F64, c"d"),
    (DLDataType::C64, c"Zf"),
    (DLDataType::C128, c"Zd"),
];

/// NumPy names 64-bit integers after the C type that it calls `int64`: `long` where that has 64 bits.
const LONG_LONG: (&CStr, &CStr) = if size_of::<core::ffi::c_long>() == 8 { (c"l", c"L") } else { (c"q", c"Q") };

/// The format of a dtype, or `None` when the buffer protocol has none.
pub(crate) fn format_of(dtype: DLDataType) -> Option<&'static CStr> {
    FORMATS.iter().find(|(known, _)| *known == dtype).map(|(_, format)| *format)
}
