//! Capsules: making crafted ones, and naming, renaming and looking into anybody's.

use std::ffi::{CStr, CString, c_void};
use std::ptr::{self, NonNull};

use dlferry::abi::{CAPSULE_UNVERSIONED, CAPSULE_VERSIONED};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::foreign::Foreign;
use crate::{Crafted, record};

/// How a crafted capsule is named.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name<'a> {
    /// As its struct demands.
    Right,
    /// With a NULL pointer.
    Null,
    /// With any text.
    Other(&'a str),
}

/// What a crafted capsule's destructor knows.
struct Context {
    tensor: Foreign,
    /// The name at birth; while the capsule bears it, nobody has consumed it.
    unused: Option<&'static CStr>,
    /// Born consumed: nobody is going to delete the tensor.
    born_used: bool,
    counted: bool,
}

/// Makes a new tensor of `recipe` and puts it in a new capsule.
pub(super) fn craft<'py>(
    py: Python<'py>,
    recipe: &Crafted,
    versioned: bool,
    name: Name<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let unused = match name {
        Name::Right if versioned => Some(CAPSULE_VERSIONED),
        Name::Right => Some(CAPSULE_UNVERSIONED),
        Name::Null => None,
        Name::Other(text) => Some(leak_name(text)?),
    };
    let (tensor, address) = if versioned {
        let (managed, _) = recipe.build_versioned();
        (Foreign::Versioned(managed), managed.cast::<c_void>())
    } else {
        let (managed, _) = recipe.build_unversioned();
        (Foreign::Unversioned(managed), managed.cast::<c_void>())
    };
    let born_used = unused.is_some_and(|name| name.to_bytes().starts_with(b"used_"));
    let context = Box::new(Context { tensor, unused, born_used, counted: recipe.has_deleter });
    let name = unused.map_or(ptr::null(), CStr::as_ptr);
    // SAFETY: attached; the pointer is not NULL and the name lives for ever.
    let capsule = unsafe { ffi::PyCapsule_New(address.as_ptr(), name, Some(destroy)) };
    // SAFETY: a new reference, or NULL with an exception set.
    let capsule = unsafe { Bound::from_owned_ptr_or_err(py, capsule) }?;
    // SAFETY: a live capsule; its destructor takes the box back.
    let rc = unsafe { ffi::PyCapsule_SetContext(capsule.as_ptr(), Box::into_raw(context).cast()) };
    if rc == 0 { Ok(capsule) } else { Err(PyErr::fetch(py)) }
}

/// The destructor of crafted capsules: deletes the tensor when the name is still the unused one (rule R2.4).
///
/// Uses only calls that leave a pending exception alone (rule R2.15).
///
/// # Safety
///
/// Called by Python with a capsule of [`craft`].
unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
    // SAFETY: Python passes the dying capsule; its pointer is not NULL, so no exception comes of it.
    let context: *mut Context = unsafe { ffi::PyCapsule_GetContext(capsule) }.cast();
    if context.is_null() {
        return;
    }
    // SAFETY: `craft` leaked this box for the destructor, which runs once.
    let context = unsafe { Box::from_raw(context) };
    // SAFETY: as for the context.
    let name = unsafe { name_of(capsule) };
    if context.born_used {
        if context.counted {
            record::gone();
        }
    } else if name == context.unused {
        // SAFETY: the name says that nobody has taken the tensor, so the capsule still owns it.
        unsafe { context.tensor.delete() };
    }
}

/// The name of a capsule.
///
/// # Safety
///
/// `capsule` is a live capsule, and the name outlives the use of the result.
unsafe fn name_of<'a>(capsule: *mut ffi::PyObject) -> Option<&'a CStr> {
    // SAFETY: the caller says it is a capsule.
    let name = unsafe { ffi::PyCapsule_GetName(capsule) };
    // SAFETY: a capsule's name is NULL or a C string.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })
}

/// Makes a name that lives for ever, as capsules want it (rule R2.1).
pub(super) fn leak_name(text: &str) -> PyResult<&'static CStr> {
    Ok(Box::leak(CString::new(text)?.into_boxed_c_str()))
}

/// Refuses what is not a capsule.
fn check_capsule(object: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: attached, and the object is alive.
    if unsafe { ffi::PyCapsule_CheckExact(object.as_ptr()) } == 0 {
        return Err(PyTypeError::new_err(format!("expected a capsule, found {}", object.get_type().name()?)));
    }
    Ok(())
}

/// The name of a capsule, as text.
pub(super) fn name_text(capsule: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    check_capsule(capsule)?;
    // SAFETY: checked above; the text is copied while the capsule lives.
    Ok(unsafe { name_of(capsule.as_ptr()) }.map(|name| name.to_string_lossy().into_owned()))
}

/// Renames a capsule; `None` is the NULL name.
pub(super) fn set_name(capsule: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<()> {
    check_capsule(capsule)?;
    let name = name.map(leak_name).transpose()?.map_or(ptr::null(), CStr::as_ptr);
    // SAFETY: a live capsule, and a name that lives for ever.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), name) } == 0 {
        Ok(())
    } else {
        Err(PyErr::fetch(capsule.py()))
    }
}

/// Removes a capsule's destructor, as some consumers do once they have taken the tensor (rule R2.8).
pub(super) fn clear_destructor(capsule: &Bound<'_, PyAny>) -> PyResult<()> {
    check_capsule(capsule)?;
    // SAFETY: a live capsule.
    if unsafe { ffi::PyCapsule_SetDestructor(capsule.as_ptr(), None) } == 0 {
        Ok(())
    } else {
        Err(PyErr::fetch(capsule.py()))
    }
}

/// The tensor in an unused capsule.
pub(super) fn peek(capsule: &Bound<'_, PyAny>) -> PyResult<Foreign> {
    check_capsule(capsule)?;
    for name in [CAPSULE_VERSIONED, CAPSULE_UNVERSIONED] {
        // SAFETY: a live capsule.
        if unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) } == 0 {
            continue;
        }
        // SAFETY: a capsule of this very name.
        let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) };
        let Some(pointer) = NonNull::new(pointer) else {
            return Err(PyErr::fetch(capsule.py()));
        };
        return Ok(if name == CAPSULE_VERSIONED {
            Foreign::Versioned(pointer.cast())
        } else {
            Foreign::Unversioned(pointer.cast())
        });
    }
    Err(PyValueError::new_err(format!("not an unused DLPack capsule: its name is {:?}", name_text(capsule)?)))
}

/// Returns the name of a capsule, or `None` for the NULL name.
#[pyfunction]
pub(super) fn capsule_name(capsule: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    name_text(capsule)
}

/// Gives a capsule any name; `None` is the NULL name.
#[pyfunction]
pub(super) fn rename_capsule(capsule: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<()> {
    set_name(capsule, name)
}

/// Returns every field of the struct in an unused capsule, without consuming it.
///
/// `version` and `flags` are `None` for the unversioned struct; `shape` and `strides` are `None` when NULL, or when
/// `ndim` is too large to be followed. The layout is taken to be that of major version 1, whatever `version` says.
#[pyfunction]
pub(super) fn inspect<'py>(capsule: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let tensor = peek(capsule)?;
    // SAFETY: an unused capsule owns its tensor, which is alive as long as the capsule.
    unsafe { tensor.describe(capsule.py()) }
}
