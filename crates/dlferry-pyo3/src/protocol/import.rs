use dlferry::abi::DLDevice;
use dlferry::managed::Tensor as Managed;
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;

use super::values::{self, Way};
use super::{Request, call};
use crate::capsule;
use crate::error::with_note;
use crate::exchange;
use crate::numpy;
use crate::settle::settle;
use crate::tensor::{Made, Source, Tensor};

/// Takes an array of any library: what `dlferry.from_dlpack` does.
///
/// `object` has a DLPack exchange table or `__dlpack__`, or is a DLPack capsule. The result shares its memory, unless
/// `request` asks for a copy or the producer made one.
///
/// # Errors
///
/// `BufferError` when the array cannot be exchanged as asked, `CopyRequiredError` when only a copy could and it is
/// forbidden, `TypeError` when the object has no such protocol. The producer's own exceptions pass unchanged.
pub fn import(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Tensor> {
    import_as(object, request)
}

/// Like [`import`], as an object for Python.
///
/// # Errors
///
/// As [`import`].
pub fn import_object<'py>(object: &Bound<'py, PyAny>, request: &Request) -> PyResult<Bound<'py, Tensor>> {
    import_as(object, request)
}

#[inline]
fn import_as<'py, R: Made<'py>>(object: &Bound<'py, PyAny>, request: &Request) -> PyResult<R> {
    if let Some(array) = numpy::array(object) {
        return numpy::import(object, &array, request);
    }
    if capsule::is_capsule(object) {
        let taken = capsule::take(object)?;
        let source = source_of(&taken);
        return settle(object.py(), taken, request, source, None);
    }
    let offer = offer(object, request)?;
    if let Offer::Taken(taken) = offer {
        return settle(object.py(), taken, request, Source::Exchange, Some(object));
    }
    if let Some(array) = numpy::derived(object)? {
        return numpy::import(object, &array, request);
    }
    match by_method(object, request, offer)? {
        Some((taken, source)) => settle(object.py(), taken, request, source, Some(object)),
        None => Err(call::without_protocol(object)?),
    }
}

/// What an array's library hands over, as it is, and which way it came; `None` when the object has neither an exchange
/// table nor the method.
///
/// # Errors
///
/// As [`import`](import()).
#[inline]
pub(crate) fn take(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Option<(Managed, Source)>> {
    match offer(object, request)? {
        Offer::Taken(taken) => Ok(Some((taken, Source::Exchange))),
        offer => by_method(object, request, offer),
    }
}

/// What the exchange table gives, where it will do: of a device other than the CPU only the method can be told.
#[inline]
fn offer(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Offer> {
    let table_will_do = request.device.is_none_or(|device| device == DLDevice::CPU);
    if table_will_do { through_table(object, request) } else { Ok(Offer::Nothing) }
}

/// What `__dlpack__` gives; `None` when there is no such method, and the table has no refusal of its own.
#[inline]
fn by_method(object: &Bound<'_, PyAny>, request: &Request, offer: Offer) -> PyResult<Option<(Managed, Source)>> {
    let Some(answer) = call::capsule(object, request).map_err(|error| with_remedy(object, request, error))? else {
        return match offer {
            Offer::Refused(error) => Err(error),
            _ => Ok(None),
        };
    };
    let mut taken = capsule::take(&answer).map_err(|error| blame(object, error))?;
    values::check(object, &mut taken, Way::Method, request)?;
    let source = source_of(&taken);
    Ok(Some((taken, source)))
}

/// The error of an array's own `__dlpack__`, with a note where another function may get further: what is derived from NumPy's
/// has a buffer, too.
fn with_remedy(object: &Bound<'_, PyAny>, request: &Request, error: PyErr) -> PyErr {
    let py = object.py();
    let is_noted = !request.lenient && !request.in_place && error.is_instance_of::<PyBufferError>(py);
    if is_noted && numpy::is_one(object) {
        return with_note(py, error, "dlferry.asarray tries the buffer of the array next");
    }
    error
}

/// What an exchange table had to give.
enum Offer {
    Taken(Managed),
    /// There is no usable table.
    Nothing,
    /// The object may still be had through `__dlpack__`; if it has none, this is why.
    Refused(PyErr),
}

/// Takes CPU memory through the exchange table, when the object's type has one.
///
/// Other devices go through `__dlpack__`, which knows of streams (decision 5.12), and so does what the table refuses
/// (rule E11).
#[inline]
fn through_table(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Offer> {
    let Some(table) = exchange::table_of(object)? else {
        return Ok(Offer::Nothing);
    };
    let mut taken = match table.export(object) {
        Ok(taken) => taken,
        Err(error) if exchange::is_refusal(&error, object.py()) => return Ok(Offer::Refused(error)),
        Err(error) => return Err(error),
    };
    let device = taken.descriptor().device();
    if device.device_type != DLDevice::CPU.device_type {
        return Ok(Offer::Refused(PyBufferError::new_err(format!(
            "the tensor is on {device}, and its exchange table cannot be told a stream as __dlpack__ can"
        ))));
    }
    match values::check(object, &mut taken, Way::Exchange(&table), request) {
        Ok(()) => Ok(Offer::Taken(taken)),
        // It will not be asked, as wrappers for export alone will not: its own `__dlpack__` asks the same.
        Err(error) if error.is_instance_of::<PyRuntimeError>(object.py()) => Ok(Offer::Refused(error)),
        Err(error) => Err(error),
    }
}

/// Which way a capsule's tensor came.
#[inline]
pub(crate) fn source_of(taken: &Managed) -> Source {
    match taken.descriptor().version() {
        Some(_) => Source::DLPack,
        None => Source::DLPackUnversioned,
    }
}

/// A producer that answers with something else than a DLPack capsule is at fault, not the caller's argument.
fn blame(object: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = object.py();
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let kind = object.get_type();
    PyBufferError::new_err(format!("the __dlpack__ of {kind} answered something else: {}", error.value(py)))
}
