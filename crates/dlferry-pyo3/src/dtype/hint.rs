//! What somebody meant by the name of no dtype.

use dlferry::abi::DLDataType;
use dlferry::element::notation::parse_typestr;

/// Names that others use, and what they may mean by them.
const ELSEWHERE: [(&str, &[&str]); 62] = [
    // Python's, and those of several libraries, which differ.
    ("float", &["float64", "float32"]),
    ("int", &["int64", "int32"]),
    ("uint", &["uint64", "uint32"]),
    ("complex", &["complex128", "complex64"]),
    ("bool8", &["bool"]),
    ("boolean", &["bool"]),
    ("logical", &["bool"]),
    ("half", &["float16"]),
    ("single", &["float32"]),
    ("double", &["float64"]),
    ("cfloat", &["complex64"]),
    ("cdouble", &["complex128"]),
    ("chalf", &["complex32"]),
    ("byte", &["uint8", "int8"]),
    ("ubyte", &["uint8"]),
    ("char", &["int8", "uint8"]),
    ("short", &["int16"]),
    ("ushort", &["uint16"]),
    ("intc", &["int32"]),
    ("uintc", &["uint32"]),
    ("long", &["int64", "int32"]),
    ("ulong", &["uint64", "uint32"]),
    ("longlong", &["int64"]),
    ("ulonglong", &["uint64"]),
    ("intp", &["int64"]),
    ("uintp", &["uint64"]),
    ("ssize", &["int64"]),
    ("size", &["uint64"]),
    // Those of `ctypes`.
    ("c_float", &["float32"]),
    ("c_double", &["float64"]),
    ("c_int", &["int32"]),
    ("c_uint", &["uint32"]),
    ("c_ssize_t", &["int64"]),
    ("c_size_t", &["uint64"]),
    // Rust's and others'. Where NumPy counts bytes, they count bits.
    ("i16", &["int16"]),
    ("i32", &["int32"]),
    ("i64", &["int64"]),
    ("u16", &["uint16"]),
    ("u32", &["uint32"]),
    ("u64", &["uint64"]),
    ("i8", &["int64", "int8"]),
    ("u8", &["uint64", "uint8"]),
    ("f16", &["float16"]),
    ("f32", &["float32"]),
    ("f64", &["float64"]),
    ("fp16", &["float16"]),
    ("fp32", &["float32"]),
    ("fp64", &["float64"]),
    ("bf16", &["bfloat16"]),
    ("bfloat", &["bfloat16"]),
    ("brain", &["bfloat16"]),
    ("fp8", &["float8_e4m3fn", "float8_e5m2"]),
    ("float8", &["float8_e4m3fn", "float8_e5m2"]),
    ("e4m3", &["float8_e4m3fn"]),
    ("e5m2", &["float8_e5m2"]),
    ("f8e4m3", &["float8_e4m3fn"]),
    ("f8e5m2", &["float8_e5m2"]),
    ("fp8_e4m3", &["float8_e4m3fn"]),
    ("fp8_e5m2", &["float8_e5m2"]),
    ("fp6", &["float6_e2m3fn", "float6_e3m2fn"]),
    ("fp4", &["float4_e2m1fn"]),
    ("float4", &["float4_e2m1fn"]),
];

/// NumPy's letters, which are those of the `struct` module for the most part.
const LETTERS: [(&str, &str); 14] = [
    ("?", "bool"),
    ("b", "int8"),
    ("B", "uint8"),
    ("h", "int16"),
    ("H", "uint16"),
    ("i", "int32"),
    ("I", "uint32"),
    ("q", "int64"),
    ("Q", "uint64"),
    ("e", "float16"),
    ("f", "float32"),
    ("d", "float64"),
    ("F", "complex64"),
    ("D", "complex128"),
];

/// What is no number: how its names begin, NumPy's letters for it, and what to do.
const NO_NUMBERS: [(&[&str], &str, &str); 5] = [
    (
        &["datetime64", "timedelta64"],
        "Mm",
        "DLPack has no dates and durations; in this machine's byte order their numbers are \"int64\"",
    ),
    (&["void", "record", "struct"], "V", "DLPack has no structures: name the dtype of one field"),
    (&["str", "unicode", "bytes"], "USa", "DLPack has no text; its bytes as they are are \"uint8\""),
    (&["object"], "O", "DLPack has no Python objects: make numbers of them first"),
    (
        &["longdouble", "clongdouble", "longfloat"],
        "gG",
        "libraries agree on no form of it; \"float64\" and \"complex128\" are the widest that they have",
    ),
];

/// What to do about the name of a dtype that is no number, and so none of DLPack's: `datetime64[s]`, `<M8[s]`, `U4`.
fn no_number(text: &str) -> Option<&'static str> {
    let bare = text.trim_start_matches(['<', '>', '=', '|']);
    let (letter, rest) = bare.split_at_checked(1)?;
    // A width, a unit, or what NumPy has at the end of the name of a scalar type.
    let goes_on =
        |rest: &str| rest.is_empty() || rest.starts_with(|next: char| next.is_ascii_digit() || "[_".contains(next));
    let (_, _, remedy) = NO_NUMBERS.iter().find(|(stems, letters, _)| {
        let is_coded = letters.contains(letter) && goes_on(rest);
        is_coded || stems.iter().any(|stem| bare.strip_prefix(stem).is_some_and(goes_on))
    })?;
    Some(remedy)
}

/// The end of a sentence: `; did you mean "float32"?`, or what to do about what is no number; `None` where nobody knows.
pub(super) fn meant(name: &str) -> Option<String> {
    let text = name.trim();
    if let Some(remedy) = no_number(text) {
        return Some(format!("; {remedy}"));
    }
    let names = candidates(text);
    (!names.is_empty()).then(|| question(&names))
}

/// Whether a name that is none of a dtype's own is another library's for it, or Python's: `f4`, `double`, `float`. Of those that
/// differ between libraries that counts which NumPy means.
pub(super) fn means(name: &str, dtype: DLDataType) -> bool {
    let text = name.trim();
    let is_other = no_number(text).is_some() || swapped(text).is_some();
    !is_other && candidates(text).first().is_some_and(|meant| *meant == dtype.to_string())
}

/// The dtypes that may be meant, the likeliest first.
fn candidates(text: &str) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|name| String::from(*name)).collect::<Vec<_>>();
    let known = |name: &str| DLDataType::from_name(name).filter(|dtype| super::argument::is_exchanged(*dtype));
    if let Some((_, letter)) = LETTERS.iter().find(|(letter, _)| *letter == text) {
        return owned(&[letter]);
    }
    // `torch.float32`, `Float32`, `int8_t`.
    let lower = text.rsplit('.').next().unwrap_or_default().to_lowercase();
    let elsewhere = |name: &str| ELSEWHERE.iter().find(|(other, _)| *other == name).map(|(_, meant)| owned(meant));
    if let Some(names) = elsewhere(&lower) {
        return names;
    }
    let bare = lower.strip_suffix("_t").or_else(|| lower.strip_suffix('_')).unwrap_or(&lower);
    let bare = bare.strip_prefix("c_").unwrap_or(bare);
    if known(bare).is_some() {
        return owned(&[bare]);
    }
    let Some((dtype, _)) = typestr(text) else { return Vec::new() };
    elsewhere(bare).unwrap_or_else(|| vec![dtype.to_string()])
}

/// The refusal of a type string such as `>f4`, when it names the byte order that this machine does not use.
pub(super) fn swapped(name: &str) -> Option<String> {
    let (dtype, swapped) = typestr(name.trim())?;
    swapped.then(|| other_order(&format!("{name:?} is the name of no dtype: it"), dtype))
}

/// The refusal of a dtype in the other byte order.
pub(super) fn other_order(subject: &str, dtype: DLDataType) -> String {
    let order = if cfg!(target_endian = "big") { "little" } else { "big" };
    format!(
        "{subject} is {dtype} in {order}-endian byte order, which DLPack cannot say: make an array of it with NumPy, and \
        dlferry.asarray copies that into this machine's order"
    )
}

/// NumPy's type strings, with or without a byte order.
fn typestr(text: &str) -> Option<(DLDataType, bool)> {
    parse_typestr(text).or_else(|_| parse_typestr(&format!("={text}"))).ok()
}

fn question(meant: &[String]) -> String {
    let meant: Vec<String> = meant.iter().map(|name| format!("{name:?}")).collect();
    format!("; did you mean {}?", meant.join(" or "))
}
