//! Refusals in nanobind's words, and functions that have several types of arguments.

use std::ops::{Deref, DerefMut};

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;

/// An argument of dlferry-pyo3 that is refused as nanobind does.
pub(crate) struct Arg<X>(pub(crate) X);

impl<'a, 'py, X: FromPyObject<'a, 'py, Error = PyErr>> FromPyObject<'a, 'py> for Arg<X> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match X::extract(object) {
            Ok(argument) => Ok(Self(argument)),
            Err(error) if is_refusal(object.py(), &error) => Err(refusal(object.py(), &[error])),
            Err(error) => Err(error),
        }
    }
}

impl<X> Deref for Arg<X> {
    type Target = X;

    fn deref(&self) -> &X {
        &self.0
    }
}

impl<X> DerefMut for Arg<X> {
    fn deref_mut(&mut self) -> &mut X {
        &mut self.0
    }
}

/// What one of several functions of a name does with its argument, once that is extracted.
pub(crate) type Overload<'py, R> = fn(&Bound<'py, PyAny>) -> PyResult<R>;

/// The result of the first function that takes the object.
pub(crate) fn first<'py, R>(object: &Bound<'py, PyAny>, functions: &[Overload<'py, R>]) -> PyResult<R> {
    let mut refusals = vec![];
    for function in functions {
        match function(object) {
            Err(error) if is_refusal(object.py(), &error) => refusals.push(error),
            answer => return answer,
        }
    }
    Err(refusal(object.py(), &refusals))
}

fn is_refusal(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyBufferError>(py)
}

fn refusal(py: Python<'_>, refusals: &[PyErr]) -> PyErr {
    let reasons: Vec<String> = refusals.iter().map(|error| error.value(py).to_string()).collect();
    PyTypeError::new_err(format!("incompatible function arguments: {}", reasons.join("; ")))
}
