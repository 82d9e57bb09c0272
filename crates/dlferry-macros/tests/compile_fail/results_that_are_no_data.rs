//! Results are made of data that Rust owns.

use dlferry_pyo3::{Like, Numpy};
use pyo3::prelude::*;

#[pyfunction]
fn text() -> Numpy<Vec<String>> {
    Numpy(Vec::new())
}

#[pyfunction]
fn borrowed<'py>(array: &Bound<'py, PyAny>) -> PyResult<Like<'py, f32>> {
    let numbers = vec![1.0_f32];
    Like::of(array, numbers.as_slice())
}

#[pyfunction]
fn of_another_type<'py>(array: &Bound<'py, PyAny>) -> PyResult<Like<'py, f32>> {
    Like::of(array, vec![1.0_f64])
}

fn main() {}
