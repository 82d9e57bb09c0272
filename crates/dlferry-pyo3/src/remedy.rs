//! What to do with an object that a function does not take: the function that does, or what to make of it first.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyString, PyType};

use crate::python::unless_it_raises;
use crate::{buffer, exchange};

/// The function that does not take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// `dlferry.from_dlpack`.
    FromDLPack,
    /// `dlferry.from_buffer`.
    FromBuffer,
    /// `dlferry.asarray`.
    AsArray,
}

/// The end of a refusal of an object that has not what a function needs.
///
/// A function is named only when it would get further with the object.
pub(crate) fn remedy(object: &Bound<'_, PyAny>, call: Call) -> PyResult<String> {
    if let Some(remedy) = of_value(object) {
        return Ok(String::from(remedy));
    }
    if object.is_instance_of::<PyType>() {
        return Ok(String::from("it is a class, and its instances may be arrays"));
    }
    if call != Call::FromDLPack && (has(object, "__dlpack__")? || exchange::table_of(object)?.is_some()) {
        return Ok(String::from("it has DLPack: use dlferry.from_dlpack"));
    }
    if call != Call::FromBuffer && buffer::is_lent(object) {
        return Ok(String::from("it has the buffer protocol: use dlferry.from_buffer"));
    }
    for name in ["__array_interface__", "__cuda_array_interface__", "__array__"] {
        if call != Call::AsArray && has(object, name)? {
            return Ok(format!("it has {name}: use dlferry.asarray"));
        }
    }
    if has(object, "__iter__")? && !object.is_instance_of::<PyDict>() {
        return Ok(String::from("make an array of it first, with array.array, numpy.array or their like"));
    }
    Ok(String::from("it has no DLPack, no buffer, no array interface and no __array__, so nothing here takes it"))
}

fn has(object: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    let found = unless_it_raises(object.py(), object.getattr_opt(name))?.flatten();
    Ok(found.is_some_and(|found| !found.is_none()))
}

/// What to make of a plain value of Python's, which no function takes.
fn of_value(object: &Bound<'_, PyAny>) -> Option<&'static str> {
    const NUMBER: &str = "it is a number; make an array of it first, with numpy.array or its like";
    if object.is_none() {
        return Some("something is missing where an array was meant");
    }
    if object.is_instance_of::<PyString>() {
        return Some("it is text; its bytes are text.encode()");
    }
    let is_number = object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyComplex>()
        || object.is_instance_of::<PyBool>();
    is_number.then_some(NUMBER)
}
