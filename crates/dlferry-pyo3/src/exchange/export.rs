//! The exchange tables of [`Tensor`] and of every [`Producer`](crate::Producer): C functions over the same paths that Python takes.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::ManuallyDrop;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::ffi::CString;

use dlferry::abi::{
    DLDeviceType, DLManagedTensorVersioned, DLPackDLTensorFromPyObjectNoSync, DLPackExchangeAPI,
    DLPackExchangeAPIHeader, DLPackSetError, DLPackVersion, DLTensor, EXCHANGE_API_CAPSULE,
};
use dlferry::managed::{Handle, Tensor as Managed, describe, describe_prototype};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::error::{IntoPyErr, panicked};
use crate::producer::Exporter;
use crate::producer::attribute::Attributed;
use crate::tensor::{Source, Tensor};
use crate::trace::{self, Consumer};

/// A table: never written, and valid as long as the process.
pub(crate) struct Shared(pub(crate) DLPackExchangeAPI);

// SAFETY: the table is never written, and its pointer is NULL.
unsafe impl Sync for Shared {}

/// A class that has a table, which lives as long as the process, as consumers that keep its address rely on.
pub(crate) trait HasTable: Exporter {
    const TABLE: &'static Shared;
}

impl HasTable for Tensor {
    const TABLE: &'static Shared = &table::<Self>(Some(borrow_from_object));
}

impl<P: Attributed> HasTable for P {
    // Nothing is lent: the tensor that a producer answers with is not kept by the object, and what is lent would be.
    const TABLE: &'static Shared = &table::<P>(None);
}

const fn table<E: Exporter>(lend: Option<DLPackDLTensorFromPyObjectNoSync>) -> Shared {
    Shared(DLPackExchangeAPI {
        header: DLPackExchangeAPIHeader { version: DLPackVersion::CURRENT, prev_api: core::ptr::null_mut() },
        managed_tensor_allocator: Some(allocate),
        managed_tensor_from_py_object_no_sync: Some(from_object::<E>),
        managed_tensor_to_py_object_no_sync: Some(to_object),
        dltensor_from_py_object_no_sync: lend,
        current_work_stream: Some(current_work_stream),
    })
}

/// A new capsule around the table of a class.
pub(crate) fn capsule<E: HasTable>(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    capsule_of(py, E::TABLE)
}

/// A new capsule around a table.
pub(crate) fn capsule_of<'py>(py: Python<'py>, table: &'static Shared) -> PyResult<Bound<'py, PyAny>> {
    let table = (&raw const table.0).cast_mut().cast::<c_void>();
    // SAFETY: attached; table and name are static; nothing is to be freed. The header's interface wants a pointer to
    // mutable memory, and no consumer may write to it.
    let capsule = unsafe { ffi::PyCapsule_New(table, EXCHANGE_API_CAPSULE.as_ptr(), None) };
    // SAFETY: a new reference, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }
}

/// Runs a callback: its error, or a panic, becomes the pending exception and -1.
pub(crate) fn answer(action: impl FnOnce(Python<'_>) -> PyResult<()>) -> c_int {
    // SAFETY: all functions of the table but the allocator are called attached (rule E7).
    let py = unsafe { Python::assume_attached() };
    match std::panic::catch_unwind(AssertUnwindSafe(|| action(py))).unwrap_or_else(|_| Err(panicked())) {
        Ok(()) => 0,
        Err(error) => {
            restore(py, error);
            -1
        }
    }
}

/// Makes an error the pending exception.
///
/// The caller is attached, but pyo3 does not know of it and would put off giving references back until this module is
/// next called from Python, which may be never. So it is told, unless the interpreter is about to go.
fn restore(py: Python<'_>, error: PyErr) {
    let mut error = Some(error);
    let _told = Python::try_attach(|py| error.take().map(|error| error.restore(py)));
    if let Some(error) = error {
        error.restore(py);
    }
}

/// The object of a class that a C pointer to a Python object stands for.
///
/// # Safety
///
/// `object` is a borrowed reference to a Python object, for `'a`.
unsafe fn exporter<'a, 'py, E: Exporter>(py: Python<'py>, object: &'a *mut c_void) -> PyResult<Borrowed<'a, 'py, E>> {
    // SAFETY: vouched for by the caller.
    let object = unsafe { Borrowed::from_ptr(py, object.cast::<ffi::PyObject>()) };
    Ok(object.cast::<E>()?)
}

unsafe extern "C" fn from_object<E: Exporter>(object: *mut c_void, out: *mut *mut DLManagedTensorVersioned) -> c_int {
    answer(|py| {
        // SAFETY: the caller passes a live object (rule E4).
        let object = unsafe { exporter::<E>(py, &object) }?;
        let managed = E::with(&object, |tensor| {
            let managed = match trace::traced(py, tensor.shared(), Consumer::Exchange) {
                Some(traced) => traced.into_managed(),
                None => tensor.shared().to_managed(),
            };
            managed.map_err(IntoPyErr::into_py_err)
        })?;
        // SAFETY: the caller passes a place for the result (rule E4).
        unsafe { out.write(managed.as_ptr()) };
        Ok(())
    })
}

unsafe extern "C" fn borrow_from_object(object: *mut c_void, out: *mut DLTensor) -> c_int {
    answer(|py| {
        // SAFETY: the caller passes a live object (rule E4).
        let tensor = unsafe { exporter::<Tensor>(py, &object) }?;
        let descriptor = tensor.get().shared().descriptor();
        if descriptor.is_read_only() || descriptor.fields().padded {
            // What is lent here has no flags, so the borrower could write to what must not be written (decision 5.1).
            return Err(PyBufferError::new_err(
                "the tensor is read-only or padded, which a borrowed DLTensor cannot say: take a managed tensor",
            ));
        }
        let lent = DLTensor {
            data: if descriptor.layout().is_empty() { core::ptr::null_mut() } else { descriptor.data() },
            device: descriptor.device(),
            ndim: c_int::try_from(descriptor.layout().ndim())?,
            dtype: descriptor.dtype(),
            // The object is frozen: what these point to stays as it is while the object lives.
            shape: descriptor.shape().as_ptr().cast_mut(),
            strides: descriptor.strides().as_ptr().cast_mut(),
            byte_offset: descriptor.byte_offset(),
        };
        // SAFETY: the caller passes a place for the result (rule E4).
        unsafe { out.write(lent) };
        Ok(())
    })
}

/// Takes the managed tensor over on success only: a caller that sees -1 still owns it (rule R9.11).
unsafe extern "C" fn to_object(managed: *mut DLManagedTensorVersioned, out: *mut *mut c_void) -> c_int {
    answer(|py| {
        // SAFETY: the caller hands a managed tensor over (rule E4).
        let object = unsafe { take_over(py, managed, |tensor| Ok(tensor.clone().into_any())) }?;
        // SAFETY: the caller passes a place for a new reference (rule E4).
        unsafe { out.write(object.into_ptr().cast()) };
        Ok(())
    })
}

/// Makes an object of a managed tensor that a caller of the table hands over. When that fails it is still the caller's
/// (rule R9.11).
///
/// # Safety
///
/// Conditions 1 to 5 of `dlferry::managed`, if there is an object; conditions 1 and 2 if there is none.
pub(crate) unsafe fn take_over<'py>(
    py: Python<'py>,
    managed: *mut DLManagedTensorVersioned,
    make: impl FnOnce(&Bound<'py, Tensor>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let managed = NonNull::new(managed).ok_or_else(|| PyBufferError::new_err("the managed tensor is NULL"))?;
    // SAFETY: vouched for by the caller (assumption P1).
    let descriptor = unsafe { describe(managed) }.map_err(IntoPyErr::into_py_err)?;
    // SAFETY: as above.
    let handle = unsafe { Handle::versioned(managed) };
    // SAFETY: as above.
    let shared = unsafe { Managed::from_parts(handle, descriptor) }.into_shared();
    // Should there be no object, this keeps the tensor from being freed: it is then still the caller's.
    let spare = ManuallyDrop::new(shared.clone());
    let object = make(&Bound::new(py, Tensor::new(shared, Source::Exchange, None))?)?;
    drop(ManuallyDrop::into_inner(spare));
    Ok(object)
}

/// Host memory, zeroed. Needs no interpreter.
pub(crate) unsafe extern "C" fn allocate(
    prototype: *mut DLTensor,
    out: *mut *mut DLManagedTensorVersioned,
    error_ctx: *mut c_void,
    set_error: Option<DLPackSetError>,
) -> c_int {
    let attempt = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let prototype = NonNull::new(prototype).ok_or((c"BufferError", String::from("the prototype is NULL")))?;
        // SAFETY: the caller passes a prototype whose dtype, ndim, shape and device are set (rule E4).
        let prototype = unsafe { describe_prototype(prototype) };
        let prototype = prototype.map_err(|error| (c"BufferError", error.to_string()))?;
        Managed::zeroed(prototype.dtype, prototype.device, &prototype.layout)
            .and_then(|tensor| Ok(tensor.into_managed::<DLManagedTensorVersioned>()?))
            .map_err(|error| (kind_of(&error), error.to_string()))
    }));
    let error = match attempt {
        Ok(Ok(managed)) => {
            // SAFETY: the caller passes a place for the result (rule E4).
            unsafe { out.write(managed.as_ptr()) };
            return 0;
        }
        Ok(Err(error)) => error,
        Err(_panic) => (c"RuntimeError", String::from("dlferry panicked while allocating")),
    };
    report(error_ctx, set_error, error.0, &error.1);
    -1
}

fn kind_of(error: &dlferry::copy::CopyError) -> &'static CStr {
    match error {
        dlferry::copy::CopyError::OutOfMemory { .. } => c"MemoryError",
        _ => c"BufferError",
    }
}

fn report(error_ctx: *mut c_void, set_error: Option<DLPackSetError>, kind: &CStr, message: &str) {
    let Some(set_error) = set_error else { return };
    let message = CString::new(message).unwrap_or_default();
    let (kind, message): (*const c_char, *const c_char) = (kind.as_ptr(), message.as_ptr());
    // SAFETY: the caller's own function with its own context; both strings are alive (rule E4).
    unsafe { set_error(error_ctx, kind, message) }
}

/// The host has no streams, and dlferry works on no other.
pub(crate) unsafe extern "C" fn current_work_stream(
    _device_type: DLDeviceType,
    _device_id: i32,
    out: *mut *mut c_void,
) -> c_int {
    if let Some(out) = NonNull::new(out) {
        // SAFETY: the caller passes a place for the result (rule E4).
        unsafe { out.write(core::ptr::null_mut()) };
    }
    0
}
