//! Functions that take and return arrays, each with dlferry-pyo3 and with a crate that it is compared with: what they do
//! between is nothing.

use dlferry_pyo3::{Numpy, View, ViewMut};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyReadwriteArray2};
use pyo3::prelude::*;

/// What a call costs by itself.
#[pyfunction]
fn call(_x: &Bound<'_, PyAny>) {}

#[pyfunction]
fn view(_x: View<'_, f32, 2>) {}

#[pyfunction]
fn view_rust_numpy(_x: PyReadonlyArray2<'_, f32>) {}

/// It has no argument types: the function takes an object, and the tensor that it is given has dtype and rank to be asked.
#[pyfunction]
fn view_dlpark(x: &Bound<'_, PyAny>) -> PyResult<()> {
    dlpark::python::from_dlpack(x.as_borrowed(), None, None).map(drop)
}

#[pyfunction]
fn view_mut(_x: ViewMut<'_, f32, 2>) {}

#[pyfunction]
fn view_mut_rust_numpy(_x: PyReadwriteArray2<'_, f32>) {}

#[pyfunction]
fn new(count: usize) -> Numpy<Vec<f64>> {
    Numpy(vec![1.0; count])
}

#[pyfunction]
fn new_rust_numpy(py: Python<'_>, count: usize) -> Bound<'_, PyArray1<f64>> {
    vec![1.0; count].into_pyarray(py)
}

/// Extracts and lets go of a view `times` times, without a call of Python's in between.
#[pyfunction]
fn repeat_view(x: &Bound<'_, PyAny>, times: usize) -> PyResult<()> {
    (0..times).try_for_each(|_| x.extract::<View<'_, f32, 2>>().map(drop))
}

/// The same, for writing.
#[pyfunction]
fn repeat_view_mut(x: &Bound<'_, PyAny>, times: usize) -> PyResult<()> {
    (0..times).try_for_each(|_| x.extract::<ViewMut<'_, f32, 2>>().map(drop))
}

#[pymodule(gil_used = false)]
fn dlferry_bench_arguments(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(call, module)?)?;
    module.add_function(wrap_pyfunction!(view, module)?)?;
    module.add_function(wrap_pyfunction!(view_rust_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(view_dlpark, module)?)?;
    module.add_function(wrap_pyfunction!(view_mut, module)?)?;
    module.add_function(wrap_pyfunction!(view_mut_rust_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(new, module)?)?;
    module.add_function(wrap_pyfunction!(new_rust_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(repeat_view, module)?)?;
    module.add_function(wrap_pyfunction!(repeat_view_mut, module)?)
}
