//! Nor does it stand on the implementation of a trait.

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

struct Other;

#[producer]
impl Clone for Other {
    fn clone(&self) -> Self {
        Self
    }
}

fn main() {}
