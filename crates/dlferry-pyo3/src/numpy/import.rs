use core::ffi::c_void;
use core::ptr::NonNull;
use std::borrow::Cow;

use dlferry::abi::{DLDataType, DLDevice, DLManagedTensorVersioned};
use dlferry::copy::Strided;
use dlferry::layout::LayoutError;
use dlferry::managed::{
    DescribeError, Descriptor, Fields, Handle, Keeping, Outline, SharedTensor, Strides, Tensor as Managed,
};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::runtime::Runtime;
use super::{Array, dtype};
use crate::capsule;
use crate::error::IntoPyErr;
use crate::exchange;
use crate::memory::{Keep, Memory};
use crate::once::interned;
use crate::protocol::Request;
use crate::python::{try_attached, version_tuple};
use crate::settle::settle;
use crate::tensor::{Made, Source};

/// Takes an array by its structure, which `array` has read.
///
/// # Errors
///
/// `BufferError` that names what DLPack cannot say and what to do, `CopyRequiredError` as `request` has it; what NumPy's own
/// registry of dtypes raises passes.
#[inline]
pub(crate) fn import<'py, R: Made<'py>>(
    object: &Bound<'py, PyAny>,
    array: &Array<'_>,
    request: &Request,
) -> PyResult<R> {
    match array.dtype() {
        Some(dtype) => take(object, array, dtype, request),
        None => take_foreign(object, array, request),
    }
}

/// An array whose dtype others brought to NumPy.
///
/// NumPy's own registry of such dtypes wins over the table that is known here.
#[cold]
fn take_foreign<'py, R: Made<'py>>(object: &Bound<'py, PyAny>, array: &Array<'_>, request: &Request) -> PyResult<R> {
    let py = object.py();
    if dtype::has_registry(py)? {
        match as_registered(object, array, request) {
            Err(error) if exchange::is_refusal(&error, py) => {}
            result => return result,
        }
    }
    // Code ran since the array was read.
    let array = array.again(object);
    let kind = array.scalar_type(py);
    let dtype = dtype::of_scalar_type(py, &array)?;
    // The module of the dtype was asked, which may be anything.
    let array = array.again(object);
    let is_same = match (&kind, array.scalar_type(py)) {
        (Some(before), Some(now)) => before.is(&now),
        _ => false,
    };
    match dtype {
        Some(dtype) if is_same && array.item_bytes() == dtype.item_bytes() => take(object, &array, dtype, request),
        _ => Err(dtype::refusal(object, array.number())),
    }
}

/// Through the `__dlpack__` of `numpy.ndarray` itself, which knows what was registered; that of a derived type may call
/// what called this.
fn as_registered<'py, R: Made<'py>>(object: &Bound<'py, PyAny>, array: &Array<'_>, request: &Request) -> PyResult<R> {
    let py = object.py();
    let keywords = PyDict::new(py);
    keywords.set_item(interned!(py, "max_version"), version_tuple(py)?)?;
    let method = array.runtime().array_type(py).getattr(interned!(py, "__dlpack__"))?;
    let taken = capsule::take(&method.call((object,), Some(&keywords))?)?;
    settle(py, taken, request, Source::DLPack, Some(object))
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "the way of nearly all arrays")]
fn take<'py, R: Made<'py>>(
    object: &Bound<'py, PyAny>,
    array: &Array<'_>,
    dtype: DLDataType,
    request: &Request,
) -> PyResult<R> {
    if array.is_swapped() {
        return take_awkward(object, array, dtype, request);
    }
    let taken = outlined(array, dtype, |outline| {
        // SAFETY: the array keeps its memory as long as it lives (assumption P3: nobody resizes it by force), and the handle
        // keeps the array.
        unsafe { Managed::from_outline(keep(object), outline) }
    });
    let tensor = match taken {
        Ok(tensor) => tensor,
        Err((DescribeError::Layout(LayoutError::PartialStride { .. }), _handle)) => {
            return take_awkward(object, array, dtype, request);
        }
        Err((error, _handle)) => return Err(error.into_py_err()),
    };
    // The array is known from the handle: see `owner`.
    settle(object.py(), tensor, request, Source::NumPy, None)
}

/// Passes on what an array is, whose scalars are in this machine's byte order. Nothing else may run in `pass`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the way of nearly all arrays")]
fn outlined<R>(array: &Array<'_>, dtype: DLDataType, pass: impl FnOnce(&Outline<'_>) -> R) -> R {
    // Types of less than a byte have one each in NumPy.
    let fields = Fields { read_only: array.is_read_only(), padded: dtype.is_sub_byte(), ..Fields::SHARED };
    // SAFETY: nothing runs before the numbers are copied; without a global lock nobody reshapes what is exchanged
    // (assumption P3).
    let (shape, strides) = unsafe { array.axes() };
    let (shape, strides) = (numbers(shape), numbers(strides));
    let (data, strides) = (array.data(), Strides::Bytes(&strides));
    pass(&Outline { data, device: DLDevice::CPU, dtype, shape: &shape, strides, fields })
}

/// An array as a managed struct for who takes it over, without a tensor in between; `None` for one that is not taken so
/// simply, or not at all.
#[inline]
pub(super) fn managed(object: &Bound<'_, PyAny>, array: &Array<'_>) -> Option<NonNull<DLManagedTensorVersioned>> {
    let dtype = array.dtype().filter(|_| !array.is_swapped())?;
    let mut descriptor = Descriptor::blank();
    outlined(array, dtype, |outline| descriptor.rewrite_row_major(outline))?;
    // SAFETY: as in `take`.
    unsafe { descriptor.to_managed_with(keep(object)) }.ok()
}

/// An array that DLPack cannot describe, for its byte order or the distances of its elements, as a copy can read it; `None`
/// for all others. Good as long as the array keeps its shape.
pub(crate) fn awkward(object: &Bound<'_, PyAny>) -> Option<Strided> {
    let array = super::array(object)?;
    let dtype = array.dtype()?;
    let item = isize::try_from(dtype.item_bytes()).ok()?;
    // SAFETY: nothing runs before the numbers are copied.
    let (shape, strides) = unsafe { array.axes() };
    let is_whole = |stride: &isize| stride.checked_rem(item) == Some(0);
    if !array.is_swapped() && strides.iter().all(is_whole) {
        return None;
    }
    Strided::new(array.data().cast(), dtype, &numbers(shape), &numbers(strides), array.is_swapped()).ok()
}

/// Extents or strides as the core counts them, copied only where they are of another size.
#[cfg(target_pointer_width = "64")]
#[inline]
pub(crate) fn numbers(axes: &[isize]) -> Cow<'_, [i64]> {
    // SAFETY: the two types have the same size, alignment and values here.
    Cow::Borrowed(unsafe { core::slice::from_raw_parts(axes.as_ptr().cast(), axes.len()) })
}

#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn numbers(axes: &[isize]) -> Cow<'_, [i64]> {
    axes.iter().map(|axis| i64::try_from(*axis).unwrap_or(i64::MAX)).collect()
}

/// The slow way, for what may have to be copied.
#[cold]
fn take_awkward<'py, R: Made<'py>>(
    object: &Bound<'py, PyAny>,
    array: &Array<'_>,
    dtype: DLDataType,
    request: &Request,
) -> PyResult<R> {
    // SAFETY: nothing else runs before the numbers are copied.
    let (shape, strides) = unsafe { array.axes() };
    let (shape, strides) = (numbers(shape).into_owned(), numbers(strides).into_owned());
    let memory = Memory {
        data: array.data().cast(),
        device: DLDevice::CPU,
        dtype,
        shape,
        strides,
        swapped: array.is_swapped(),
        read_only: array.is_read_only(),
        padded: dtype.is_sub_byte(),
    };
    // SAFETY: as in `take`.
    let tensor = unsafe { memory.into_tensor(object.py(), Keep::new(object), request, Source::NumPy, Some(object)) }?;
    R::made(object.py(), tensor.shared, tensor.source, tensor.owner)
}

/// References to arrays of NumPy's.
static ARRAYS: Keeping = Keeping::new(let_go);

/// The array whose memory the tensor shares, when it came in by its structure.
pub(crate) fn owner<'py>(py: Python<'py>, tensor: &SharedTensor) -> Option<Bound<'py, PyAny>> {
    let array = tensor.kept_by(&ARRAYS)?;
    // SAFETY: attached; what was kept so is a reference to an object, which the tensor holds.
    Some(unsafe { Bound::from_borrowed_ptr(py, array.as_ptr().cast()) })
}

/// A handle that is a reference to the object.
#[inline]
fn keep(object: &Bound<'_, PyAny>) -> Handle {
    let object = object.clone().into_ptr();
    // SAFETY: a reference is never NULL.
    let keeper = unsafe { NonNull::new_unchecked(object.cast::<c_void>()) };
    // SAFETY: the reference was made for the handle, and `let_go` may be called on any thread.
    unsafe { Handle::keeper(keeper, &ARRAYS) }
}

/// Gives a reference back; on any thread, and not at all once the interpreter is gone.
///
/// # Safety
///
/// `keeper` is a reference of its own to a Python object, given back nowhere else.
unsafe fn let_go(keeper: NonNull<c_void>) {
    let object = keeper.as_ptr().cast::<ffi::PyObject>();
    // Nearly always: a tensor that the interpreter frees, of an array that goes on.
    // SAFETY: attached; alive, for this is a reference to it.
    if Runtime::loaded().is_some_and(Runtime::is_attached) && unsafe { ffi::Py_REFCNT(object) } > 1 {
        // SAFETY: attached; vouched for by the caller. Nothing is freed and no code runs.
        unsafe { ffi::Py_DECREF(object) };
        return;
    }
    try_attached(|py| {
        crate::error::with_exception_aside(py, || {
            // SAFETY: attached; vouched for by the caller.
            drop(unsafe { Bound::from_owned_ptr(py, object) });
        });
    });
}
