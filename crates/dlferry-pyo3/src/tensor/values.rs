use dlferry::element::Scalar;
use dlferry::view::{Scalars, TensorView};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList};

use crate::error::IntoPyErr;

/// A number of the host's as one of Python's.
fn to_python(py: Python<'_>, scalar: Scalar) -> Bound<'_, PyAny> {
    match scalar {
        Scalar::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Scalar::Int(value) => PyInt::new(py, value).into_any(),
        Scalar::UInt(value) => PyInt::new(py, value).into_any(),
        Scalar::Float(value) => PyFloat::new(py, value).into_any(),
        Scalar::Complex(real, imaginary) => PyComplex::from_doubles(py, real, imaginary).into_any(),
    }
}

pub(super) fn item<'py>(py: Python<'py>, view: TensorView<'_>) -> PyResult<Bound<'py, PyAny>> {
    let size = view.layout().size();
    if size != 1 {
        return Err(PyValueError::new_err(format!("item() needs a tensor of one element, and this one has {size}")));
    }
    let first = view.scalars().map_err(IntoPyErr::into_py_err)?.next();
    first.map(|scalar| to_python(py, scalar)).ok_or_else(|| PyValueError::new_err("the element has no value"))
}

pub(super) fn tolist<'py>(py: Python<'py>, view: TensorView<'_>) -> PyResult<Bound<'py, PyAny>> {
    let mut scalars = view.scalars().map_err(IntoPyErr::into_py_err)?;
    nested(py, view.shape(), &mut scalars)
}

/// Lists for the axes that are left, filled from the elements that are left.
fn nested<'py>(py: Python<'py>, shape: &[i64], scalars: &mut Scalars<'_>) -> PyResult<Bound<'py, PyAny>> {
    let Some((extent, inner)) = shape.split_first() else {
        let scalar = scalars.next().ok_or_else(|| PyValueError::new_err("the element has no value"))?;
        return Ok(to_python(py, scalar));
    };
    // An extent that is no count of a list could only belong to an empty tensor of absurd shape.
    let extent = usize::try_from(*extent).map_err(|_| PyMemoryError::new_err("the list would be too long"))?;
    let list = PyList::empty(py);
    for _ in 0..extent {
        list.append(nested(py, inner, scalars)?)?;
    }
    Ok(list.into_any())
}
