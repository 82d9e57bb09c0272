//! Arguments that are integers, such as extents, strides and axes.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::address::no_address;

/// Reads an integer.
///
/// # Errors
///
/// `TypeError` for what is none, `ValueError` for one that no 64 bits hold.
pub fn integer(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    value.extract().map_err(|error| bad_value(value, error))
}

/// Reads a sequence of integers.
///
/// # Errors
///
/// As [`integer`].
pub fn integers(value: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    value.extract().map_err(|error| match integer(value) {
        Ok(number) => {
            PyTypeError::new_err(format!("wanted a tuple of integers, ({number},) for one axis, found {number}"))
        }
        Err(_) => bad_value(value, error),
    })
}

/// Reads an address.
///
/// # Errors
///
/// `TypeError` for what is no integer, `ValueError` for one that is no address.
pub fn address(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let is_kind = |error: &PyErr| error.is_instance_of::<PyTypeError>(value.py());
    value.extract().map_err(|error| if is_kind(&error) { no_address(value) } else { bad_value(value, error) })
}

/// An integer beyond what a machine counts is a bad value, and not a failure of arithmetic (decision 5.10).
fn bad_value(value: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = value.py();
    if !error.is_instance_of::<PyOverflowError>(py) {
        return error;
    }
    let bad = PyValueError::new_err(format!("{value} is out of range: {}", error.value(py)));
    bad.set_cause(py, Some(error));
    bad
}
