//! The class has to say which tensor it has.

use dlferry_pyo3::producer;
use pyo3::prelude::*;

#[pyclass]
struct Plain;

#[producer]
#[pymethods]
impl Plain {
    fn size(&self) -> usize {
        1
    }
}

fn main() {}
