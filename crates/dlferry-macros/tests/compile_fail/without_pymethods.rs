//! Without `#[pymethods]` no method would be one of Python.

use dlferry_pyo3::{Producer, Tensor, producer};
use pyo3::prelude::*;

#[pyclass(frozen)]
struct Frame {
    tensor: Tensor,
}

impl Producer for Frame {
    fn tensor(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        Ok(slf.get().tensor.clone_ref(slf.py()))
    }
}

#[producer]
impl Frame {
    fn size(&self) -> usize {
        1
    }
}

fn main() {}
