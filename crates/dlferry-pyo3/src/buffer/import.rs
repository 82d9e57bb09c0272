use core::ffi::CStr;
use core::ptr;

use dlferry::abi::DLDevice;
use dlferry::layout::Layout;
use dlferry::managed::{Descriptor, Fields, Tensor as Managed};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi::{self, Py_buffer, Py_ssize_t};
use pyo3::prelude::*;

use super::parse::{Format, parse};
use crate::error::IntoPyErr;
use crate::protocol::{Request, settle};
use crate::tensor::{Source, Tensor};

/// Takes the memory of any object with the buffer protocol: what `dlferry.from_buffer` does.
///
/// The object stays locked, as the protocol demands, until the last tensor over its memory is gone: a `bytearray` cannot
/// be resized before.
///
/// # Errors
///
/// `TypeError` when the object has no buffer, `BufferError` when its elements have no DLPack dtype or cannot be
/// described (another byte order, strides that are no whole number of elements). The object's own exceptions pass
/// unchanged.
pub fn import(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Tensor> {
    // SAFETY: attached, and `object` is alive.
    if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } == 0 {
        let kind = object.get_type().fully_qualified_name()?;
        return Err(PyTypeError::new_err(format!(
            "an object of type {kind} has no buffer protocol; for arrays of other libraries there is dlferry.from_dlpack"
        )));
    }
    let buffer = Buffer::of(object)?;
    let descriptor = describe(buffer.view())?;
    // SAFETY: the exporter keeps the memory as described until the buffer is released (assumption P1), which `Buffer`
    // does when it is dropped.
    let tensor = unsafe { Managed::from_owner(buffer, descriptor) }.map_err(IntoPyErr::into_py_err)?;
    settle(object.py(), tensor, request, Source::Buffer, Some(object))
}

/// A buffer that an object lent, given back on drop.
///
/// Boxed before it is filled, for some exporters store addresses within the structure in it.
struct Buffer(Box<Py_buffer>);

// SAFETY: plain data that is only read; releasing it attaches to the interpreter first.
unsafe impl Send for Buffer {}

impl Buffer {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut view = Box::new(Py_buffer::new());
        // SAFETY: attached; the structure is the exporter's to fill.
        let status = unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, ffi::PyBUF_RECORDS_RO) };
        if status == 0 { Ok(Self(view)) } else { Err(PyErr::fetch(object.py())) }
    }

    fn view(&self) -> &Py_buffer {
        &self.0
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // May run on any thread, attached or not, and after the interpreter is gone; then nothing is there to be told.
        let _released = Python::try_attach(|py| {
            crate::error::with_exception_aside(py, || {
                // SAFETY: attached; filled by `PyObject_GetBuffer` and released once.
                unsafe { ffi::PyBuffer_Release(&raw mut *self.0) };
            });
        });
    }
}

/// What a buffer holds, checked and copied.
fn describe(view: &Py_buffer) -> PyResult<Descriptor> {
    let format = format_of(view)?;
    let refuse = |why: String| PyBufferError::new_err(format!("the buffer's {why}"));
    let item = Py_ssize_t::try_from(format.dtype.item_bytes())?;
    let scalars = format.inner.iter().try_fold(1_i64, |product, extent| product.checked_mul(*extent));
    let whole = scalars.and_then(|scalars| scalars.checked_mul(i64::try_from(item).ok()?));
    if whole != i64::try_from(view.itemsize).ok() {
        return Err(refuse(format!("items have {} bytes, other than its format says: they are padded", view.itemsize)));
    }
    let (mut shape, mut strides) = axes(view, item)?;
    let inner = Layout::c_contiguous(&format.inner).map_err(IntoPyErr::into_py_err)?;
    shape.extend(inner.shape());
    strides.extend(inner.strides());
    let layout = Layout::new(&shape, &strides).map_err(|error| PyBufferError::new_err(error.to_string()))?;
    if format.swapped {
        return Err(PyBufferError::new_err(
            "the buffer's elements are in the other byte order, which DLPack cannot say: dlferry.asarray copies them",
        ));
    }
    let fields = Fields { read_only: view.readonly != 0, ..Fields::SHARED };
    Descriptor::new(view.buf, DLDevice::CPU, format.dtype, layout, fields).map_err(IntoPyErr::into_py_err)
}

fn format_of(view: &Py_buffer) -> PyResult<Format> {
    if view.format.is_null() {
        // Without a format the items are bytes.
        return parse("B").map_err(PyBufferError::new_err);
    }
    // SAFETY: a C string that lives as long as the buffer is held (assumption P1).
    let text = unsafe { CStr::from_ptr(view.format) };
    let unreadable = |why: &str| PyBufferError::new_err(format!("the buffer's format {text:?} {why}"));
    parse(text.to_str().map_err(|_| unreadable("is no text"))?).map_err(unreadable)
}

/// The buffer's own axes: extents, and strides in elements of `item` bytes.
fn axes(view: &Py_buffer, item: Py_ssize_t) -> PyResult<(Vec<i64>, Vec<i64>)> {
    let refuse = |why: String| PyBufferError::new_err(format!("the buffer's {why}"));
    let ndim = usize::try_from(view.ndim).map_err(|_| refuse(format!("ndim is {}, which is negative", view.ndim)))?;
    if !view.suboffsets.is_null() {
        return Err(refuse(String::from("rows lie behind pointers, which DLPack cannot say")));
    }
    if view.shape.is_null() {
        // A flat run of bytes, however many axes are claimed.
        let count = view.len.checked_div(view.itemsize).unwrap_or(0);
        return Ok((vec![i64::try_from(count)?], vec![i64::try_from(view.itemsize.checked_div(item).unwrap_or(1))?]));
    }
    // SAFETY: the exporter filled as many (assumption P1).
    let shape = unsafe { numbers(view.shape, ndim) };
    let shape = shape.into_iter().map(i64::try_from).collect::<Result<Vec<_>, _>>()?;
    if view.strides.is_null() {
        let layout = Layout::c_contiguous(&shape).map_err(|error| PyBufferError::new_err(error.to_string()))?;
        let scale = i64::try_from(view.itemsize.checked_div(item).unwrap_or(1))?;
        return Ok((shape, layout.strides().iter().map(|stride| stride.saturating_mul(scale)).collect()));
    }
    // SAFETY: as above.
    let bytes = unsafe { numbers(view.strides, ndim) };
    let empty = shape.contains(&0);
    let strides = bytes.into_iter().zip(&shape).map(|(stride, extent)| {
        let meaningless = *extent <= 1 || empty;
        match (stride.checked_rem(item), stride.checked_div(item)) {
            (Some(0), Some(elements)) => Ok(i64::try_from(elements)?),
            _ if meaningless => Ok(0),
            _ => Err(refuse(format!(
                "strides of {stride} bytes are no whole number of elements of {item} bytes: dlferry.asarray copies them"
            ))),
        }
    });
    let strides = strides.collect::<PyResult<Vec<_>>>()?;
    Ok((shape, strides))
}

/// # Safety
///
/// `len` numbers are readable at `first`, unless `len` is 0.
unsafe fn numbers(first: *const Py_ssize_t, len: usize) -> Vec<Py_ssize_t> {
    if len == 0 {
        return Vec::new();
    }
    // SAFETY: vouched for by the caller.
    unsafe { &*ptr::slice_from_raw_parts(first, len) }.to_vec()
}
