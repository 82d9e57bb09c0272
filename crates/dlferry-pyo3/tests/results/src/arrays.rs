//! Arguments as arrays of `ndarray`, and results like arguments.

#![allow(clippy::needless_pass_by_value, reason = "arguments are made for the call")]

use dlferry_pyo3::{AnyView, Dyn, Like, Numpy, Tensor, View, ViewMut};
use ndarray::{Array1, ArrayD, Axis};
use pyo3::prelude::*;

/// The product of two matrices, of the library of the first.
#[pyfunction]
fn matmul<'py>(a: View<'py, f64, 2>, b: View<'_, f64, 2>) -> PyResult<Like<'py, f64>> {
    Like::of(&a, a.as_array()?.dot(&b.as_array()?))
}

/// A copy, through an array of any rank.
#[pyfunction]
fn copied(array: View<'_, f64, Dyn>) -> PyResult<Numpy<ArrayD<f64>>> {
    Ok(Numpy(array.as_array()?.to_owned()))
}

/// The number of an array without axes.
#[pyfunction]
fn number(array: View<'_, f64, 0>) -> PyResult<f64> {
    Ok(*array.as_array()?.into_scalar())
}

/// Which elements are true.
#[pyfunction]
fn trues(array: View<'_, bool, 1>) -> PyResult<Vec<usize>> {
    Ok(array.as_array()?.iter().enumerate().filter_map(|(at, value)| value.then_some(at)).collect())
}

/// Subtracts the mean of each row, in place.
#[pyfunction]
fn center_rows(mut array: ViewMut<'_, f64, 2>) -> PyResult<()> {
    for mut row in array.as_array_mut()?.rows_mut() {
        let mean = row.mean().unwrap_or(0.0);
        row.mapv_inplace(|value| value - mean);
    }
    Ok(())
}

/// Adds one to every element, in place.
#[pyfunction]
fn increment(mut array: ViewMut<'_, f64, Dyn>) -> PyResult<()> {
    array.as_array_mut()?.mapv_inplace(|value| value + 1.0);
    Ok(())
}

/// Zeros of the shape of whatever it was, of its library.
#[pyfunction]
fn zeros_like_any(array: AnyView<'_>) -> PyResult<Like<'_, u8>> {
    Like::of(&array, (vec![0; array.size()], array.shape()))
}

/// Hands an argument on, for longer than the call.
#[pyfunction]
fn kept<'py>(py: Python<'py>, array: View<'py, f64, Dyn>) -> PyResult<Bound<'py, PyAny>> {
    let origin = array.object().clone();
    let tensor: Tensor = array.into_owned()?;
    Like::of(&origin, tensor)?.into_pyobject(py)
}

/// The means over the first axis.
#[pyfunction]
fn means(array: View<'_, f64, 2>) -> PyResult<Option<Numpy<Array1<f64>>>> {
    Ok(array.as_array()?.mean_axis(Axis(0)).map(Numpy))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(matmul, module)?)?;
    module.add_function(wrap_pyfunction!(copied, module)?)?;
    module.add_function(wrap_pyfunction!(number, module)?)?;
    module.add_function(wrap_pyfunction!(trues, module)?)?;
    module.add_function(wrap_pyfunction!(center_rows, module)?)?;
    module.add_function(wrap_pyfunction!(increment, module)?)?;
    module.add_function(wrap_pyfunction!(zeros_like_any, module)?)?;
    module.add_function(wrap_pyfunction!(kept, module)?)?;
    module.add_function(wrap_pyfunction!(means, module)?)
}
