use core::ffi::CStr;
use core::ptr::NonNull;

use dlferry::abi::{CAPSULE_UNVERSIONED, CAPSULE_VERSIONED, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion};
use dlferry::managed::{DescribeError, Descriptor, describe};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;

use super::import::{is_capsule, pointer};

/// What a capsule says about itself while it keeps its tensor.
#[derive(Debug)]
pub struct Look {
    /// Its name; `None` for one without.
    pub name: Option<String>,
    /// What the name promises; `None` for names of other things, and of tensors that were taken and may be gone.
    pub tensor: Option<Told>,
}

/// What the managed tensor of a capsule says.
#[derive(Debug)]
pub struct Told {
    /// The version of the struct, and its flags when the version says where they are; `None` for the unversioned one.
    pub versioned: Option<(DLPackVersion, u64)>,
    /// Whether there is a deleter.
    pub has_deleter: bool,
    /// What it is, or why it would be refused.
    pub descriptor: Result<Descriptor, DescribeError>,
}

/// Reads what a capsule says, without taking its tensor.
///
/// # Errors
///
/// `TypeError` when the object is no capsule.
pub fn look(capsule: &Bound<'_, PyAny>) -> PyResult<Look> {
    if !is_capsule(capsule) {
        let found = capsule.get_type().name()?;
        return Err(PyTypeError::new_err(format!("wanted a capsule, found an object of type {found}")));
    }
    // Nobody takes the tensor meanwhile.
    with_critical_section(capsule, || look_locked(capsule))
}

fn look_locked(capsule: &Bound<'_, PyAny>) -> PyResult<Look> {
    // SAFETY: attached; a capsule (checked by `look`).
    let name = unsafe { ffi::PyCapsule_GetName(capsule.as_ptr()) };
    if name.is_null() {
        drop(PyErr::take(capsule.py()));
        return Ok(Look { name: None, tensor: None });
    }
    // SAFETY: a capsule's name is a C string that outlives it.
    let name = unsafe { CStr::from_ptr(name) };
    let tensor = if name == CAPSULE_VERSIONED {
        let managed = pointer::<DLManagedTensorVersioned>(capsule, name)?;
        // SAFETY: the name says what the pointer is (assumption P1), and the capsule owns it.
        Some(unsafe { told_versioned(managed) })
    } else if name == CAPSULE_UNVERSIONED {
        let managed = pointer::<DLManagedTensor>(capsule, name)?;
        // SAFETY: as above.
        Some(unsafe { told_unversioned(managed) })
    } else {
        None
    };
    Ok(Look { name: Some(name.to_string_lossy().into_owned()), tensor })
}

/// # Safety
///
/// Conditions 1 and 2 of `dlferry::managed`.
unsafe fn told_versioned(managed: NonNull<DLManagedTensorVersioned>) -> Told {
    // SAFETY: vouched for by the caller; all these have their place in every version (rule R1.4).
    let version = unsafe { (*managed.as_ptr()).version };
    // SAFETY: as above.
    let flags = unsafe { (*managed.as_ptr()).flags };
    // SAFETY: as above.
    let deleter = unsafe { (*managed.as_ptr()).deleter };
    // SAFETY: vouched for by the caller.
    let descriptor = unsafe { describe(managed) };
    Told { versioned: Some((version, flags)), has_deleter: deleter.is_some(), descriptor }
}

/// # Safety
///
/// Conditions 1 and 2 of `dlferry::managed`.
unsafe fn told_unversioned(managed: NonNull<DLManagedTensor>) -> Told {
    // SAFETY: vouched for by the caller.
    let deleter = unsafe { (*managed.as_ptr()).deleter };
    // SAFETY: vouched for by the caller.
    let descriptor = unsafe { describe(managed) };
    Told { versioned: None, has_deleter: deleter.is_some(), descriptor }
}
