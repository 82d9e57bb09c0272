use core::ffi::CStr;
use core::ptr::NonNull;

use dlferry::abi::{CAPSULE_UNVERSIONED, CAPSULE_VERSIONED, DLManagedTensor, DLManagedTensorVersioned};
use dlferry::export::ExportError;
use dlferry::managed::{Handle, ManagedStruct, SharedTensor, Tensor};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::error::{IntoPyErr, with_exception_aside};
use crate::trace::{self, Consumer};

/// A managed struct that goes into a capsule under a name of its own.
trait InCapsule: ManagedStruct {
    const NAME: &'static CStr;

    /// # Safety
    ///
    /// Conditions 1 and 4 of `dlferry::managed`.
    unsafe fn own(managed: NonNull<Self>) -> Handle;
}

impl InCapsule for DLManagedTensor {
    const NAME: &'static CStr = CAPSULE_UNVERSIONED;

    unsafe fn own(managed: NonNull<Self>) -> Handle {
        // SAFETY: vouched for by the caller.
        unsafe { Handle::unversioned(managed) }
    }
}

impl InCapsule for DLManagedTensorVersioned {
    const NAME: &'static CStr = CAPSULE_VERSIONED;

    unsafe fn own(managed: NonNull<Self>) -> Handle {
        // SAFETY: vouched for by the caller.
        unsafe { Handle::versioned(managed) }
    }
}

/// Puts a tensor into a new capsule: a versioned struct, or the unversioned one for old consumers.
///
/// # Errors
///
/// `BufferError` when an unversioned struct cannot say what it must (read-only, padded); `MemoryError`.
pub fn capsule<'py>(py: Python<'py>, tensor: &SharedTensor, versioned: bool) -> PyResult<Bound<'py, PyAny>> {
    if let Some(traced) = trace::traced(py, tensor, Consumer::Capsule) {
        return wrap_unique(py, traced, versioned);
    }
    if versioned {
        wrap::<DLManagedTensorVersioned>(py, tensor.to_managed())
    } else {
        wrap::<DLManagedTensor>(py, tensor.to_managed())
    }
}

/// Like [`capsule`], for a tensor that nobody else shares; a copied flag is kept.
///
/// # Errors
///
/// As [`capsule`].
pub fn capsule_of_unique(py: Python<'_>, tensor: Tensor, versioned: bool) -> PyResult<Bound<'_, PyAny>> {
    wrap_unique(py, trace::traced_unique(py, tensor, Consumer::Capsule)?, versioned)
}

fn wrap_unique(py: Python<'_>, tensor: Tensor, versioned: bool) -> PyResult<Bound<'_, PyAny>> {
    if versioned {
        wrap::<DLManagedTensorVersioned>(py, tensor.into_managed())
    } else {
        wrap::<DLManagedTensor>(py, tensor.into_managed())
    }
}

fn wrap<S: InCapsule>(py: Python<'_>, exported: Result<NonNull<S>, ExportError>) -> PyResult<Bound<'_, PyAny>> {
    let managed = exported.map_err(IntoPyErr::into_py_err)?;
    // SAFETY: attached (`py`); the name is static, as a capsule needs.
    let capsule = unsafe { ffi::PyCapsule_New(managed.as_ptr().cast(), S::NAME.as_ptr(), Some(destructor::<S>)) };
    if capsule.is_null() {
        // SAFETY: just exported, and the capsule that would have owned it does not exist.
        drop(unsafe { S::own(managed) });
    }
    // SAFETY: a new reference, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }
}

/// Frees the tensor of a capsule that nobody took: one that still has its first name, whatever other names consumers
/// give to those they took (rule R2.4).
///
/// # Safety
///
/// Called by CPython when it frees a capsule that [`wrap`] made.
unsafe extern "C" fn destructor<S: InCapsule>(capsule: *mut ffi::PyObject) {
    // SAFETY: CPython passes the capsule; the call raises nothing.
    if unsafe { ffi::PyCapsule_IsValid(capsule, S::NAME.as_ptr()) } == 0 {
        return;
    }
    // SAFETY: valid under this name, so this neither fails nor raises.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule, S::NAME.as_ptr()) };
    let Some(managed) = NonNull::new(pointer.cast::<S>()) else {
        return;
    };
    // SAFETY: the capsule held the tensor that `wrap` put there and nobody took.
    let handle = unsafe { S::own(managed) };
    // SAFETY: CPython frees objects on attached threads only.
    let py = unsafe { Python::assume_attached() };
    with_exception_aside(py, || drop(handle));
}
