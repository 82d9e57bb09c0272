use core::ffi::{CStr, c_int};
use core::ptr;

use dlferry::abi::DLDevice;
use dlferry::element::notation::{Format, parse_format};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi::{self, Py_buffer, Py_ssize_t};
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::error::{broken, with_note};
use crate::memory::Memory;
use crate::numpy;
use crate::once::interned;
use crate::protocol::{Request, values};
use crate::python::{counted, name_of_type};
use crate::remedy::{Call, remedy};
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
    if !is_lent(object) {
        let kind = name_of_type(object);
        return Err(PyTypeError::new_err(format!(
            "an object of type {kind} has no buffer protocol; {}",
            remedy(object, Call::FromBuffer)?
        )));
    }
    let lender =
        object.cast::<PyMemoryView>().ok().map(|view| view.getattr(interned!(object.py(), "obj"))).transpose()?;
    if let Some(error) = values::masked(lender.as_ref().unwrap_or(object))? {
        return Err(error);
    }
    let buffer = Buffer::get(object, ffi::PyBUF_RECORDS_RO).map_err(|error| with_remedy(object, error))?;
    let memory = describe(buffer.view())?;
    // SAFETY: the exporter keeps the memory as described until the buffer is released (assumption P1), which `Buffer`
    // does when it is dropped.
    unsafe { memory.into_tensor(object.py(), buffer, request, Source::Buffer, Some(object)) }
}

/// The object's own error, with a note that says what helps, where that is known.
fn with_remedy(object: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    match numpy::without_format(object) {
        Ok(Some(remedy)) => with_note(object.py(), error, &remedy),
        // Nothing must stand before the error that there is.
        Ok(None) | Err(_) => error,
    }
}

/// Whether the object has the buffer protocol.
pub(crate) fn is_lent(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: attached, and `object` is alive.
    unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) != 0 }
}

/// A buffer that an object lent, given back on drop.
///
/// Boxed before it is filled, for some exporters store addresses within the structure in it.
struct Buffer(Box<Py_buffer>);

// SAFETY: plain data that is only read; releasing it attaches to the interpreter first.
unsafe impl Send for Buffer {}

impl Buffer {
    fn view(&self) -> &Py_buffer {
        &self.0
    }

    fn get(object: &Bound<'_, PyAny>, flags: c_int) -> PyResult<Self> {
        let mut view = Box::new(Py_buffer::new());
        // SAFETY: attached; the structure is the exporter's to fill.
        let status = unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, flags) };
        if status == 0 { Ok(Self(view)) } else { Err(PyErr::fetch(object.py())) }
    }
}

/// The bytes of a buffer, one after another, whatever they mean.
pub(crate) struct Flat(Buffer);

impl Flat {
    /// Takes the buffer of an object that lends one without gaps.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Buffer::get(object, ffi::PyBUF_SIMPLE).map(Self)
    }

    pub(crate) fn data(&self) -> *mut u8 {
        self.0.0.buf.cast()
    }

    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.0.0.len).unwrap_or(0)
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.0.0.readonly != 0
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // May run on any thread, attached or not, and after the interpreter is gone; then nothing is there to be told.
        crate::python::try_attached(|py| {
            crate::error::with_exception_aside(py, || {
                // SAFETY: attached; filled by `PyObject_GetBuffer` and released once.
                unsafe { ffi::PyBuffer_Release(&raw mut *self.0) };
            });
        });
    }
}

/// The most axes that the buffer protocol has.
const MAX_NDIM: usize = 64;

/// What a buffer holds, copied.
fn describe(view: &Py_buffer) -> PyResult<Memory> {
    let format = format_of(view)?;
    let item = format.dtype.item_bytes();
    let inner_strides = Memory::row_major(&format.inner, item)?;
    let scalars = format.inner.iter().try_fold(1_i64, |product, extent| product.checked_mul(*extent));
    let whole = scalars.and_then(|scalars| scalars.checked_mul(i64::try_from(item).ok()?));
    let itemsize = i64::try_from(view.itemsize)?;
    if whole != Some(itemsize) {
        return Err(refuse(&format!(
            "items have {}, other than its format says: they are padded",
            counted(itemsize, "byte", "bytes")
        )));
    }
    let (mut shape, mut strides) = axes(view, itemsize)?;
    shape.extend(&format.inner);
    strides.extend(inner_strides);
    Ok(Memory {
        data: view.buf.cast(),
        device: DLDevice::CPU,
        dtype: format.dtype,
        shape,
        strides,
        swapped: format.swapped,
        read_only: view.readonly != 0,
        padded: false,
    })
}

fn refuse(why: &str) -> PyErr {
    PyBufferError::new_err(format!("the buffer's {why}"))
}

fn format_of(view: &Py_buffer) -> PyResult<Format> {
    if view.format.is_null() {
        // Without a format the items are bytes.
        return parse_format("B").map_err(|why| PyBufferError::new_err(why.to_string()));
    }
    // SAFETY: a C string that lives as long as the buffer is held (assumption P1).
    let text = unsafe { CStr::from_ptr(view.format) };
    let unreadable = |why: &str| PyBufferError::new_err(format!("the buffer's format {text:?} {why}"));
    let format = text.to_str().map_err(|_| unreadable("is no text"))?;
    if is_pointer(format) {
        return Err(unreadable(
            "means that it holds an address, and not the elements there: dlferry.from_address takes those",
        ));
    }
    parse_format(format).map_err(|why| unreadable(&why.to_string()))
}

/// Whether the items are pointers, as those of a ctypes pointer are: to a type, to anything, to text, to a function.
fn is_pointer(format: &str) -> bool {
    let item = format.trim_start_matches(['@', '=', '<', '>', '!']);
    item.starts_with('&') || item.starts_with("X{") || matches!(item, "P" | "z" | "Z")
}

/// The buffer's own axes: extents, and strides in bytes.
fn axes(view: &Py_buffer, itemsize: i64) -> PyResult<(Vec<i64>, Vec<i64>)> {
    let negative = |_| broken(format!("the buffer's ndim is {}, which is negative", view.ndim));
    let ndim = usize::try_from(view.ndim).map_err(negative)?;
    if ndim > MAX_NDIM {
        return Err(refuse(&format!("ndim is {ndim}, and the protocol has at most {MAX_NDIM} axes")));
    }
    if !view.suboffsets.is_null() {
        return Err(refuse("rows lie behind pointers, which DLPack cannot say"));
    }
    if ndim == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    if view.shape.is_null() {
        // A flat run of items, however many axes are claimed.
        let count = i64::try_from(view.len)?.checked_div(itemsize).unwrap_or(0);
        return Ok((vec![count], vec![itemsize]));
    }
    // SAFETY: the exporter filled as many (assumption P1).
    let shape = unsafe { numbers(view.shape, ndim) }?;
    if view.strides.is_null() {
        let strides = Memory::row_major(&shape, usize::try_from(itemsize)?)?;
        return Ok((shape, strides));
    }
    // SAFETY: as above.
    let strides = unsafe { numbers(view.strides, ndim) }?;
    Ok((shape, strides))
}

/// # Safety
///
/// `len` numbers are readable at `first`, unless `len` is 0.
unsafe fn numbers(first: *const Py_ssize_t, len: usize) -> PyResult<Vec<i64>> {
    if len == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: vouched for by the caller.
    let numbers = unsafe { &*ptr::slice_from_raw_parts(first, len) };
    Ok(numbers.iter().copied().map(i64::try_from).collect::<Result<_, _>>()?)
}
