//! `from_address`: memory that somebody vouches for.

use core::ptr;

use dlferry::abi::{DLDataType, DLDevice};
use dlferry::layout::Layout;
use dlferry::managed::{Descriptor, Fields, Tensor as Managed};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::error::IntoPyErr;
use crate::memory::Keep;
use crate::python::name_of_type;
use crate::tensor::{Source, Tensor};

/// Makes a tensor of memory at an address: `shape` extents and, unless C order is meant, as many strides in elements.
///
/// # Errors
///
/// `ValueError` for a malformed layout or a NULL address with elements.
///
/// # Safety
///
/// Until `owner` is let go of, or for ever when there is none, the memory is as described: on that device, that long,
/// of that type, writable unless `read_only`; assumptions P1 to P3 of `SAFETY.md`.
pub unsafe fn from_address(
    address: usize,
    dtype: DLDataType,
    shape: &[i64],
    strides: Option<&[i64]>,
    device: DLDevice,
    read_only: bool,
    owner: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    let bad = |error: &dyn core::fmt::Display| PyValueError::new_err(error.to_string());
    let layout = match strides {
        Some(strides) => Layout::new(shape, strides),
        None => Layout::c_contiguous(shape),
    };
    let fields = Fields { read_only, ..Fields::SHARED };
    let data = ptr::with_exposed_provenance_mut(address);
    let descriptor = Descriptor::new(data, device, dtype, layout.map_err(|error| bad(&error))?, fields)
        .map_err(|error| bad(&error))?;
    let keep = owner.map(Keep::new);
    // SAFETY: vouched for by the caller.
    let tensor = unsafe { Managed::from_owner(keep, descriptor) }.map_err(IntoPyErr::into_py_err)?;
    Ok(Tensor::new(tensor.into_shared(), Source::Address, owner.map(|owner| owner.clone().unbind())))
}

/// The refusal of what is no integer, and so no address: how its address is had.
pub(crate) fn no_address(value: &Bound<'_, PyAny>) -> PyErr {
    let kind = value.get_type();
    let bases: Vec<String> =
        kind.mro().iter().filter_map(|base| base.repr().ok()).map(|base| base.to_string()).collect();
    let is_a = |name: &str| bases.iter().any(|base| base.ends_with(&format!(" '{name}'>")));
    let remedy = if is_a("_ctypes._Pointer") {
        "of a ctypes pointer it is ctypes.addressof(pointer.contents)"
    } else if is_a("ctypes.c_void_p") || is_a("ctypes.c_char_p") {
        "of such a pointer it is ctypes.cast(pointer, ctypes.c_void_p).value"
    } else if is_a("_ctypes._CData") {
        "of ctypes data it is ctypes.addressof(data), and dlferry.from_buffer takes the data as they are"
    } else if is_a("_cffi_backend._CDataBase") {
        "of a cffi pointer it is int(ffi.cast(\"uintptr_t\", pointer))"
    } else {
        "dlferry.asarray takes arrays as they are"
    };
    let kind = name_of_type(value);
    PyTypeError::new_err(format!("wanted an address, which is an integer, found an object of type {kind}: {remedy}"))
}
