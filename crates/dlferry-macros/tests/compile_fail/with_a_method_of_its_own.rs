//! A method cannot be there twice.

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
#[pymethods]
impl Frame {
    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }
}

fn main() {}
