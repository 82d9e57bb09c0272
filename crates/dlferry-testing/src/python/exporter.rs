//! `BufferExporter`: an object with the buffer protocol, each field of which may lie.

use std::ffi::{CStr, CString, c_int};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::{PyBufferError, PyOverflowError};
use pyo3::ffi::{Py_buffer, Py_ssize_t};
use pyo3::prelude::*;

/// An exporter of a copy of `data`, each field of whose buffers may be set to anything, whatever is asked for.
///
/// `format=None`, `shape=None`, `strides=None` and `suboffsets=None` are NULL pointers. `ndim` overrides the length of the
/// shape; arrays shorter than it are filled up with ones, so that reading them is sound. `len` is by default that of the
/// data, and `offset` is where in the data the buffer begins. `refuse` makes each request a `BufferError` with that text.
#[pyclass(frozen, subclass, module = "dlferry_testing")]
pub(super) struct BufferExporter {
    data: Box<[u8]>,
    offset: usize,
    format: Option<CString>,
    itemsize: Py_ssize_t,
    ndim: c_int,
    shape: Option<Box<[Py_ssize_t]>>,
    strides: Option<Box<[Py_ssize_t]>>,
    suboffsets: Option<Box<[Py_ssize_t]>>,
    readonly: bool,
    len: Py_ssize_t,
    null_data: bool,
    refuse: Option<String>,
    held: AtomicUsize,
}

/// As many numbers as there are axes, at least.
fn filled(numbers: Option<Vec<Py_ssize_t>>, ndim: c_int) -> Option<Box<[Py_ssize_t]>> {
    let mut numbers = numbers?;
    let wanted = usize::try_from(ndim).unwrap_or(0).max(numbers.len());
    numbers.resize(wanted, 1);
    Some(numbers.into_boxed_slice())
}

/// The array as the field of a buffer: writable in C's eyes, and written by nobody.
fn pointer(numbers: Option<&[Py_ssize_t]>) -> *mut Py_ssize_t {
    numbers.map_or(ptr::null_mut(), |numbers| numbers.as_ptr().cast_mut())
}

#[pymethods]
impl BufferExporter {
    #[new]
    #[pyo3(signature = (data, *, format=None, itemsize=1, ndim=None, shape=None, strides=None, suboffsets=None,
        readonly=true, len=None, offset=0, null_data=false, refuse=None))]
    #[allow(clippy::too_many_arguments, reason = "keywords of a Python constructor, one for each field")]
    fn new(
        data: &[u8],
        format: Option<&[u8]>,
        itemsize: Py_ssize_t,
        ndim: Option<c_int>,
        shape: Option<Vec<Py_ssize_t>>,
        strides: Option<Vec<Py_ssize_t>>,
        suboffsets: Option<Vec<Py_ssize_t>>,
        readonly: bool,
        len: Option<Py_ssize_t>,
        offset: usize,
        null_data: bool,
        refuse: Option<String>,
    ) -> PyResult<Self> {
        let too_many = |_| PyOverflowError::new_err("more than a buffer can count");
        let axes = shape.as_ref().map_or(1, Vec::len);
        let ndim = ndim.map_or_else(|| c_int::try_from(axes), Ok).map_err(too_many)?;
        Ok(Self {
            offset,
            format: format.map(CString::new).transpose()?,
            itemsize,
            ndim,
            shape: filled(shape, ndim),
            strides: filled(strides, ndim),
            suboffsets: filled(suboffsets, ndim),
            readonly,
            len: len.map_or_else(|| Py_ssize_t::try_from(data.len()), Ok).map_err(too_many)?,
            null_data,
            refuse,
            held: AtomicUsize::new(0),
            data: data.into(),
        })
    }

    /// Buffers that were lent and not given back.
    #[getter]
    fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    unsafe fn __getbuffer__(slf: &Bound<'_, Self>, view: *mut Py_buffer, _flags: c_int) -> PyResult<()> {
        let this = slf.get();
        if let Some(text) = &this.refuse {
            return Err(PyBufferError::new_err(text.clone()));
        }
        this.held.fetch_add(1, Ordering::Relaxed);
        let first = this.data.as_ptr().wrapping_add(this.offset).cast_mut();
        let filled = Py_buffer {
            buf: if this.null_data { ptr::null_mut() } else { first.cast() },
            obj: slf.clone().into_ptr(),
            len: this.len,
            itemsize: this.itemsize,
            readonly: c_int::from(this.readonly),
            ndim: this.ndim,
            format: this.format.as_deref().map_or(ptr::null(), CStr::as_ptr).cast_mut(),
            shape: pointer(this.shape.as_deref()),
            strides: pointer(this.strides.as_deref()),
            suboffsets: pointer(this.suboffsets.as_deref()),
            internal: ptr::null_mut(),
        };
        // SAFETY: called by Python, which passes the structure to fill.
        unsafe { view.write(filled) };
        Ok(())
    }

    unsafe fn __releasebuffer__(&self, _view: *mut Py_buffer) {
        self.held.fetch_sub(1, Ordering::Relaxed);
    }
}
