use core::ffi::CStr;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use dlferry::abi::{
    CAPSULE_UNVERSIONED, CAPSULE_UNVERSIONED_USED, CAPSULE_VERSIONED, CAPSULE_VERSIONED_USED, DLManagedTensor,
    DLManagedTensorVersioned,
};
use dlferry::managed::{DescribeError, Handle, Tensor as Managed};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;

use crate::error::IntoPyErr;

/// Whether an object is a capsule, of whatever name.
pub(crate) fn is_capsule(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: attached, and `object` is alive.
    unsafe { ffi::PyCapsule_CheckExact(object.as_ptr()) != 0 }
}

/// Takes over the tensor of a capsule, which must not have been taken before.
///
/// All checks come first. When one fails the capsule is as it was, and frees its tensor when it is dropped.
///
/// # Errors
///
/// `TypeError` when the object is no capsule or one of another kind; `BufferError` when it was taken before or its
/// tensor is refused.
#[inline]
pub(crate) fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Managed> {
    if !is_capsule(capsule) {
        let found = capsule.get_type().name()?;
        return Err(PyTypeError::new_err(format!("wanted a DLPack capsule, found an object of type {found}")));
    }
    // Two threads of a free-threaded interpreter must not both see the first name.
    with_critical_section(capsule, || take_locked(capsule))
}

#[inline]
fn take_locked(capsule: &Bound<'_, PyAny>) -> PyResult<Managed> {
    // SAFETY: attached; a capsule (checked by `take`).
    let name = unsafe { ffi::PyCapsule_GetName(capsule.as_ptr()) };
    if name.is_null() {
        drop(PyErr::take(capsule.py()));
        return Err(PyTypeError::new_err("wanted a DLPack capsule, found one without a name"));
    }
    // SAFETY: a capsule's name is a C string that outlives it.
    let name = unsafe { CStr::from_ptr(name) };
    if name == CAPSULE_VERSIONED {
        let managed = pointer::<DLManagedTensorVersioned>(capsule, name)?;
        // SAFETY: the name says what the pointer is (assumption P1). The capsule still owns it, which `settled` minds.
        let handle = unsafe { Handle::versioned(managed) };
        // SAFETY: as above.
        settled(capsule, unsafe { Managed::try_from_handle(managed, handle) }, CAPSULE_VERSIONED_USED)
    } else if name == CAPSULE_UNVERSIONED {
        let managed = pointer::<DLManagedTensor>(capsule, name)?;
        // SAFETY: the name says what the pointer is (assumption P1). The capsule still owns it, which `settled` minds.
        let handle = unsafe { Handle::unversioned(managed) };
        // SAFETY: as above.
        settled(capsule, unsafe { Managed::try_from_handle(managed, handle) }, CAPSULE_UNVERSIONED_USED)
    } else {
        Err(refuse(name))
    }
}

/// Makes the capsule let go of a tensor that was described, or keep the one that was not.
fn settled(
    capsule: &Bound<'_, PyAny>,
    described: Result<Managed, (DescribeError, Handle)>,
    used: &'static CStr,
) -> PyResult<Managed> {
    match described {
        Ok(tensor) => match rename(capsule, used) {
            Ok(()) => Ok(tensor),
            Err(error) => {
                // The capsule will call the deleter.
                let _not_ours = ManuallyDrop::new(tensor.into_parts().0);
                Err(error)
            }
        },
        Err((error, handle)) => {
            let _not_ours = ManuallyDrop::new(handle);
            Err(error.into_py_err())
        }
    }
}

/// The pointer of a capsule that has this name.
pub(super) fn pointer<S>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<S>> {
    // SAFETY: attached; a capsule (checked by `take`).
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) };
    NonNull::new(pointer.cast()).ok_or_else(|| PyErr::fetch(capsule.py()))
}

fn rename(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<()> {
    // SAFETY: attached; a capsule; the name is static, as a capsule needs.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), name.as_ptr()) } == 0 {
        Ok(())
    } else {
        Err(PyErr::fetch(capsule.py()))
    }
}

/// Says what is wrong with a capsule that has neither of the first names.
fn refuse(name: &CStr) -> PyErr {
    if name == CAPSULE_UNVERSIONED_USED || name == CAPSULE_VERSIONED_USED {
        return PyBufferError::new_err(
            "the DLPack capsule was consumed before; each capsule can be taken once, so ask the producer for another",
        );
    }
    PyTypeError::new_err(format!(
        "wanted a DLPack capsule, named \"dltensor\" or \"dltensor_versioned\", found one named {name:?}"
    ))
}
