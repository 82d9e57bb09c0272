//! Reading a dtype that somebody names, in whatever way.

use std::ffi::CString;

use dlferry::abi::{DLDataType, DLDataTypeCode};
use dlferry::element::check_dtype;
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use super::hint;
use crate::once::interned;
use crate::python::{counted, name_of_type, unless_it_raises};

/// The dtype that is named by a string, or by another library's dtype or scalar type.
pub(super) fn read(value: &Bound<'_, PyAny>) -> PyResult<DLDataType> {
    if let Ok(name) = value.cast::<PyString>() {
        let name = name.to_cow()?;
        return of_name(&name).ok_or_else(|| PyValueError::new_err(no_name(&name)));
    }
    let names = names_of(value)?;
    let Some(dtype) = names.iter().find_map(|name| of_name(name)) else {
        let hint = names.iter().find_map(|name| hint::meant(name)).unwrap_or_default();
        let found = match names.first() {
            Some(name) => format!("{name} ({})", value.get_type()),
            None => value.get_type().to_string(),
        };
        return Err(PyTypeError::new_err(format!("dtype needs a name or a dtype, found {found}{hint}")));
    };
    if is_swapped(value)? {
        return Err(PyValueError::new_err(hint::other_order(&value.to_string(), dtype)));
    }
    match integer(value, interned!(value.py(), "itemsize"))? {
        Some(bytes) if bytes != dtype.item_bytes() => Err(PyTypeError::new_err(format!(
            "dtype needs a name or a dtype, found {value}, which has {} where {dtype} has {}",
            counted(bytes, "byte", "bytes"),
            dtype.item_bytes()
        ))),
        _ => Ok(dtype),
    }
}

/// The dtype of its exact name; one that no library exchanges is known by its numbers only.
fn of_name(name: &str) -> Option<DLDataType> {
    DLDataType::from_name(name).filter(|dtype| is_exchanged(*dtype)).or_else(|| of_numbers(name))
}

/// Whether it is a dtype that libraries exchange: numbers of the usual widths, and all kinds that have one width. A name of
/// another, such as `int33`, is a slip; in a tensor that comes in it passes.
pub(super) fn is_exchanged(dtype: DLDataType) -> bool {
    widths(dtype.code).is_none_or(|widths| widths.contains(&dtype.bits))
}

/// The widths of a kind of number that has several.
fn widths(code: DLDataTypeCode) -> Option<&'static [u8]> {
    match code {
        DLDataTypeCode::INT | DLDataTypeCode::UINT => Some(&[1, 2, 4, 8, 16, 32, 64]),
        DLDataTypeCode::FLOAT => Some(&[16, 32, 64]),
        DLDataTypeCode::COMPLEX => Some(&[32, 64, 128]),
        _ => None,
    }
}

/// How a dtype without a name is written: `dtype(code=200, bits=8, lanes=1)`.
pub(super) fn numbers(dtype: DLDataType) -> String {
    format!("dtype(code={}, bits={}, lanes={})", dtype.code.0, dtype.bits, dtype.lanes)
}

/// Reads what [`numbers`] writes. A dtype that has a name is not known by its numbers.
fn of_numbers(text: &str) -> Option<DLDataType> {
    let rest = text.strip_prefix("dtype(code=")?.strip_suffix(')')?;
    let (code, rest) = rest.split_once(", bits=")?;
    let (bits, lanes) = rest.split_once(", lanes=")?;
    let code = DLDataTypeCode(code.parse().ok()?);
    let dtype = DLDataType { code, bits: bits.parse().ok()?, lanes: lanes.parse().ok()? };
    let is_nameless = dtype.to_string() == text || !is_exchanged(dtype);
    (is_nameless && check_dtype(dtype).is_ok() && numbers(dtype) == text).then_some(dtype)
}

/// What is wrong with a string.
fn no_name(name: &str) -> String {
    if let Some(dtype) = DLDataType::from_name(name) {
        let widths: Vec<String> = widths(dtype.code).unwrap_or_default().iter().map(u8::to_string).collect();
        return format!(
            "{name:?} is the name of no dtype that libraries exchange, whose widths are {}; if it is meant, say {:?}",
            widths.join(", "),
            numbers(dtype)
        );
    }
    if let Some(swapped) = hint::swapped(name) {
        return swapped;
    }
    let hint = hint::meant(name).unwrap_or_else(|| String::from("; \"float32\" is one"));
    format!("{name:?} is the name of no dtype{hint}")
}

/// The names that an object goes by: `name` as dtypes of NumPy have it, `__name__` as scalar types do, and the end of
/// `torch.float32`, which is how some write themselves.
fn names_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let py = value.py();
    let mut names = Vec::new();
    let is_type = value.is_instance_of::<PyType>();
    let attribute = if is_type { interned!(py, "__name__") } else { interned!(py, "name") };
    if let Some(name) = unless_it_raises(py, value.getattr_opt(attribute))?.flatten() {
        names.extend(name.cast::<PyString>().ok().map(ToString::to_string));
    }
    if !is_type {
        let text = unless_it_raises(py, value.str())?.map(|text| text.to_string()).unwrap_or_default();
        let is_path = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        names.extend(text.rsplit_once('.').filter(|_| is_path).map(|(_, last)| String::from(last)));
    }
    // NumPy 1 calls its `bool` so.
    Ok(names.into_iter().map(|name| if name == "bool_" { String::from("bool") } else { name }).collect())
}

/// Whether a dtype of NumPy's is in the byte order that this machine does not use.
fn is_swapped(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    let order = unless_it_raises(py, value.getattr_opt(interned!(py, "byteorder")))?.flatten();
    let order = order.and_then(|order| order.extract::<char>().ok());
    Ok(order == Some(if cfg!(target_endian = "big") { '<' } else { '>' }))
}

/// Warns whoever compares a dtype with the same one of another library, which is never equal: it was meant to be.
pub(super) fn warn_if_same(dtype: DLDataType, other: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = other.py();
    // Others than dtypes and types, which are many and of any kind, are not asked for their names.
    let may_be_one = other.is_instance_of::<PyType>() || name_of_type(other).to_lowercase().contains("dtype");
    if !may_be_one {
        return Ok(());
    }
    if unless_it_raises(py, read(other))? == Some(dtype) {
        return warn(
            py,
            format!(
                "a dtype of dlferry equals none of another library, also where both are {dtype}: compare it with \
                dlferry.dtype(...) of the other one, or with its name, \"{dtype}\""
            ),
        );
    }
    // Python's own types, and others that go by names of their own.
    let names = unless_it_raises(py, names_of(other))?.unwrap_or_default();
    if names.iter().any(|name| hint::means(name, dtype)) { warn_of_name(py, dtype) } else { Ok(()) }
}

/// Warns whoever compares a dtype with another name for it than its own.
pub(super) fn warn_if_meant(py: Python<'_>, dtype: DLDataType, name: &str) -> PyResult<()> {
    if of_name(name).is_none() && hint::means(name, dtype) { warn_of_name(py, dtype) } else { Ok(()) }
}

fn warn_of_name(py: Python<'_>, dtype: DLDataType) -> PyResult<()> {
    warn(py, format!("a dtype of dlferry equals its own name and no other: compare it with \"{dtype}\""))
}

fn warn(py: Python<'_>, text: String) -> PyResult<()> {
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(text)?, 1)
}

fn integer(value: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<Option<usize>> {
    let found = unless_it_raises(value.py(), value.getattr_opt(name))?.flatten();
    Ok(found.and_then(|found| found.extract().ok()))
}
