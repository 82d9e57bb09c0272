//! Tensors whose bytes are not their values, or whose values must not be handed out (decision 5.9).
//!
//! Some libraries mark a tensor as conjugated or negated and leave its memory as it was; some record operations for
//! derivatives and would not notice a write. Their own `__dlpack__` refuses most of these; their exchange table lets
//! them through. So they are asked, where the question can matter.

use dlferry::abi::{DLDataTypeCode, DLDataType};
use dlferry::managed::Descriptor;
use pyo3::exceptions::PyBufferError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// How a tensor came, which decides what its producer has checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Through the exchange table, which checks nothing.
    Exchange,
    /// Through `__dlpack__`, which refuses all but negated tensors.
    Method,
}

/// Refuses a tensor whose memory does not hold its values.
pub(super) fn check(object: &Bound<'_, PyAny>, descriptor: &Descriptor, way: Way) -> PyResult<()> {
    let py = object.py();
    if way == Way::Exchange {
        if has(object, intern!(py, "requires_grad"))? {
            return Err(PyBufferError::new_err(
                "the tensor requires a gradient, which would not see writes made elsewhere: pass tensor.detach()",
            ));
        }
        if may_be_conjugated(descriptor.dtype()) && answers(object, intern!(py, "is_conj"))? {
            return Err(PyBufferError::new_err(
                "the tensor is marked as conjugated and its memory holds other values: pass tensor.resolve_conj()",
            ));
        }
    }
    if may_be_negated(descriptor) && answers(object, intern!(py, "is_neg"))? {
        return Err(PyBufferError::new_err(
            "the tensor is marked as negated and its memory holds other values: pass tensor.resolve_neg()",
        ));
    }
    Ok(())
}

fn may_be_conjugated(dtype: DLDataType) -> bool {
    matches!(dtype.code, DLDataTypeCode::COMPLEX | DLDataTypeCode::BCOMPLEX)
}

/// The mark comes from the imaginary half of a conjugated tensor, which is real and has gaps, unless it has one element
/// or none.
fn may_be_negated(descriptor: &Descriptor) -> bool {
    let real = matches!(descriptor.dtype().code, DLDataTypeCode::FLOAT | DLDataTypeCode::BFLOAT);
    real && (descriptor.layout().size() <= 1 || !descriptor.layout().is_c_contiguous())
}

/// Whether the attribute exists and is true.
fn has(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    match object.getattr_opt(name)? {
        Some(value) => value.is_truthy(),
        None => Ok(false),
    }
}

/// Whether the method exists and answers true.
fn answers(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    match object.getattr_opt(name)? {
        Some(method) => method.call0()?.is_truthy(),
        None => Ok(false),
    }
}
