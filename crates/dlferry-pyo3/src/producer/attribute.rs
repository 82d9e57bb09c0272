//! What the methods call that [`producer`](macro@crate::producer) adds to a class. Not meant to be called by hand.

#[cfg(feature = "buffer")]
use core::ffi::c_int;

use pyo3::PyClass;
#[cfg(feature = "buffer")]
use pyo3::ffi::Py_buffer;

#[cfg(feature = "buffer")]
use crate::buffer;
use crate::device;
use crate::exchange;

pub use core::option::Option;
pub use pyo3::types::PyTuple;
pub use pyo3::{Bound, Py, PyAny, PyResult, Python};
#[cfg(feature = "buffer")]
pub use {core::ffi::c_int as int, pyo3::ffi::Py_buffer as Buffer};

pub use crate::tensor::Tensor;

/// A class with the attribute.
///
/// Implemented by the attribute, at the one place at which a class that is no producer is told so.
pub trait Attributed: PyClass {
    /// Asks the class for its tensor.
    ///
    /// # Errors
    ///
    /// What the class raises.
    fn export(slf: &Bound<'_, Self>) -> PyResult<Tensor>;
}

/// Answers `__dlpack__`.
///
/// # Errors
///
/// What the class raises; `BufferError` if the tensor cannot be exchanged as asked, `TypeError` and `ValueError` for
/// malformed arguments.
pub fn dlpack<'py, P: Attributed>(
    slf: &Bound<'py, P>,
    stream: Option<&Bound<'py, PyAny>>,
    max_version: Option<&Bound<'py, PyAny>>,
    dl_device: Option<&Bound<'py, PyAny>>,
    copy: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    P::export(slf)?.to_capsule(slf.py(), stream, max_version, dl_device, copy)
}

/// Answers `__dlpack_device__`.
///
/// # Errors
///
/// What the class raises.
pub fn dlpack_device<'py, P: Attributed>(slf: &Bound<'py, P>) -> PyResult<Bound<'py, PyTuple>> {
    device::to_pair(slf.py(), P::export(slf)?.shared().descriptor().device())
}

/// The value of `__dlpack_c_exchange_api__`.
///
/// # Errors
///
/// `MemoryError`.
pub fn exchange_api<P: Attributed>(py: Python<'_>) -> PyResult<Py<PyAny>> {
    exchange::export::capsule::<P>(py).map(Bound::unbind)
}

/// Answers `__getbuffer__`.
///
/// # Errors
///
/// What the class raises; `BufferError` when the tensor is not as the flags want it, or has no place in the buffer
/// protocol.
///
/// # Safety
///
/// Called by CPython, which passes the structure to fill.
#[cfg(feature = "buffer")]
pub unsafe fn get_buffer<P: Attributed>(slf: &Bound<'_, P>, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
    let tensor = P::export(slf)?;
    // SAFETY: vouched for by the caller.
    unsafe { buffer::export::fill(slf.as_any(), &tensor, view, flags) }
}

/// Answers `__releasebuffer__`.
///
/// # Safety
///
/// Called by CPython, once for each view that [`get_buffer`] filled.
#[cfg(feature = "buffer")]
pub unsafe fn release_buffer(py: Python<'_>, view: *mut Py_buffer) {
    // SAFETY: vouched for by the caller.
    unsafe { buffer::export::release(py, view) }
}
