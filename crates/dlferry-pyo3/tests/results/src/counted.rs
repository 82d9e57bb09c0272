//! Owners that are counted while they are there.

use std::sync::atomic::{AtomicUsize, Ordering};

use dlferry_pyo3::dlferry::export::{Export, Owner, OwnerMut};
use dlferry_pyo3::{IntoTensor, Tensor};
use pyo3::prelude::*;

static LIVE: AtomicUsize = AtomicUsize::new(0);

/// Four numbers that lie in the owner itself.
pub(crate) struct Counted([u16; 4]);

impl Counted {
    pub(crate) fn new() -> Self {
        LIVE.fetch_add(1, Ordering::SeqCst);
        Self([1, 2, 3, 4])
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Owner for Counted {
    type Item = u16;

    fn as_slice(&self) -> &[u16] {
        &self.0
    }
}

impl OwnerMut for Counted {
    fn as_mut_slice(&mut self) -> &mut [u16] {
        &mut self.0
    }
}

/// A type of a user's own, which says how it becomes a tensor.
impl IntoTensor for Counted {
    type Item = u16;

    fn into_tensor(self) -> PyResult<Tensor> {
        Export::writable(self).shape(&[2, 2]).into_tensor()
    }
}

/// How many owners are there.
#[pyfunction]
fn live() -> usize {
    LIVE.load(Ordering::SeqCst)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(live, module)?)
}
