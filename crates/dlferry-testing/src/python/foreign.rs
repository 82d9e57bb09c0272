//! Managed structs of anybody, through their raw pointers.

use std::ptr::NonNull;

use dlferry::abi::{DLManagedTensor, DLManagedTensorVersioned, DLTensor};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::PADDED_NDIM;

/// A pointer to one of the two managed structs.
///
/// Dropping it does nothing: the tensor then leaks, or belongs to somebody else all along.
#[derive(Clone, Copy, Debug)]
pub(super) enum Foreign {
    Versioned(NonNull<DLManagedTensorVersioned>),
    Unversioned(NonNull<DLManagedTensor>),
}

// SAFETY: DLPack lets a managed tensor be used and deleted on any thread (rule R2.13).
unsafe impl Send for Foreign {}
// SAFETY: shared use only reads fields, which stay as they are until the deleter runs (rule R2.19).
unsafe impl Sync for Foreign {}

impl Foreign {
    /// The address of the struct.
    pub(super) fn address(self) -> usize {
        match self {
            Self::Versioned(managed) => managed.addr().get(),
            Self::Unversioned(managed) => managed.addr().get(),
        }
    }

    /// The tensor inside.
    ///
    /// # Safety
    ///
    /// The struct is alive and laid out as major version 1 says.
    pub(super) unsafe fn tensor(self) -> DLTensor {
        match self {
            // SAFETY: the caller says the struct is alive.
            Self::Versioned(managed) => unsafe { managed.read() }.dl_tensor,
            // SAFETY: the caller says the struct is alive.
            Self::Unversioned(managed) => unsafe { managed.read() }.dl_tensor,
        }
    }

    /// Calls the deleter on this thread, in whatever state it is; `false` when the deleter is NULL.
    ///
    /// # Safety
    ///
    /// The struct is alive, the caller owns it and does not use it again.
    pub(super) unsafe fn delete(self) -> bool {
        match self {
            Self::Versioned(managed) => {
                // SAFETY: the caller says the struct is alive.
                let Some(deleter) = unsafe { managed.read() }.deleter else {
                    return false;
                };
                // SAFETY: the deleter belongs to this pointer, whose owner gives it up.
                unsafe { deleter(managed.as_ptr()) };
            }
            Self::Unversioned(managed) => {
                // SAFETY: the caller says the struct is alive.
                let Some(deleter) = unsafe { managed.read() }.deleter else {
                    return false;
                };
                // SAFETY: the deleter belongs to this pointer, whose owner gives it up.
                unsafe { deleter(managed.as_ptr()) };
            }
        }
        true
    }

    /// Every field, as a dict.
    ///
    /// # Safety
    ///
    /// As for [`tensor`](Self::tensor).
    pub(super) unsafe fn describe(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        // SAFETY: the caller's duty is the same.
        let tensor = unsafe { self.tensor() };
        // SAFETY: the tensor of a live struct.
        let fields = unsafe { describe_tensor(py, &tensor) }?;
        fields.set_item("struct_address", self.address())?;
        match self {
            Self::Versioned(managed) => {
                // SAFETY: the caller says the struct is alive.
                let managed = unsafe { managed.read() };
                fields.set_item("versioned", true)?;
                fields.set_item("version", (managed.version.major, managed.version.minor))?;
                fields.set_item("flags", managed.flags)?;
                fields.set_item("deleter_null", managed.deleter.is_none())?;
                fields.set_item("manager_ctx_null", managed.manager_ctx.is_null())?;
            }
            Self::Unversioned(managed) => {
                // SAFETY: the caller says the struct is alive.
                let managed = unsafe { managed.read() };
                fields.set_item("versioned", false)?;
                fields.set_item("version", py.None())?;
                fields.set_item("flags", py.None())?;
                fields.set_item("deleter_null", managed.deleter.is_none())?;
                fields.set_item("manager_ctx_null", managed.manager_ctx.is_null())?;
            }
        }
        Ok(fields)
    }
}

/// Every field of `tensor`, as a dict.
///
/// # Safety
///
/// `shape` and `strides`, where not NULL, hold `ndim` values when that is at most [`PADDED_NDIM`].
pub(super) unsafe fn describe_tensor<'py>(py: Python<'py>, tensor: &DLTensor) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("data", tensor.data.addr())?;
    fields.set_item("device", (tensor.device.device_type.0, tensor.device.device_id))?;
    fields.set_item("ndim", tensor.ndim)?;
    fields.set_item("dtype", (tensor.dtype.code.0, tensor.dtype.bits, tensor.dtype.lanes))?;
    fields.set_item("byte_offset", tensor.byte_offset)?;
    fields.set_item("shape_null", tensor.shape.is_null())?;
    fields.set_item("strides_null", tensor.strides.is_null())?;
    // SAFETY: the caller says how many values there are.
    fields.set_item("shape", unsafe { axes(py, tensor.shape, tensor.ndim) }?)?;
    // SAFETY: as above.
    fields.set_item("strides", unsafe { axes(py, tensor.strides, tensor.ndim) }?)?;
    Ok(fields)
}

/// The `ndim` values at `pointer`; nothing when it is NULL or `ndim` is beyond what anybody fills.
///
/// # Safety
///
/// As for [`describe_tensor`].
unsafe fn axes(py: Python<'_>, pointer: *const i64, ndim: i32) -> PyResult<Option<Bound<'_, PyList>>> {
    if pointer.is_null() || ndim > PADDED_NDIM {
        return Ok(None);
    }
    let values = PyList::empty(py);
    for axis in 0..usize::try_from(ndim).unwrap_or(0) {
        // SAFETY: `axis` is below `ndim`, and the caller says that so many values are there.
        values.append(unsafe { pointer.wrapping_add(axis).read() })?;
    }
    Ok(Some(values))
}
