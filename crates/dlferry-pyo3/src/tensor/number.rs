//! A tensor of one element as a Python number.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use super::{Tensor, values};

/// The one element.
fn only<'py>(tensor: &Tensor, py: Python<'py>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let size = tensor.shared.descriptor().layout().size();
    if size != 1 {
        return Err(PyTypeError::new_err(format!("{what} needs a tensor of one element, and this one has {size}")));
    }
    values::item(py, tensor.shared.view())
}

pub(super) fn truth(tensor: &Tensor, py: Python<'_>) -> PyResult<bool> {
    only(tensor, py, "bool()")?.is_truthy()
}

pub(super) fn int<'py>(tensor: &Tensor, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.get_type::<PyInt>().call1((only(tensor, py, "int()")?,))
}

pub(super) fn float(tensor: &Tensor, py: Python<'_>) -> PyResult<f64> {
    only(tensor, py, "float()")?.extract()
}

pub(super) fn index<'py>(tensor: &Tensor, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    let number = only(tensor, py, "an index")?;
    if number.is_exact_instance_of::<PyInt>() {
        return Ok(number);
    }
    let dtype = tensor.shared.descriptor().dtype();
    Err(PyTypeError::new_err(format!("an index needs an integer, and the element is {dtype}")))
}

pub(super) fn len(tensor: &Tensor) -> PyResult<usize> {
    match tensor.shared.descriptor().shape().first() {
        Some(extent) => Ok(usize::try_from(*extent)?),
        None => Err(PyTypeError::new_err("len() of a tensor without axes")),
    }
}

/// The answer to `value in tensor`, which would compare identities and so deny every number.
pub(super) fn no_comparison() -> PyErr {
    PyTypeError::new_err("a tensor compares no values: look in tensor.tolist() or tensor.numpy()")
}
