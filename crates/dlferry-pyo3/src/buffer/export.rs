use core::ffi::{c_int, c_void};
use core::ptr;

use dlferry::element::notation::format_of;
use dlferry::managed::{Descriptor, SharedTensor};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi::{self, Py_buffer, Py_ssize_t};
use pyo3::prelude::*;

use crate::error::with_exception_aside;
use crate::python::tuple_text;
use crate::tensor::Tensor;
use crate::trace::{self, Consumer};

/// What one buffer view needs as long as it is in use.
struct Lent {
    shape: Box<[Py_ssize_t]>,
    /// In bytes.
    strides: Box<[Py_ssize_t]>,
    /// The memory: the object may have another tensor by then.
    _tensor: SharedTensor,
}

/// Fills the view of a consumer of the buffer protocol, as `flags` asks: the memory of `tensor`, which `object` has.
///
/// # Errors
///
/// `BufferError` when the tensor is not as the flags want it, or has no place in the buffer protocol.
///
/// # Safety
///
/// `view` is the structure that CPython passed to the exporter.
pub(crate) unsafe fn fill(
    object: &Bound<'_, PyAny>,
    tensor: &Tensor,
    view: *mut Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    let refuse = |text: String| Err(PyBufferError::new_err(text));
    if view.is_null() {
        return refuse(String::from("no buffer view was given"));
    }
    let descriptor = tensor.shared().descriptor();
    if !descriptor.is_host_readable() {
        return refuse(format!("the tensor is on {}, which has no buffer", descriptor.device()));
    }
    let dtype = descriptor.dtype();
    let Some(format) = format_of(dtype, descriptor.is_aligned()) else {
        return refuse(format!("the buffer protocol has no format for {dtype}"));
    };
    check_order(descriptor, flags)?;
    if asks(flags, ffi::PyBUF_WRITABLE) && descriptor.is_read_only() {
        return refuse(String::from("the tensor is read-only, and a writable buffer was asked for"));
    }
    let bytes = descriptor.nbytes();
    let Ok(len) = Py_ssize_t::try_from(bytes) else {
        return refuse(format!("the tensor has {bytes} bytes, more than a buffer can count"));
    };
    // A consumer that wants no shape sees bytes in a row, and some refuse another number of axes.
    let ndim = if asks(flags, ffi::PyBUF_ND) { descriptor.layout().ndim() } else { 1 };
    if ndim > MAX_AXES {
        return refuse(format!("the tensor has {ndim} axes, and a buffer has at most {MAX_AXES}"));
    }
    let lent = Box::new(lent(trace::kept(object.py(), tensor.shared(), Consumer::Buffer))?);
    // All that can fail comes before the reference is made.
    let (itemsize, ndim) = (Py_ssize_t::try_from(dtype.item_bytes())?, c_int::try_from(ndim)?);
    let filled = Py_buffer {
        buf: if descriptor.layout().is_empty() { nowhere() } else { descriptor.data() },
        obj: object.clone().into_ptr(),
        len,
        itemsize,
        readonly: c_int::from(descriptor.is_read_only()),
        ndim,
        format: if asks(flags, ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { ptr::null_mut() },
        shape: if asks(flags, ffi::PyBUF_ND) { lent.shape.as_ptr().cast_mut() } else { ptr::null_mut() },
        strides: if asks(flags, ffi::PyBUF_STRIDES) { lent.strides.as_ptr().cast_mut() } else { ptr::null_mut() },
        suboffsets: ptr::null_mut(),
        internal: Box::into_raw(lent).cast(),
    };
    // SAFETY: vouched for by the caller; not NULL.
    unsafe { view.write(filled) };
    Ok(())
}

/// Frees what [`fill`] allocated; CPython itself lets go of the object.
///
/// # Safety
///
/// `view` was filled by [`fill`] and is released once.
pub(crate) unsafe fn release(py: Python<'_>, view: *mut Py_buffer) {
    // SAFETY: vouched for by the caller.
    let internal = unsafe { (*view).internal };
    if internal.is_null() {
        return;
    }
    // SAFETY: `fill` made it of a box, and this is its end.
    let lent = unsafe { Box::from_raw(internal.cast::<Lent>()) };
    // The tensor may end here, and its owner is anybody's.
    with_exception_aside(py, || drop(lent));
}

/// How many axes an exporter may give its consumers, as CPython documents under `PyBUF_MAX_NDIM`.
const MAX_AXES: usize = 64;

/// All bits of `wanted` are set: the request names of the buffer protocol include one another.
fn asks(flags: c_int, wanted: c_int) -> bool {
    flags & wanted == wanted
}

/// The elements lie in the order that the consumer can work with.
fn check_order(descriptor: &Descriptor, flags: c_int) -> PyResult<()> {
    let (c, f) = (descriptor.layout().is_c_contiguous(), descriptor.layout().is_f_contiguous());
    let (fits, wanted) = if !asks(flags, ffi::PyBUF_STRIDES) || asks(flags, ffi::PyBUF_C_CONTIGUOUS) {
        (c, "row-major")
    } else if asks(flags, ffi::PyBUF_F_CONTIGUOUS) {
        (f, "column-major")
    } else {
        (c || f || !asks(flags, ffi::PyBUF_ANY_CONTIGUOUS), "row-major or column-major")
    };
    if fits {
        return Ok(());
    }
    Err(PyBufferError::new_err(format!(
        "a contiguous buffer in {wanted} order was asked for, and the tensor has strides {} for shape {}",
        tuple_text(descriptor.strides()),
        tuple_text(descriptor.shape())
    )))
}

fn lent(tensor: SharedTensor) -> PyResult<Lent> {
    let descriptor = tensor.descriptor();
    let too_large = || PyBufferError::new_err("a stride is larger than the buffer protocol can say");
    let size = i64::from(descriptor.storage_bits()) / 8;
    let convert = |value: i64| Py_ssize_t::try_from(value).map_err(|_| too_large());
    let shape = descriptor.shape().iter().copied().map(convert).collect::<PyResult<_>>()?;
    let strides = descriptor.shape().iter().zip(descriptor.strides()).map(|(extent, stride)| {
        // The stride of an axis without a second element means nothing, and may be any number.
        if *extent <= 1 || descriptor.layout().is_empty() {
            return convert(size);
        }
        convert(stride.checked_mul(size).ok_or_else(too_large)?)
    });
    Ok(Lent { shape, strides: strides.collect::<PyResult<_>>()?, _tensor: tensor })
}

/// An address for a buffer without bytes, for consumers that refuse NULL.
fn nowhere() -> *mut c_void {
    static NOTHING: u64 = 0;
    (&raw const NOTHING).cast_mut().cast()
}
