//! `dlferry.Tensor`: a tensor that Python holds.

mod again;
mod class;
mod repr;
mod values;

use dlferry::element::Element;
use dlferry::managed::SharedTensor;
use dlferry::view::TypedView;
use pyo3::prelude::*;

use crate::error::IntoPyErr;

pub use class::Tensor;

/// Which way a tensor came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The C exchange API.
    Exchange,
    /// `__dlpack__`, or a capsule, of the versioned kind.
    DLPack,
    /// `__dlpack__`, or a capsule, of the unversioned kind.
    DLPackUnversioned,
    /// The buffer protocol.
    Buffer,
    /// Made in Rust.
    Rust,
}

impl Source {
    /// The name that Python sees.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exchange => "exchange",
            Self::DLPack => "dlpack",
            Self::DLPackUnversioned => "dlpack-unversioned",
            Self::Buffer => "buffer",
            Self::Rust => "rust",
        }
    }
}

impl Tensor {
    /// A tensor for Python.
    ///
    /// `owner` is the object that it was taken from; the tensor keeps it, so that it can be asked again.
    #[must_use]
    pub fn new(shared: SharedTensor, source: Source, owner: Option<Py<PyAny>>) -> Self {
        Self { shared, source, owner }
    }

    /// The tensor.
    #[must_use]
    pub fn shared(&self) -> &SharedTensor {
        &self.shared
    }

    /// Which way it came in.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// Its elements, as values of a Rust type.
    ///
    /// # Errors
    ///
    /// `TypeError` when the elements are of another type, `BufferError` when the host cannot read them.
    pub fn typed<T: Element>(&self) -> PyResult<TypedView<'_, T>> {
        self.shared.view().typed().map_err(IntoPyErr::into_py_err)
    }
}

impl From<dlferry::managed::Tensor> for Tensor {
    fn from(tensor: dlferry::managed::Tensor) -> Self {
        Self::new(tensor.into_shared(), Source::Rust, None)
    }
}
