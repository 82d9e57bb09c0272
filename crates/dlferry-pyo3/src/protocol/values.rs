//! Tensors whose bytes are not their values, or whose values must not be handed out (decision 5.9).
//!
//! Some libraries mark a tensor as conjugated or negated and leave its memory as it was; some record operations for
//! derivatives and would not notice a write. Their own `__dlpack__` refuses most of these; their exchange table lets
//! them through. So they are asked, where the question can matter. Masked arrays export what lies under the mask, and
//! their mask is lost.

use dlferry::abi::{DLDataType, DLDataTypeCode};
use dlferry::managed::{Descriptor, Tensor as Managed};
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::Request;
use crate::exchange::Table;
use crate::once::interned;
use crate::python::{answers, loaded_module, type_attribute, unless_it_raises};

/// How a tensor came, which decides what its producer has checked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way<'a> {
    /// Through the exchange table, which checks nothing.
    Exchange(&'a Table),
    /// Through `__dlpack__`, which refuses all but negated tensors and masked arrays.
    Method,
}

const CONJUGATED: &str =
    "the tensor is marked as conjugated and its memory holds other values: pass tensor.resolve_conj()";
const NEGATED: &str = "the tensor is marked as negated and its memory holds other values: pass tensor.resolve_neg()";
const MASKED: &str = "the array is masked, and its mask would be lost: pass array.filled(value), or array.data, which is no copy and \
    includes what is masked";

const NULLS: &str = "the Arrow array has nulls, which a tensor cannot say: pass array.fill_null(value), or \
    numpy.asarray(array) if NaN is meant";

/// Refuses a tensor whose memory does not hold its values.
///
/// One that requires a gradient is refused too, or, when the taker is lenient, made read-only.
#[inline]
pub(crate) fn check(object: &Bound<'_, PyAny>, tensor: &mut Managed, way: Way<'_>, request: &Request) -> PyResult<()> {
    if let Way::Exchange(table) = way {
        if table.requires_grad(object)? {
            if !request.lenient {
                let other = if request.in_place { "" } else { ", or use dlferry.asarray, which makes it read-only" };
                return Err(PyBufferError::new_err(format!(
                    "the tensor requires a gradient, which would not see writes made elsewhere: pass tensor.detach(){other}"
                )));
            }
            tensor.set_read_only();
        }
        check_marks(object, tensor.descriptor())?;
    } else if may_be_negated(tensor.descriptor()) && says_negated(object)? {
        return Err(PyBufferError::new_err(NEGATED));
    }
    if matches!(way, Way::Method) && is_coded_in_python(object) && masks_elements(object)? {
        return Err(PyBufferError::new_err(MASKED));
    }
    Ok(())
}

/// Whether a tensor that came through an exchange table may be of the kinds that [`check_marks`] refuses.
#[inline]
pub(crate) fn may_be_marked(descriptor: &Descriptor) -> bool {
    is_complex(descriptor.dtype()) || may_be_negated(descriptor)
}

/// Refuses a tensor that came through an exchange table whose memory does not hold its values. That it requires a gradient does
/// not matter to who only reads.
#[inline]
pub(crate) fn check_marks(object: &Bound<'_, PyAny>, descriptor: &Descriptor) -> PyResult<()> {
    if is_complex(descriptor.dtype()) && answers(object, interned!(object.py(), "is_conj"))? {
        return Err(PyBufferError::new_err(CONJUGATED));
    }
    if may_be_negated(descriptor) && answers(object, interned!(object.py(), "is_neg"))? {
        return Err(PyBufferError::new_err(NEGATED));
    }
    Ok(())
}

/// Whether an object says that it is negated. PyTorch's wrappers for export alone answer no question; the tensor within is asked.
fn says_negated(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    let name = interned!(py, "is_neg");
    let error = match answers(object, name) {
        Err(error) if error.is_instance_of::<PyRuntimeError>(py) => error,
        answer => return answer,
    };
    let Some(guard) = unless_it_raises(py, without_overrides(py))?.flatten() else { return Err(error) };
    guard.call_method0(interned!(py, "__enter__"))?;
    let answer = answers(object, name);
    guard.call_method1(interned!(py, "__exit__"), (py.None(), py.None(), py.None()))?;
    answer
}

/// What PyTorch has, when it is there, to let a tensor of a derived class be asked as one of its own.
fn without_overrides(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    let Some(torch) = loaded_module(py, interned!(py, "torch")) else { return Ok(None) };
    let inner = torch.getattr(interned!(py, "_C"))?;
    inner.call_method0(interned!(py, "DisableTorchFunctionSubclass")).map(Some)
}

/// The refusal of an object whose memory does not hold its values, whichever way one takes it; asked once another way has
/// refused.
pub(crate) fn refusal(object: &Bound<'_, PyAny>) -> PyResult<Option<PyErr>> {
    let py = object.py();
    Ok(if answers(object, interned!(py, "is_conj"))? {
        Some(PyBufferError::new_err(CONJUGATED))
    } else if answers(object, interned!(py, "is_neg"))? {
        Some(PyBufferError::new_err(NEGATED))
    } else {
        masked(object)?.or(nulls(object)?)
    })
}

/// The refusal of an array that masks some of its elements.
pub(crate) fn masked(object: &Bound<'_, PyAny>) -> PyResult<Option<PyErr>> {
    let masks = is_coded_in_python(object) && masks_elements(object)?;
    Ok(masks.then(|| PyBufferError::new_err(MASKED)))
}

/// The refusal of an array some of whose elements are absent, as Arrow's may be: what makes an array of NumPy's of it would
/// put other values in their place. Some say the number by an attribute, others by a method.
pub(crate) fn nulls(object: &Bound<'_, PyAny>) -> PyResult<Option<PyErr>> {
    let py = object.py();
    let Some(count) = unless_it_raises(py, object.getattr_opt(interned!(py, "null_count")))?.flatten() else {
        return Ok(None);
    };
    let count = if count.is_callable() { unless_it_raises(py, count.call0())? } else { Some(count) };
    let has_some = count.and_then(|count| count.extract::<i64>().ok()).is_some_and(|count| count > 0);
    Ok(has_some.then(|| PyBufferError::new_err(NULLS)))
}

/// The mark comes from the imaginary half of a conjugated tensor, which is real and has gaps, unless it has one element or none.
/// It stays on what is made of that without a copy, which can be complex anew. Real ones without gaps are not asked: PyTorch lets
/// go of the interpreter to answer, which takes as long as all of the rest; `SAFETY.md` says what goes unseen.
#[inline]
fn may_be_negated(descriptor: &Descriptor) -> bool {
    let is_real = matches!(descriptor.dtype().code, DLDataTypeCode::FLOAT | DLDataTypeCode::BFLOAT);
    let is_half = descriptor.layout().size() <= 1 || !descriptor.layout().is_c_contiguous();
    (is_real && is_half) || is_complex(descriptor.dtype())
}

#[inline]
fn is_complex(dtype: DLDataType) -> bool {
    matches!(dtype.code, DLDataTypeCode::COMPLEX | DLDataTypeCode::BCOMPLEX)
}

/// Whether the class was made by Python code, as those are that lay a mask over an array. The array types of C, above
/// all `numpy.ndarray` itself, are spared the search for an attribute that they lack.
fn is_coded_in_python(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: attached; the type of a living object.
    let flags = unsafe { ffi::PyType_GetFlags(object.get_type_ptr()) };
    flags & ffi::Py_TPFLAGS_HEAPTYPE != 0
}

/// Whether the object has a mask and some element is under it. A method of that name is no mask, and that of structures, which
/// are refused as such, has one for each field.
fn masks_elements(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    let name = interned!(py, "mask");
    if type_attribute(object, name)?.is_none() {
        return Ok(false);
    }
    let mask = object.getattr(name)?;
    let Some(any) = mask.getattr_opt(interned!(py, "any"))? else {
        return Ok(false);
    };
    match any.call0() {
        Err(error) if error.is_instance_of::<PyTypeError>(py) && has_fields(&mask) => Ok(false),
        answer => answer?.is_truthy(),
    }
}

/// Whether an array is one of structures.
fn has_fields(array: &Bound<'_, PyAny>) -> bool {
    let py = array.py();
    let dtype = array.getattr(interned!(py, "dtype"));
    dtype.and_then(|dtype| dtype.getattr(interned!(py, "names"))).is_ok_and(|names| !names.is_none())
}
