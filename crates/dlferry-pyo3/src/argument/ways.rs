//! The ways by which an array comes to a function: the first that does not refuse.
//!
//! 1. The structure of NumPy's array, when the object is one, or of a derived class that says nothing else of itself.
//! 2. The tensor that an exchange table lends; for reading, since it does not say whether it may be written.
//! 3. The managed tensor of the exchange table, or of `__dlpack__`.
//! 4. The buffer.
//!
//! Each way ends with a description of the memory, written down before anything else runs: what lends a tensor may
//! change its shape as soon as Python code runs again.

use dlferry::abi::{DLDevice, DLDeviceType};
use dlferry::managed::{Descriptor, Fields, Outline, Strides};
use pyo3::exceptions::{PyBufferError, PyRuntimeError};
use pyo3::prelude::*;

use super::refusal;
use super::wanted::Wanted;
use crate::borrow::Body;
use crate::error::is_broken;
use crate::exchange::{Loan, Table};
use crate::numpy::{self, Array};
use crate::protocol::{self, Request, values};
use crate::tensor::Tensor;
use crate::{buffer, capsule, exchange};

/// Writes down what the memory of an object is, and what keeps it beside the object.
///
/// # Errors
///
/// `TypeError` for what is no array, `BufferError` for one that cannot be exchanged; the producer's own exceptions pass.
pub(super) fn describe(object: &Bound<'_, PyAny>, wanted: &Wanted, body: &mut Body) -> PyResult<()> {
    if let Some(array) = numpy::array(object) {
        if by_structure(&array, wanted, body) {
            return Ok(());
        }
        return by_structure_slowly(object, &array, wanted, body);
    }
    describe_other(object, wanted, body)
}

/// The way of most arrays: one of NumPy's whose elements lie one after another, and all else as it is wanted. Gives how many
/// bytes they are; `None` says nothing.
#[inline]
pub(super) fn describe_plain(array: &Array<'_>, wanted: &Wanted, body: &mut Body) -> Option<usize> {
    let dtype = array.dtype()?;
    if !wanted.is_met_by_plain(dtype, array.ndim(), array.is_read_only()) || array.is_swapped() {
        return None;
    }
    let fields = Fields { read_only: !wanted.is_for_writing(), ..Fields::SHARED };
    // SAFETY: nothing else runs in this function; without a global lock nobody reshapes what is exchanged (assumption P3).
    let (shape, strides) = unsafe { array.axes() };
    let (data, shape, strides) = (array.data(), numpy::numbers(shape), numpy::numbers(strides));
    let strides = Strides::Bytes(&strides);
    let outline = Outline { data, device: DLDevice::CPU, dtype, shape: &shape, strides, fields };
    body.descriptor.rewrite_row_major(&outline)
}

/// The way of most tensors: what a table lends that is known already, whatever is wanted of it. [`Loan::None`] says nothing.
///
/// # Errors
///
/// What the producer raised.
#[inline]
pub(super) fn describe_lent(object: &Bound<'_, PyAny>, wanted: &Wanted, body: &mut Body) -> PyResult<Loan> {
    match exchange::known_table(object) {
        Some(table) if !wanted.is_for_writing() => by_loan(object, &table, wanted, body),
        _ => Ok(Loan::None),
    }
}

/// An array of NumPy's that needs no more than its structure.
fn by_structure(array: &Array<'_>, wanted: &Wanted, body: &mut Body) -> bool {
    let Some(dtype) = array.dtype().filter(|_| !array.is_swapped()) else { return false };
    // Who only reads need not know whether elements overlap.
    let fields = Fields { read_only: !wanted.is_for_writing() || array.is_read_only(), ..Fields::SHARED };
    // SAFETY: nothing else runs in this function; without a global lock nobody reshapes what is exchanged (assumption P3).
    let (shape, strides) = unsafe { array.axes() };
    let (data, shape, strides) = (array.data(), numpy::numbers(shape), numpy::numbers(strides));
    let strides = Strides::Bytes(&strides);
    let outline = Outline { data, device: DLDevice::CPU, dtype, shape: &shape, strides, fields };
    body.descriptor.rewrite(&outline).is_ok()
}

/// Any other array of NumPy's: of many axes, or of a dtype that others brought.
#[cold]
fn by_structure_slowly(object: &Bound<'_, PyAny>, array: &Array<'_>, wanted: &Wanted, body: &mut Body) -> PyResult<()> {
    match numpy::import(object, array, &Request { in_place: wanted.is_for_writing(), ..Request::default() }) {
        Ok(tensor) => keep(tensor, body),
        Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => {
            return Err(refusal::not_exchanged(object, wanted, error));
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

fn describe_other(object: &Bound<'_, PyAny>, wanted: &Wanted, body: &mut Body) -> PyResult<()> {
    if !wanted.is_for_writing()
        && let Some(table) = exchange::table_of(object)?
        && by_loan(object, &table, wanted, body)? != Loan::None
    {
        return Ok(());
    }
    match numpy::derived(object) {
        Ok(Some(array)) => return by_structure_slowly(object, &array, wanted, body),
        Ok(None) => {}
        Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => {
            return Err(refusal::not_exchanged(object, wanted, error));
        }
        Err(error) => return Err(error),
    }
    let refused = match by_management(object, wanted, body) {
        Ok(true) => return Ok(()),
        Ok(false) => None,
        Err(error) if is_broken(object.py(), &error) => return Err(refusal::not_exchanged(object, wanted, error)),
        Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => Some(error),
        Err(error) => return Err(error),
    };
    // What an array refused since its memory does not hold its values must not be taken another way.
    if let Some(error) = refused.is_some().then(|| values::refusal(object)).transpose()?.flatten() {
        return Err(refusal::not_exchanged(object, wanted, error));
    }
    if buffer::is_lent(object) {
        match buffer::import(object, &Request { in_place: wanted.is_for_writing(), ..Request::default() }) {
            Ok(tensor) => {
                keep(tensor, body);
                return Ok(());
            }
            Err(error) if refused.is_none() && !error.is_instance_of::<PyBufferError>(object.py()) => {
                return Err(error);
            }
            Err(error) if refused.is_none() => return Err(refusal::not_exchanged(object, wanted, error)),
            Err(_) => {}
        }
    }
    Err(match refused {
        Some(error) => refusal::not_exchanged(object, wanted, error),
        None => refusal::no_array(object, wanted),
    })
}

/// Host memory of a tensor that its table lends, read only.
#[inline]
fn by_loan(object: &Bound<'_, PyAny>, table: &Table, wanted: &Wanted, body: &mut Body) -> PyResult<Loan> {
    let descriptor = &mut body.descriptor;
    match table.lend(object, descriptor)? {
        Loan::None => Ok(Loan::None),
        Loan::Solid(bytes) if !values::may_be_marked(descriptor) => Ok(Loan::Solid(bytes)),
        Loan::Solid(_) | Loan::Other => check_loan(object, table, wanted, body),
    }
}

/// What is lent, if it is in host memory and not marked.
#[inline(never)]
fn check_loan(object: &Bound<'_, PyAny>, table: &Table, wanted: &Wanted, body: &mut Body) -> PyResult<Loan> {
    let descriptor = &mut body.descriptor;
    if !is_on_host(descriptor) {
        return Ok(Loan::None);
    }
    if !values::may_be_marked(descriptor) {
        return Ok(Loan::Other);
    }
    // Being asked, the object may run any code, which may move the memory: it is described anew.
    if let Err(error) = values::check_marks(object, descriptor) {
        return not_asked(object, wanted, error);
    }
    let is_lent = table.lend(object, descriptor)? != Loan::None && is_on_host(descriptor);
    Ok(if is_lent { Loan::Other } else { Loan::None })
}

/// What is marked is refused. What will not be asked may still be handed over by a method of its own.
#[cold]
fn not_asked(object: &Bound<'_, PyAny>, wanted: &Wanted, error: PyErr) -> PyResult<Loan> {
    let py = object.py();
    if error.is_instance_of::<PyRuntimeError>(py) {
        return Ok(Loan::None);
    }
    let is_refusal = error.is_instance_of::<PyBufferError>(py);
    Err(if is_refusal { refusal::not_exchanged(object, wanted, error) } else { error })
}

fn is_on_host(descriptor: &Descriptor) -> bool {
    descriptor.device().device_type == DLDeviceType::CPU
}

/// A tensor that is handed over; `false` when the object has no DLPack.
fn by_management(object: &Bound<'_, PyAny>, wanted: &Wanted, body: &mut Body) -> PyResult<bool> {
    let in_place = wanted.is_for_writing();
    let request = Request { lenient: !in_place, in_place, ..Request::default() };
    let taken = if capsule::is_capsule(object) {
        let taken = capsule::take(object)?;
        let source = protocol::source_of(&taken);
        Some((taken, source))
    } else {
        protocol::take(object, &request)?
    };
    let Some((taken, source)) = taken else { return Ok(false) };
    let descriptor = taken.descriptor();
    if wanted.is_for_writing() {
        if descriptor.version().is_none() {
            return Err(PyBufferError::new_err(
                "its producer knows only unversioned capsules, which cannot say whether the memory may be written",
            ));
        }
        if descriptor.copied() == Some(true) {
            return Err(PyBufferError::new_err("its producer made a copy, and what is written to that is lost"));
        }
    }
    keep(Tensor::new(taken.into_shared(), source, None), body);
    Ok(true)
}

/// Makes what a tensor describes and keeps what is borrowed.
pub(super) fn keep(tensor: Tensor, body: &mut Body) {
    let source = tensor.source();
    let shared = tensor.into_shared();
    body.descriptor.clone_from(shared.descriptor());
    body.keep = Some((shared, source));
}
