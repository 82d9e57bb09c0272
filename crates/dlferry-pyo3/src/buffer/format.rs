use core::ffi::CStr;

use dlferry::abi::DLDataType;
use dlferry::managed::Descriptor;

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

/// The format of a tensor's elements, or `None` when the buffer protocol has none.
pub(crate) fn format_of(descriptor: &Descriptor) -> Option<&'static CStr> {
    let (_, format, misaligned) = FORMATS.iter().find(|(known, ..)| *known == descriptor.dtype())?;
    Some(if descriptor.is_aligned() { format } else { misaligned })
}
