//! Calling anybody's table, member by member, as a consumer does.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use dlferry::abi::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLManagedTensorVersioned, DLPackExchangeAPI,
    DLPackExchangeAPIHeader, DLPackVersion, DLTensor, EXCHANGE_API_ATTRIBUTE, EXCHANGE_API_CAPSULE,
};
use pyo3::exceptions::{PyRuntimeError, PySystemError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::state::MEMBERS;
use crate::python::capsule::{peek, set_name};
use crate::python::foreign::{Foreign, describe_tensor};
use crate::python::held::Held;

/// The first table of a type, of whatever version.
fn header(class: &Bound<'_, PyType>) -> PyResult<NonNull<DLPackExchangeAPIHeader>> {
    let capsule = class.getattr(EXCHANGE_API_ATTRIBUTE.to_string_lossy().as_ref())?;
    // SAFETY: attached, and the object is alive; refuses what is not a capsule of this name.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), EXCHANGE_API_CAPSULE.as_ptr()) };
    NonNull::new(pointer.cast()).ok_or_else(|| PyErr::fetch(class.py()))
}

/// The headers of a type's tables, newest first.
fn headers(class: &Bound<'_, PyType>) -> PyResult<Vec<NonNull<DLPackExchangeAPIHeader>>> {
    let mut found = vec![];
    let mut next = Some(header(class)?);
    while let Some(header) = next {
        found.push(header);
        // SAFETY: a table lives as long as the process, and so do those it links to.
        next = NonNull::new(unsafe { header.read() }.prev_api);
    }
    Ok(found)
}

/// The first table of a type whose major this crate knows.
fn table(class: &Bound<'_, PyType>) -> PyResult<DLPackExchangeAPI> {
    for header in headers(class)? {
        // SAFETY: as in `headers`.
        if unsafe { header.read() }.version.major == DLPackVersion::CURRENT.major {
            // SAFETY: a header of this major begins a table of this layout.
            return Ok(unsafe { header.cast::<DLPackExchangeAPI>().read() });
        }
    }
    Err(PyValueError::new_err("no table of major version 1"))
}

/// The member, or an error that names it.
fn present<F>(member: Option<F>, name: &str) -> PyResult<F> {
    member.ok_or_else(|| PyValueError::new_err(format!("{name} is NULL")))
}

/// Turns a member's result into Python's: -1 with an exception, 0 without one, and nothing else.
fn check(py: Python<'_>, rc: c_int) -> PyResult<()> {
    match (rc, PyErr::take(py)) {
        (0, None) => Ok(()),
        (-1, Some(error)) => Err(error),
        (rc, error) => Err(PySystemError::new_err(format!("the member returned {rc} with exception {error:?}"))),
    }
}

/// Returns a type's table: `version`, `prev_null`, `prev` (versions of older tables) and `members_null`.
///
/// `members_null` is `None` when the major is not 1: nothing after the header may be read then.
#[pyfunction]
pub(super) fn exchange_table<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyDict>> {
    let py = class.py();
    let mut versions = vec![];
    for header in headers(class)? {
        // SAFETY: as in `headers`.
        let version = unsafe { header.read() }.version;
        versions.push((version.major, version.minor));
    }
    let first = header(class)?;
    let (version, prev) = versions.split_first().ok_or_else(|| PySystemError::new_err("no header"))?;
    let fields = PyDict::new(py);
    fields.set_item("version", version)?;
    fields.set_item("prev_null", prev.is_empty())?;
    fields.set_item("prev", prev)?;
    if version.0 != DLPackVersion::CURRENT.major {
        fields.set_item("members_null", py.None())?;
        return Ok(fields);
    }
    // SAFETY: a header of this major begins a table of this layout.
    let table = unsafe { first.cast::<DLPackExchangeAPI>().read() };
    let null = [
        table.managed_tensor_allocator.is_none(),
        table.managed_tensor_from_py_object_no_sync.is_none(),
        table.managed_tensor_to_py_object_no_sync.is_none(),
        table.dltensor_from_py_object_no_sync.is_none(),
        table.current_work_stream.is_none(),
    ];
    let members = PyDict::new(py);
    for ((_, name), null) in MEMBERS.iter().zip(null) {
        members.set_item(name, null)?;
    }
    fields.set_item("members_null", members)?;
    Ok(fields)
}

/// Exports an object through `managed_tensor_from_py_object_no_sync` of its type.
///
/// `check_version=False` takes the first table whatever its version, as careless consumers do; only for tables whose
/// layout is known.
#[pyfunction]
#[pyo3(signature = (object, *, check_version=true))]
pub(super) fn exchange_from(object: &Bound<'_, PyAny>, check_version: bool) -> PyResult<Held> {
    let class = object.get_type();
    let table = if check_version {
        table(&class)?
    } else {
        // SAFETY: the caller of this Python function says that the first table has this layout.
        unsafe { header(&class)?.cast::<DLPackExchangeAPI>().read() }
    };
    let export = present(table.managed_tensor_from_py_object_no_sync, "managed_tensor_from_py_object_no_sync")?;
    let mut out: *mut DLManagedTensorVersioned = ptr::null_mut();
    // SAFETY: attached, a live object of the table's type, and a place for the pointer.
    let rc = unsafe { export(object.as_ptr().cast(), &raw mut out) };
    check(object.py(), rc)?;
    hold(out)
}

/// Borrows an object through `dltensor_from_py_object_no_sync` of its type; returns the fields.
#[pyfunction]
pub(super) fn exchange_borrow<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = object.py();
    let table = table(&object.get_type())?;
    let lend = present(table.dltensor_from_py_object_no_sync, "dltensor_from_py_object_no_sync")?;
    let mut out = MaybeUninit::<DLTensor>::zeroed();
    // SAFETY: attached, a live object of the table's type, and a place for the tensor.
    let rc = unsafe { lend(object.as_ptr().cast(), out.as_mut_ptr()) };
    check(py, rc)?;
    // SAFETY: zeros are a tensor, whatever the member wrote.
    let tensor = unsafe { out.assume_init() };
    // SAFETY: the member just filled it, and no other code has run since.
    unsafe { describe_tensor(py, &tensor) }
}

/// Consumes an unused versioned capsule and hands its tensor to `managed_tensor_to_py_object_no_sync`.
///
/// When the member fails, nothing more is done with the tensor: the test sees who deleted it.
#[pyfunction]
pub(super) fn exchange_to<'py>(class: &Bound<'py, PyType>, capsule: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let table = table(class)?;
    let import = present(table.managed_tensor_to_py_object_no_sync, "managed_tensor_to_py_object_no_sync")?;
    let Foreign::Versioned(managed) = peek(capsule)? else {
        return Err(PyValueError::new_err("the table takes versioned tensors only"));
    };
    set_name(capsule, Some("used_dltensor_versioned"))?;
    let mut out: *mut c_void = ptr::null_mut();
    // SAFETY: attached, a tensor that the capsule gave up, and a place for the pointer.
    let rc = unsafe { import(managed.as_ptr(), &raw mut out) };
    check(py, rc)?;
    // SAFETY: a new reference, or NULL, which becomes an error.
    unsafe { Bound::from_owned_ptr_or_opt(py, out.cast()) }
        .ok_or_else(|| PySystemError::new_err("the member returned 0 and no object"))
}

/// What a consumer's `SetError` heard.
#[derive(Default)]
struct Heard(Vec<(String, String)>);

/// # Safety
///
/// `error_ctx` is a [`Heard`], and the others are C strings.
unsafe extern "C" fn set_error(error_ctx: *mut c_void, kind: *const c_char, message: *const c_char) {
    // SAFETY: the allocator passes the context that it was given.
    let heard = unsafe { &mut *error_ctx.cast::<Heard>() };
    // SAFETY: the allocator passes a C string.
    let kind = unsafe { CStr::from_ptr(kind) }.to_string_lossy().into_owned();
    // SAFETY: the allocator passes a C string.
    let message = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    heard.0.push((kind, message));
}

/// What crosses into a detached call.
struct Request {
    prototype: DLTensor,
    out: *mut DLManagedTensorVersioned,
    heard: Heard,
}

// SAFETY: used on the calling thread only; detaching does not move it to another.
unsafe impl Send for Request {}

/// Asks a type's `managed_tensor_allocator` for an empty tensor.
///
/// `detached=True` calls it without being attached, which must work. A failure is `RuntimeError(kind, message)`; a
/// failure told not exactly once is a `SystemError`.
#[pyfunction]
#[pyo3(signature = (class, shape, dtype, device=(1, 0), *, detached=false))]
pub(super) fn exchange_allocate(
    class: &Bound<'_, PyType>,
    mut shape: Vec<i64>,
    dtype: (u8, u8, u16),
    device: (i32, i32),
    detached: bool,
) -> PyResult<Held> {
    let allocate = present(table(class)?.managed_tensor_allocator, "managed_tensor_allocator")?;
    let mut request = Request {
        prototype: DLTensor {
            data: ptr::null_mut(),
            device: DLDevice { device_type: DLDeviceType(device.0), device_id: device.1 },
            ndim: i32::try_from(shape.len())?,
            dtype: DLDataType { code: DLDataTypeCode(dtype.0), bits: dtype.1, lanes: dtype.2 },
            shape: shape.as_mut_ptr(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        },
        out: ptr::null_mut(),
        heard: Heard::default(),
    };
    let call = |request: &mut Request| {
        let heard: *mut Heard = &raw mut request.heard;
        // SAFETY: a live prototype, a place for the pointer, and a context that `set_error` knows.
        unsafe { allocate(&raw mut request.prototype, &raw mut request.out, heard.cast(), Some(set_error)) }
    };
    let rc = if detached { class.py().detach(|| call(&mut request)) } else { call(&mut request) };
    match (rc, request.heard.0.as_slice()) {
        (0, []) => hold(request.out),
        (-1, [(kind, message)]) => Err(PyRuntimeError::new_err((kind.clone(), message.clone()))),
        (rc, told) => Err(PySystemError::new_err(format!("the allocator returned {rc} and told {told:?}"))),
    }
}

/// Asks a type's `current_work_stream`; `None` is the NULL stream.
#[pyfunction]
pub(super) fn exchange_stream(class: &Bound<'_, PyType>, device_type: i32, device_id: i32) -> PyResult<Option<usize>> {
    let stream = present(table(class)?.current_work_stream, "current_work_stream")?;
    let mut out: *mut c_void = ptr::null_mut();
    // SAFETY: attached, and a place for the pointer.
    let rc = unsafe { stream(DLDeviceType(device_type), device_id, &raw mut out) };
    check(class.py(), rc)?;
    Ok((!out.is_null()).then(|| out.addr()))
}

/// Owns what a member made.
fn hold(managed: *mut DLManagedTensorVersioned) -> PyResult<Held> {
    let managed = NonNull::new(managed).ok_or_else(|| PySystemError::new_err("the member returned 0 and no tensor"))?;
    // SAFETY: the member succeeded, so the tensor is alive and the caller's.
    Ok(unsafe { Held::own(Foreign::Versioned(managed)) })
}
