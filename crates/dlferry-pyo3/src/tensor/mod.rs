//! `dlferry.Tensor`: a tensor that Python holds.

mod again;
mod bytes;
mod class;
mod copies;
mod fits;
pub(crate) mod hand_on;
#[cfg(not(feature = "abi3"))]
mod immortal;
mod index;
#[cfg(not(feature = "abi3"))]
mod method;
mod number;
mod pickle;
mod repr;
mod retype;
#[cfg(not(feature = "abi3"))]
mod reuse;
mod shape;
mod values;

use std::sync::OnceLock;

use dlferry::managed::{Descriptor, SharedTensor};
use pyo3::prelude::*;

use crate::protocol::export::{Asked, export};
use crate::result::IntoTensor;

pub use class::Tensor;
pub use copies::copyto;
pub(crate) use retype::view as view_as;

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
    /// `__array_interface__` or `__cuda_array_interface__`.
    ArrayInterface,
    /// The structure of a NumPy array, also of a derived class that has no `__dlpack__` of its own.
    NumPy,
    /// An address that somebody vouched for.
    Address,
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
            Self::ArrayInterface => "array-interface",
            Self::NumPy => "numpy",
            Self::Address => "address",
            Self::Rust => "rust",
        }
    }
}

/// What an import gives: a tensor, or at once the Python object of one. The object is made of the parts where they are in
/// registers; a tensor that is first written and then moved takes longer than many a check.
pub(crate) trait Made<'py>: Sized {
    /// The result of an import.
    fn made(py: Python<'py>, shared: SharedTensor, source: Source, owner: Option<Py<PyAny>>) -> PyResult<Self>;
}

impl<'py> Made<'py> for Tensor {
    #[inline]
    fn made(_py: Python<'py>, shared: SharedTensor, source: Source, owner: Option<Py<PyAny>>) -> PyResult<Self> {
        Ok(Self { shared, source, owner, shown: OnceLock::new() })
    }
}

impl<'py> Made<'py> for Bound<'py, Tensor> {
    #[inline(never)]
    fn made(py: Python<'py>, shared: SharedTensor, source: Source, owner: Option<Py<PyAny>>) -> PyResult<Self> {
        Tensor { shared, source, owner, shown: OnceLock::new() }.into_object(py)
    }
}

impl Tensor {
    /// A tensor for Python.
    ///
    /// `owner` is the object that it was taken from; the tensor keeps it, so that it can be asked again.
    #[must_use]
    pub fn new(shared: SharedTensor, source: Source, owner: Option<Py<PyAny>>) -> Self {
        Self { shared, source, owner, shown: OnceLock::new() }
    }

    /// Makes a tensor of data that Rust owns.
    ///
    /// # Errors
    ///
    /// `ValueError` for a shape that does not fit the data, `MemoryError`.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use dlferry_pyo3::Tensor;
    /// use pyo3::prelude::*;
    ///
    /// /// A new picture, black.
    /// #[pyfunction]
    /// fn black(height: usize, width: usize) -> PyResult<Tensor> {
    ///     Tensor::of((vec![0_u8; height * width * 3], [height, width, 3]))
    /// }
    /// ```
    pub fn of(data: impl IntoTensor) -> PyResult<Self> {
        data.into_tensor()
    }

    /// The same tensor once more; the memory is shared.
    #[must_use]
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        let owner = self.owner.as_ref().map(|owner| owner.clone_ref(py));
        Self { shared: self.shared.clone(), source: self.source, owner, shown: OnceLock::new() }
    }

    /// What `__dlpack__` answers to its four keywords.
    pub(crate) fn to_capsule<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked = Asked::new(stream, max_version, dl_device, copy)?;
        match asked.other_stream(self.shared.descriptor().device().device_type)? {
            None => export(py, &self.shared, &asked),
            Some(stream) => export(py, &again::on_stream(py, self, stream)?, &asked),
        }
    }

    /// What the tensor is: address, shape, strides, dtype, device, flags.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        self.shared.descriptor()
    }

    /// The tensor of the core crate, which may leave the interpreter.
    ///
    /// # Safety
    ///
    /// While a view of it is looked at, nobody writes the memory (assumption P2 of `SAFETY.md`). No
    /// [`ViewMut`](crate::ViewMut) sees that it is looked at; of what [`Self::typed`] gives, all do.
    #[must_use]
    pub unsafe fn to_shared(&self) -> SharedTensor {
        self.shared.clone()
    }

    #[must_use]
    pub(crate) fn shared(&self) -> &SharedTensor {
        &self.shared
    }

    /// Prepares the class for tensors, as the first tensor does; best on the thread that has made the class.
    #[doc(hidden)]
    #[cfg_attr(feature = "abi3", allow(unused_variables, reason = "the stable interface has no way to do it"))]
    pub fn prepare(py: Python<'_>) {
        #[cfg(not(feature = "abi3"))]
        reuse::install(py);
    }

    /// The tensor as an object.
    #[inline]
    pub(crate) fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, Self>> {
        #[cfg(not(feature = "abi3"))]
        reuse::install(py);
        Bound::new(py, self)
    }

    /// The tensor by itself.
    #[must_use]
    pub(crate) fn into_shared(self) -> SharedTensor {
        self.shared
    }

    /// Which way it came in.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// The same tensor, of which nobody can tell whether it was copied on its way.
    #[must_use]
    pub(crate) fn of_unknown_origin(self) -> Self {
        let mut descriptor = self.shared.descriptor().clone();
        if descriptor.copied() != Some(true) {
            descriptor.set_copied(None);
        }
        // SAFETY: the same elements.
        let shared = unsafe { self.shared.with_descriptor(descriptor) };
        Self { shared, ..self }
    }
}

impl From<dlferry::managed::Tensor> for Tensor {
    fn from(tensor: dlferry::managed::Tensor) -> Self {
        Self::new(tensor.into_shared(), Source::Rust, None)
    }
}
