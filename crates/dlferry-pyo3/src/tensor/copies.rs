//! Private copies of a tensor, and copies into memory that is there.

use std::sync::OnceLock;

use dlferry::abi::DLDataType;
use dlferry::copy::{CopyError, Order};
use dlferry::managed::Descriptor;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::Tensor;
use crate::asarray::asarray;
use crate::borrow::{self, Kind, Region, Slot};
use crate::copying::{self, copying};
use crate::error::CopyRequiredError;
use crate::numpy;
use crate::protocol::Request;
use crate::python::name_of_type;
use crate::read_only::Why;

pub(super) fn copy(tensor: &Tensor, py: Python<'_>, order: &str) -> PyResult<Tensor> {
    in_order(tensor, py, order_of(order)?)
}

pub(super) fn order_of(order: &str) -> PyResult<Order> {
    match order {
        "C" => Ok(Order::C),
        "F" => Ok(Order::F),
        "K" => Ok(Order::K),
        other => Err(PyValueError::new_err(format!("order={other:?}: wanted \"C\", \"F\" or \"K\""))),
    }
}

/// A copy that is read-only where the tensor is, for `copy.deepcopy`.
pub(super) fn deep(tensor: &Tensor, py: Python<'_>) -> PyResult<Tensor> {
    let copy = in_order(tensor, py, Order::K)?;
    let shared = if tensor.shared.descriptor().is_read_only() { copy.shared.to_read_only() } else { copy.shared };
    Ok(Tensor { shared, source: copy.source, owner: None, shown: OnceLock::new() })
}

pub(super) fn in_order(tensor: &Tensor, py: Python<'_>, order: Order) -> PyResult<Tensor> {
    let copy = copying::in_order(py, tensor.shared.view(), order)?;
    Ok(Tensor::new(copy.into_shared(), tensor.source, None))
}

/// Copies the elements of one array into the memory of another, as if through a temporary: what `dlferry.copyto` does.
///
/// Both may be of any library; `source` is broadcast to the shape of `target`, and the dtypes are equal. Elements below a byte
/// may be packed in one and have a byte each in the other.
///
/// # Errors
///
/// `BufferError` when an array cannot be taken, when the target is read-only or may be a copy itself, so that what is written
/// would be lost; `CopyRequiredError` when the target's memory cannot be shared; `TypeError` for unequal dtypes, `ValueError`
/// for shapes that do not fit.
pub fn copyto(target: &Bound<'_, PyAny>, source: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = target.py();
    let own;
    let target = if let Ok(tensor) = target.cast::<Tensor>() {
        check_target(target, tensor.get())?;
        tensor.get().shared.descriptor()
    } else {
        let taken = asarray(target, &Request { copy: Some(false), in_place: true, ..Request::default() });
        own = taken.map_err(|error| would_be_lost(target, error))?;
        check_target(target, &own)?;
        own.shared.descriptor()
    };
    let taken;
    let source = if let Ok(tensor) = source.cast::<Tensor>() {
        tensor.get().shared.view()
    } else if let Some(strided) = numpy::awkward(source) {
        check_dtype(target.dtype(), strided.dtype())?;
        let _borrowed = borrow(py, target, strided.addresses().and_then(|(low, high)| Region::between(low, high)))?;
        // NumPy does not move the memory of an array that others hold, as `numpy::import` says, and threads go on meanwhile.
        let _held = [source.clone(), source.clone()];
        // SAFETY: as below; the array is the caller's during the call, and readable as its structure says.
        return copying(py, target.nbytes(), |job| unsafe { job.copy_strided_into(target, &strided) });
    } else {
        taken = asarray(source, &Request::default())?;
        taken.shared.view()
    };
    check_dtype(target.dtype(), source.descriptor().dtype())?;
    let _borrowed = borrow(py, target, Region::of(source.descriptor()))?;
    // SAFETY: the memory may be written, for the target's producer says so (assumption P1), and nobody else looks at it
    // meanwhile (assumption P2).
    copying(py, target.nbytes(), |job| unsafe { job.copy_into(target, source) })
}

/// Borrows the source for reading and the target for writing, as the arguments of functions do: no function looks at a slice
/// of what is written here, or writes what is read. The two may overlap.
fn borrow<'py>(py: Python<'py>, target: &Descriptor, source: Option<Region>) -> PyResult<[Option<Slot<'py>>; 2]> {
    let read = borrow::bytes(py, source, Kind::Shared, "source", None)?;
    let written = borrow::bytes(py, Region::of(target), Kind::Exclusive, "target", read.as_ref())?;
    Ok([written, read])
}

fn check_dtype(wanted: DLDataType, found: DLDataType) -> PyResult<()> {
    if wanted == found {
        return Ok(());
    }
    let error = CopyError::DType { wanted, found };
    Err(PyTypeError::new_err(format!("{error}: pass a source of {wanted}, converted with its own library")))
}

/// A target of which only a copy can be had: says so, for nobody passed `copy=False`.
fn would_be_lost(target: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = target.py();
    if !CopyRequiredError::class(py).is_ok_and(|class| error.matches(py, class).unwrap_or(false)) {
        return error;
    }
    let remedy = if numpy::is_one(target) { ": numpy.copyto writes there" } else { "" };
    let text = format!("only a copy of the target could be written, and would be lost: {}{remedy}", error.value(py));
    let lost = CopyRequiredError::new_err(py, text);
    // What forced the copy, and not how that was put.
    lost.set_cause(py, error.cause(py));
    lost
}

/// Refuses a target that is not to be written, and one whose elements may be a copy that nobody will look at.
fn check_target(target: &Bound<'_, PyAny>, taken: &Tensor) -> PyResult<()> {
    let py = target.py();
    let descriptor = taken.shared.descriptor();
    // A tensor is looked at through itself, whatever it came from.
    let is_tensor = target.is_instance_of::<Tensor>();
    if descriptor.is_read_only() {
        let owner = taken.owner.as_ref().map(|owner| owner.bind(py));
        let why = Why::of(py, descriptor, taken.source, owner)?.and_remedy(!is_tensor, "");
        return Err(PyBufferError::new_err(format!("the target is read-only: {why}")));
    }
    if descriptor.copied().is_none() && !is_tensor {
        let kind = name_of_type(target);
        return Err(PyBufferError::new_err(format!(
            "the target, of type {kind}, may have answered with a copy of its elements, and what is written there would be \
            lost: pass the array that it is made of"
        )));
    }
    Ok(())
}
