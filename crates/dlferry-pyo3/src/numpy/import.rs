use core::ffi::c_void;
use core::ptr::NonNull;

use dlferry::abi::{DLDataType, DLDevice};
use dlferry::managed::{Fields, Handle, Outline, Tensor as Managed};
use pyo3::exceptions::{PyBufferError, PyRuntimeError};
use pyo3::prelude::*;

use super::{Array, dtype};
use crate::error::IntoPyErr;
use crate::memory::{Keep, Memory};
use crate::protocol::{self, Request};
use crate::settle::settle;
use crate::tensor::{Source, Tensor};

/// Up to this many axes are described without an allocation of their own.
const INLINE: usize = 8;

/// Takes an array by its structure, which `array` has read.
///
/// # Errors
///
/// `BufferError` that names what DLPack cannot say and what to do, `CopyRequiredError` as `request` has it; what NumPy's own
/// registry of dtypes raises passes.
#[inline]
pub(crate) fn import(object: &Bound<'_, PyAny>, array: &Array<'_>, request: &Request) -> PyResult<Tensor> {
    match array.dtype() {
        Some(dtype) => take(object, array, dtype, request),
        None => take_foreign(object, array, request),
    }
}

/// An array whose dtype others brought to NumPy.
///
/// NumPy's own registry of such dtypes wins over the table that is known here.
fn take_foreign(object: &Bound<'_, PyAny>, array: &Array<'_>, request: &Request) -> PyResult<Tensor> {
    let py = object.py();
    if dtype::has_registry(py)? {
        match protocol::import_by_protocol(object, request) {
            Err(error) if is_refusal(&error, py) => {}
            result => return result,
        }
        // The method may have run code.
    }
    let Some(array) = super::array(object) else { return Err(dtype::refusal(object, array)) };
    match dtype::of_scalar_type(py, &array)? {
        Some(dtype) => take(object, &array, dtype, request),
        None => Err(dtype::refusal(object, &array)),
    }
}

fn is_refusal(error: &PyErr, py: Python<'_>) -> bool {
    error.is_instance_of::<PyBufferError>(py) || error.is_instance_of::<PyRuntimeError>(py)
}

#[inline]
fn take(object: &Bound<'_, PyAny>, array: &Array<'_>, dtype: DLDataType, request: &Request) -> PyResult<Tensor> {
    // Types of less than a byte have one each in NumPy.
    let fields = Fields { read_only: array.is_read_only(), padded: dtype.is_sub_byte(), ..Fields::SHARED };
    let mut places = [[0_i64; INLINE]; 2];
    let Some((shape, strides)) = elements(array, dtype.item_bytes(), &mut places) else {
        return take_awkward(object, array, dtype, request);
    };
    let outline = Outline { data: array.data(), device: DLDevice::CPU, dtype, shape, strides, fields };
    // SAFETY: the array keeps its memory as long as it lives (assumption P3: nobody resizes it by force), and the handle
    // keeps the array.
    let tensor = unsafe { Managed::from_outline(keep(object), &outline) };
    let tensor = tensor.map_err(|(error, _handle)| error.into_py_err())?;
    settle(object.py(), tensor, request, Source::NumPy, Some(object))
}

/// Shape and strides as DLPack counts them. `None` where that cannot be, or needs more room.
#[inline]
fn elements<'a>(
    array: &Array<'_>,
    item_bytes: usize,
    [extents, steps]: &'a mut [[i64; INLINE]; 2],
) -> Option<(&'a [i64], &'a [i64])> {
    let ndim = array.ndim();
    if ndim > INLINE || array.is_swapped() || !item_bytes.is_power_of_two() {
        return None;
    }
    let bits = item_bytes.trailing_zeros();
    let rest = item_bytes.wrapping_sub(1);
    // SAFETY: nothing else runs in this function; without a global lock nobody reshapes what is exchanged (assumption P3).
    let (shape, strides) = unsafe { (array.shape(), array.strides()) };
    let mut is_whole = true;
    let places = extents.iter_mut().zip(steps.iter_mut());
    for ((extent, step), (axis, stride)) in places.zip(shape.iter().zip(strides)) {
        *extent = i64::try_from(*axis).ok()?;
        *step = i64::try_from(*stride).ok()?.wrapping_shr(bits);
        // The stride of a single element carries no meaning.
        is_whole &= stride.cast_unsigned() & rest == 0 || *axis <= 1;
    }
    if !is_whole {
        return None;
    }
    Some((extents.get(..ndim)?, steps.get(..ndim)?))
}

/// The slow way, for what takes more room, or may have to be copied.
fn take_awkward(
    object: &Bound<'_, PyAny>,
    array: &Array<'_>,
    dtype: DLDataType,
    request: &Request,
) -> PyResult<Tensor> {
    let numbers = |axes: &[isize]| axes.iter().map(|axis| i64::try_from(*axis)).collect::<Result<Vec<_>, _>>();
    // SAFETY: nothing else runs before the numbers are copied.
    let (shape, strides) = unsafe { (numbers(array.shape())?, numbers(array.strides())?) };
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
    unsafe { memory.into_tensor(object.py(), Keep::new(object), request, Source::NumPy, Some(object)) }
}

/// A handle that is a reference to the object.
#[inline]
fn keep(object: &Bound<'_, PyAny>) -> Handle {
    let object = object.clone().into_ptr();
    // SAFETY: a reference is never NULL.
    let keeper = unsafe { NonNull::new_unchecked(object.cast::<c_void>()) };
    // SAFETY: the reference was made for the handle, and `let_go` may be called on any thread.
    unsafe { Handle::keeper(keeper, let_go) }
}

/// Gives a reference back; on any thread, and not at all once the interpreter is gone.
///
/// # Safety
///
/// `keeper` is a reference of its own to a Python object, given back nowhere else.
unsafe fn let_go(keeper: NonNull<c_void>) {
    let _let_go = Python::try_attach(|py| {
        crate::error::with_exception_aside(py, || {
            // SAFETY: attached; vouched for by the caller.
            drop(unsafe { Bound::from_owned_ptr(py, keeper.as_ptr().cast()) });
        });
    });
}
