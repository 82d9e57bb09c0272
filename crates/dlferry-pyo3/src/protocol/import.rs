use dlferry::abi::DLDevice;
use dlferry::managed::{Descriptor, Tensor as Managed};
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;

use super::values::{self, Way};
use super::{Request, call};
use crate::capsule::{self, Taken};
use crate::error::{CopyRequiredError, IntoPyErr};
use crate::exchange;
use crate::tensor::{Source, Tensor};

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
    if capsule::is_capsule(object) {
        let taken = capsule::take(object)?;
        return finish(object.py(), taken, request, None, None);
    }
    // A device other than the CPU was asked for: only the method can be told.
    let table_will_do = request.device.is_none_or(|device| device == DLDevice::CPU);
    let offer = if table_will_do { through_table(object)? } else { Offer::Nothing };
    if let Offer::Taken(taken) = offer {
        return finish(object.py(), taken, request, Some(Source::Exchange), Some(object));
    }
    let Some(answer) = call::capsule(object, request)? else {
        return Err(match offer {
            Offer::Refused(error) => error,
            _ => call::without_protocol(object)?,
        });
    };
    let taken = capsule::take(&answer).map_err(|error| blame(object, error))?;
    values::check(object, &taken.descriptor, Way::Method)?;
    finish(object.py(), taken, request, None, Some(object))
}

/// What an exchange table had to give.
enum Offer {
    Taken(Taken),
    /// There is no usable table.
    Nothing,
    /// The object may still be had through `__dlpack__`; if it has none, this is why.
    Refused(PyErr),
}

/// Takes CPU memory through the exchange table, when the object's type has one.
///
/// Other devices go through `__dlpack__`, which knows of streams (decision 5.12), and so does what the table answers
/// with a `BufferError` (rule E11).
fn through_table(object: &Bound<'_, PyAny>) -> PyResult<Offer> {
    let Some(table) = exchange::table_of(object)? else { return Ok(Offer::Nothing) };
    let taken = match table.export(object) {
        Ok(taken) => taken,
        Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => return Ok(Offer::Refused(error)),
        Err(error) => return Err(error),
    };
    let device = taken.descriptor.device();
    if device.device_type != DLDevice::CPU.device_type {
        return Ok(Offer::Refused(PyBufferError::new_err(format!(
            "the tensor is on {device}, and its exchange table cannot be told a stream as __dlpack__ can"
        ))));
    }
    match values::check(object, &taken.descriptor, Way::Exchange) {
        Ok(()) => Ok(Offer::Taken(taken)),
        // It will not be asked, as wrappers for export alone will not: its own `__dlpack__` asks the same.
        Err(error) if error.is_instance_of::<PyRuntimeError>(object.py()) => Ok(Offer::Refused(error)),
        Err(error) => Err(error),
    }
}

fn finish(
    py: Python<'_>,
    taken: Taken,
    request: &Request,
    source: Option<Source>,
    owner: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    let source = source.unwrap_or(match taken.descriptor.version() {
        Some(_) => Source::DLPack,
        None => Source::DLPackUnversioned,
    });
    // SAFETY: taken over from its producer, and described (assumption P1).
    let tensor = unsafe { Managed::from_parts(taken.handle, taken.descriptor) };
    settle(py, tensor, request, source, owner)
}

/// Fits what was taken to what was asked for.
#[inline]
pub(crate) fn settle(
    py: Python<'_>,
    mut tensor: Managed,
    request: &Request,
    source: Source,
    owner: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    let descriptor = tensor.descriptor();
    check_device(descriptor, request.device)?;
    let copied = descriptor.copied() == Some(true);
    match request.copy {
        Some(false) if copied => {
            return Err(CopyRequiredError::new_err(
                py,
                String::from("the producer copied the data, and copy=False forbids that"),
            ));
        }
        Some(true) => {
            if !copied || descriptor.is_read_only() {
                tensor = Managed::copy_of(tensor.view()).map_err(IntoPyErr::into_py_err)?;
            }
            if request.writable == Some(false) {
                tensor = tensor.into_read_only();
            }
            return Ok(Tensor::new(tensor.into_shared(), source, None));
        }
        _ => {}
    }
    match request.writable {
        Some(true) => tensor = assert_writable(tensor)?,
        Some(false) => tensor = tensor.into_read_only(),
        None => {}
    }
    Ok(Tensor::new(tensor.into_shared(), source, owner.map(|owner| owner.clone().unbind())))
}

/// The result is where it was asked to be; any memory that the host can read will do for the CPU (rule R9.16).
fn check_device(descriptor: &Descriptor, wanted: Option<DLDevice>) -> PyResult<()> {
    let found = descriptor.device();
    match wanted {
        Some(wanted) if wanted != found && !(wanted == DLDevice::CPU && descriptor.is_host_readable()) => {
            Err(PyBufferError::new_err(format!(
                "the tensor is on {found}, and device={wanted} was asked for: move it with its own library first"
            )))
        }
        _ => Ok(()),
    }
}

/// Takes the caller's word for an unversioned tensor, which cannot say whether it may be written.
fn assert_writable(tensor: Managed) -> PyResult<Managed> {
    if !tensor.descriptor().is_read_only() {
        return Ok(tensor);
    }
    if tensor.descriptor().layout().has_overlap() {
        return Err(PyBufferError::new_err(
            "elements of the tensor share memory, so it cannot be writable: copy=True gives a writable copy",
        ));
    }
    if tensor.descriptor().version().is_some() {
        return Err(PyBufferError::new_err(
            "the tensor is read-only, and writable=True was asked for: copy=True gives a writable copy",
        ));
    }
    let (handle, mut descriptor) = tensor.into_parts();
    // SAFETY: the caller of `from_dlpack(..., writable=True)` says that the memory may be written (assumption P1). That
    // no elements overlap was checked.
    let _writable = unsafe { descriptor.set_writable() };
    // SAFETY: the parts that belong together.
    Ok(unsafe { Managed::from_parts(handle, descriptor) })
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
