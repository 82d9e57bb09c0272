//! A view is held by who is attached to the interpreter, and no longer.

use dlferry_pyo3::View;
use pyo3::prelude::*;

fn keep(object: &Py<PyAny>) -> PyResult<View<'static, f32, 1>> {
    Python::attach(|py| object.bind(py).extract())
}

fn main() {
    let _ = keep;
}
