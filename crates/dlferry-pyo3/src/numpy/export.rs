//! Tensors as arrays of NumPy's, and arrays of NumPy's as capsules.

use core::ffi::c_void;

use dlferry::abi::{DLDataType, DLDataTypeCode};
use dlferry::copy::Order;
use dlferry::managed::Descriptor;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use super::runtime::{Runtime, numpy};
use super::{array, dtype};
use crate::capsule;
use crate::copying::{copy_of, copying};
use crate::device;
use crate::error::CopyRequiredError;
use crate::exchange;
use crate::once::interned;
use crate::protocol::{self, Request, values};
use crate::tensor::{Tensor, view_as};
use crate::trace::{self, Consumer};

/// Takes an array of any library as a `numpy.ndarray`: what `dlferry.numpy.from_dlpack` does.
///
/// # Errors
///
/// As [`protocol::import`], and `BufferError` for memory or a dtype that NumPy cannot have, `CopyRequiredError` for packed
/// elements when a copy is forbidden, `ImportError` without NumPy or without `ml_dtypes` for a dtype that NumPy has only with it.
pub fn from_dlpack<'py>(object: &Bound<'py, PyAny>, request: &Request) -> PyResult<Bound<'py, PyAny>> {
    finish(object.py(), protocol::import(object, request)?, request.copy)
}

/// Takes whatever [`asarray`](crate::asarray) takes as a `numpy.ndarray`.
///
/// # Errors
///
/// As [`asarray`](crate::asarray) and [`from_dlpack`].
pub fn asarray<'py>(object: &Bound<'py, PyAny>, request: &Request) -> PyResult<Bound<'py, PyAny>> {
    finish(object.py(), crate::asarray(object, request)?, request.copy)
}

/// The array over what was imported. Nobody will ask the object again, so it is held as often as its memory needs and no
/// more.
fn finish(py: Python<'_>, tensor: Tensor, copy: Option<bool>) -> PyResult<Bound<'_, PyAny>> {
    to_ndarray_unless_copied(&Tensor { owner: None, ..tensor }.into_object(py)?, copy)
}

/// A DLPack capsule of an array, also where the array's own `__dlpack__` refuses: what cannot be described is copied, and
/// so is read-only memory for a consumer that cannot be told, unless `copy` is `Some(false)`.
///
/// An array of NumPy's, or of a class derived from it, is read as it is; its own `__dlpack__` is not called and may call
/// this.
///
/// # Errors
///
/// `BufferError` for elements that DLPack does not have and for masked arrays, `CopyRequiredError` when only a copy would do
/// and is forbidden, `TypeError` for a malformed version and for what is no array.
pub fn to_dlpack<'py>(
    object: &Bound<'py, PyAny>,
    max_version: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let versioned =
        max_version.map_or(Ok(false), |version| Ok::<_, PyErr>(device::pair(version, "max_version")?.0 >= 1))?;
    let tensor = take(object, copy)?;
    let descriptor = tensor.shared().descriptor();
    if !versioned && descriptor.is_read_only() && descriptor.copied() != Some(true) {
        if copy == Some(false) {
            return Err(CopyRequiredError::new_err(
                py,
                String::from(
                    "an unversioned capsule cannot say that the array is read-only, and copy=False forbids a copy",
                ),
            ));
        }
        let private = copy_of(py, tensor.shared().view())?;
        return capsule::capsule_of_unique(py, private, versioned);
    }
    let is_private = descriptor.copied() == Some(true);
    // SAFETY: nobody looks at it; what is handed on is a private copy, or shared again.
    match unsafe { tensor.into_shared().try_unshare() } {
        Ok(unique) if is_private => capsule::capsule_of_unique(py, unique, versioned),
        Ok(unique) => capsule::capsule(py, &unique.into_shared(), versioned),
        Err(shared) => capsule::capsule(py, &shared, versioned),
    }
}

/// Takes an array without its own `__dlpack__`, when it is one of NumPy's.
fn take(object: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Tensor> {
    let py = object.py();
    let strict = Request { copy, ..Request::default() };
    let lenient = Request { lenient: true, ..strict };
    let Some(own) = array::array_or_derived(object) else { return crate::asarray(object, &lenient) };
    if let Some(refusal) = values::refusal(object)? {
        return Err(refusal);
    }
    // Code ran since the array was read, and may have given it another shape.
    match super::import(object, &own.again(object), &strict) {
        Err(error) if error.is_instance_of::<PyBufferError>(py) => {}
        result => return result,
    }
    super::import(object, &own.again(object), &lenient)
}

/// The tensor as a `numpy.ndarray` over the same memory; packed elements below a byte are spread into a copy.
pub(crate) fn to_ndarray<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, PyAny>> {
    to_ndarray_unless_copied(tensor, None)
}

/// The same; packed elements are refused where `copy` is `Some(false)`.
pub(crate) fn to_ndarray_unless_copied<'py>(
    tensor: &Bound<'py, Tensor>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let runtime = Runtime::load(py)?;
    let descriptor = tensor.get().shared().descriptor();
    if let (Some(runtime), Some(number)) = (runtime, dtype::to_number(descriptor.dtype())) {
        return wrap(runtime, tensor, runtime.descr(py, number)?);
    }
    check(descriptor)?;
    if dtype::to_number(descriptor.dtype()).is_some() {
        return through_buffer(tensor);
    }
    if let Some(registered) = as_registered(tensor)? {
        return Ok(registered);
    }
    if !dtype::is_in_ml_dtypes(descriptor.dtype()) {
        return Err(PyBufferError::new_err(format!("NumPy has no type for elements of {}", descriptor.dtype())));
    }
    let spreads = spreads(descriptor);
    if spreads && copy == Some(false) {
        return Err(CopyRequiredError::new_err(
            py,
            String::from("NumPy holds one element in each byte and these are packed, and copy=False forbids a copy"),
        ));
    }
    let scalar_type = dtype::ml_dtype(py, descriptor.dtype())?;
    let spread = if spreads { Some(spread(tensor)?) } else { None };
    let tensor = spread.as_ref().unwrap_or(tensor);
    let Some(runtime) = runtime else { return viewed(tensor, &scalar_type) };
    let descr = numpy(py)?.getattr(interned!(py, "dtype"))?.call1((scalar_type,))?;
    let is_sound = descr.getattr(interned!(py, "itemsize"))?.extract::<usize>()?
        == tensor.get().shared().descriptor().dtype().item_bytes();
    if is_sound { wrap(runtime, tensor, descr) } else { viewed(tensor, &descr) }
}

/// Refuses memory that NumPy cannot have.
fn check(descriptor: &Descriptor) -> PyResult<()> {
    if descriptor.is_host_readable() {
        return Ok(());
    }
    Err(PyBufferError::new_err(format!(
        "the tensor is on {}, and NumPy's arrays are in memory that the host reads: move it with its own library first",
        descriptor.device()
    )))
}

/// Refuses elements that repeat so often that their bytes cannot be counted, which NumPy says otherwise.
fn countable(descriptor: &Descriptor) -> PyResult<()> {
    let bytes = descriptor.nbytes();
    if isize::try_from(bytes).is_ok() {
        return Ok(());
    }
    Err(PyBufferError::new_err(format!("the tensor has {bytes} bytes, and NumPy's arrays have fewer than 2**63")))
}

/// Up to this many axes need no allocation; NumPy has at most 64 in version 2 and 32 before.
const INLINE: usize = 8;

/// A new array over the tensor's memory. `descr` is of as many bytes as the elements are apart.
fn wrap<'py>(runtime: &Runtime, tensor: &Bound<'py, Tensor>, descr: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let descriptor = tensor.get().shared().descriptor();
    check(descriptor)?;
    let item = isize::try_from(descriptor.dtype().item_bytes())?;
    let layout = descriptor.layout();
    if layout.ndim() > runtime.max_ndim() {
        return Err(PyBufferError::new_err(format!(
            "the tensor has {} axes, and NumPy's arrays have at most {}",
            layout.ndim(),
            runtime.max_ndim()
        )));
    }
    let extents = layout.shape().iter().map(|extent| isize::try_from(*extent).unwrap_or(0));
    // Only where a stride carries no meaning may it be beyond what bytes can count.
    let steps = layout.strides().iter().map(|step| isize::try_from(*step).ok().and_then(|step| step.checked_mul(item)));
    let steps = steps.map(|step| step.unwrap_or(0));
    let data = if layout.is_empty() { nothing() } else { descriptor.data() };
    let writable = !descriptor.is_read_only();
    let base = base(tensor)?;
    if layout.ndim() > INLINE {
        let (extents, steps): (Vec<_>, Vec<_>) = extents.zip(steps).unzip();
        // SAFETY: the tensor describes its memory and keeps it alive; NumPy cannot hold more than it describes.
        let made = unsafe { runtime.wrap(descr, &extents, &steps, data, writable, base) };
        return made.map_err(|error| countable(descriptor).err().unwrap_or(error));
    }
    let mut places = [[0_isize; INLINE]; 2];
    let [shape, strides] = &mut places;
    for ((shape, stride), (extent, step)) in shape.iter_mut().zip(strides.iter_mut()).zip(extents.zip(steps)) {
        (*shape, *stride) = (extent, step);
    }
    let (shape, strides) =
        (shape.get(..layout.ndim()).unwrap_or_default(), strides.get(..layout.ndim()).unwrap_or_default());
    // SAFETY: as above.
    let made = unsafe { runtime.wrap(descr, shape, strides, data, writable, base) };
    made.map_err(|error| countable(descriptor).err().unwrap_or(error))
}

/// What keeps the memory of an array: the tensor, or, while exports are recorded, one that is recorded.
fn base<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let this = tensor.get();
    match trace::traced(py, this.shared(), Consumer::NumPy) {
        None => Ok(tensor.clone().into_any()),
        Some(traced) => Ok(Bound::new(
            py,
            Tensor::new(traced.into_shared(), this.source(), Some(tensor.clone().into_any().unbind())),
        )?
        .into_any()),
    }
}

/// An address for an array without elements: with none, NumPy would allocate memory, which is always writable.
fn nothing() -> *mut c_void {
    #[repr(align(64))]
    struct Nothing([u8; 64]);
    static NOTHING: Nothing = Nothing([0; 64]);
    NOTHING.0.as_ptr().cast_mut().cast()
}

/// The array that NumPy makes of a dtype that somebody registered with it; `None` when nobody did.
fn as_registered<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = tensor.py();
    // What is registered has whole bytes.
    if tensor.get().shared().descriptor().dtype().is_sub_byte() || !dtype::has_registry(py)? {
        return Ok(None);
    }
    match through_numpy(tensor) {
        Ok(array) => Ok(Some(array)),
        Err(error) if exchange::is_refusal(&error, py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an array of NumPy's is a copy, for elements that are packed have a byte each there.
pub(crate) fn spreads(descriptor: &Descriptor) -> bool {
    descriptor.dtype().is_sub_byte() && !descriptor.fields().padded
}

/// The tensor with one element in each byte.
fn spread<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, Tensor>> {
    let (py, this) = (tensor.py(), tensor.get());
    let view = this.shared().view();
    let spread = copying(py, view.layout().size(), |job| job.spread(view, Order::C))?;
    Bound::new(py, Tensor::new(spread.into_shared(), this.source(), None))
}

/// The tensor as NumPy itself takes it, with what was registered there.
fn through_numpy<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    numpy(py)?.getattr(interned!(py, "from_dlpack"))?.call1((tensor,))
}

/// The tensor as NumPy takes its buffer, which every NumPy does, read-only or not.
fn through_buffer<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let lent = PyMemoryView::from(tensor.as_any())?;
    numpy(py)?.getattr(interned!(py, "asarray"))?.call1((lent,))
}

/// The tensor through its bytes as integers, viewed as another type: for a NumPy whose structures are not known.
fn viewed<'py>(tensor: &Bound<'py, Tensor>, scalar_type: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let bits = u8::try_from(tensor.get().shared().descriptor().storage_bits())?;
    let stand_in = DLDataType { code: DLDataTypeCode::UINT, bits, lanes: 1 };
    let integers = Bound::new(py, view_as(tensor.get(), py, stand_in)?)?;
    through_buffer(&integers)?.call_method1(interned!(py, "view"), (scalar_type,))
}
