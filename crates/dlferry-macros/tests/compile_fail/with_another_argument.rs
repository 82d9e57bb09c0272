//! There is one argument.

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

#[producer(buffer = false)]
#[pymethods]
impl Frame {}

fn main() {}
