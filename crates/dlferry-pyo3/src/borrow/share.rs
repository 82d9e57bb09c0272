//! One registry for all modules: found in the interpreter's dictionary, or put there.

use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::registry::{Registry, VERSION};
use crate::once::interned;
use crate::python::RUNS_THREADS_AT_ONCE;

/// The key in the interpreter's dictionary, and the name of the capsule that is there.
const KEY: &CStr = c"dlferry.borrow.v2";

/// The registry that this module has found, which is never another.
static FOUND: AtomicPtr<Registry> = AtomicPtr::new(ptr::null_mut());

/// The registry of this process.
///
/// # Errors
///
/// `SystemError` when something else stands in its place, and what the interpreter raises.
#[inline]
pub(super) fn registry(py: Python<'_>) -> PyResult<&'static Registry> {
    // SAFETY: a registry that is never freed, or NULL.
    match unsafe { FOUND.load(Ordering::Acquire).as_ref() } {
        Some(registry) => Ok(registry),
        None => find(py),
    }
}

#[cold]
fn find(py: Python<'_>) -> PyResult<&'static Registry> {
    // SAFETY: attached.
    let interpreter = unsafe { ffi::PyInterpreterState_Get() };
    // SAFETY: attached; the interpreter of this thread.
    let dict = unsafe { ffi::PyInterpreterState_GetDict(interpreter) };
    // SAFETY: attached; a borrowed reference, or NULL without an exception.
    let dict = unsafe { Bound::from_borrowed_ptr_or_opt(py, dict) };
    let dict = dict.ok_or_else(|| PySystemError::new_err("the interpreter has no dictionary for extensions"))?;
    let dict = dict.cast_into::<PyDict>()?;
    let key = KEY.to_string_lossy();
    let capsule = match dict.get_item(&key)? {
        Some(capsule) => capsule,
        // Another thread may have been faster, and its registry is then the one.
        None => dict.as_any().call_method1(interned!(py, "setdefault"), (&key, new_capsule(py)?))?,
    };
    // SAFETY: attached; another object than a capsule of this name is answered with NULL and an exception.
    let registry = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), KEY.as_ptr()) };
    if registry.is_null() {
        return Err(PyErr::fetch(py));
    }
    let registry = registry.cast::<Registry>();
    // SAFETY: the name says what it is and that it lives as long as the process (assumption P4).
    let found = unsafe { &*registry };
    if found.version != VERSION || found.size < size_of::<Registry>() {
        return Err(PySystemError::new_err("the registry of borrowed memory is of a version that is not known here"));
    }
    FOUND.store(registry, Ordering::Release);
    Ok(found)
}

/// A capsule around a new registry, which is never freed: views may outlive the capsule.
fn new_capsule(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let registry = Box::into_raw(Box::new(Registry::new(RUNS_THREADS_AT_ONCE)));
    // SAFETY: attached; the name is static; nothing is to be freed.
    let capsule = unsafe { ffi::PyCapsule_New(registry.cast(), KEY.as_ptr(), None) };
    // SAFETY: a new reference, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }
}
