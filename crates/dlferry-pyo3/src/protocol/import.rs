use dlferry::abi::DLDevice;
use dlferry::managed::{Descriptor, SharedTensor, Tensor as Managed};
use pyo3::exceptions::PyBufferError;
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
    if let Some(taken) = table_will_do.then(|| through_table(object)).transpose()?.flatten() {
        return finish(object.py(), taken, request, Some(Source::Exchange), Some(object));
    }
    let answer = call::capsule(object, request)?;
    let taken = capsule::take(&answer).map_err(|error| blame(object, &answer, error))?;
    values::check(object, &taken.descriptor, Way::Method)?;
    finish(object.py(), taken, request, None, Some(object))
}

/// Takes CPU memory through the exchange table, when the object's type has one.
///
/// Other devices go through `__dlpack__`, which knows of streams (decision 5.12), and so does what the table answers
/// with a `BufferError` (rule E11).
fn through_table(object: &Bound<'_, PyAny>) -> PyResult<Option<Taken>> {
    let Some(table) = exchange::table_of(object)? else { return Ok(None) };
    let taken = match table.export(object) {
        Ok(taken) => taken,
        Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => return Ok(None),
        Err(error) => return Err(error),
    };
    if taken.descriptor.device().device_type != DLDevice::CPU.device_type {
        return Ok(None);
    }
    values::check(object, &taken.descriptor, Way::Exchange)?;
    Ok(Some(taken))
}

/// Fits what was taken to what was asked for.
fn finish(
    py: Python<'_>,
    taken: Taken,
    request: &Request,
    source: Option<Source>,
    owner: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    let Taken { handle, mut descriptor } = taken;
    let source = source.unwrap_or(match descriptor.version() {
        Some(_) => Source::DLPack,
        None => Source::DLPackUnversioned,
    });
    check_device(&descriptor, request.device)?;
    if request.copy == Some(false) && descriptor.copied() == Some(true) {
        return Err(CopyRequiredError::new_err(
            py,
            String::from("the producer copied the data, and copy=False forbids that"),
        ));
    }
    if request.copy == Some(true) {
        let private = descriptor.copied() == Some(true) && !descriptor.is_read_only();
        if !private {
            // SAFETY: taken over from its producer, and described (assumption P1).
            let original = unsafe { Managed::from_parts(handle, descriptor) };
            let copy = Managed::copy_of(original.view()).map_err(IntoPyErr::into_py_err)?;
            return Ok(Tensor::new(settled(copy, request), source, None));
        }
    }
    if request.writable == Some(true) {
        assert_writable(&mut descriptor)?;
    }
    // SAFETY: as above.
    let tensor = unsafe { Managed::from_parts(handle, descriptor) };
    let owner = if request.copy == Some(true) { None } else { owner };
    Ok(Tensor::new(settled(tensor, request), source, owner.map(|owner| owner.clone().unbind())))
}

fn settled(tensor: Managed, request: &Request) -> SharedTensor {
    if request.writable == Some(false) { tensor.into_read_only().into_shared() } else { tensor.into_shared() }
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
fn assert_writable(descriptor: &mut Descriptor) -> PyResult<()> {
    if !descriptor.is_read_only() {
        return Ok(());
    }
    if descriptor.version().is_some() && !descriptor.layout().has_overlap() {
        return Err(PyBufferError::new_err(
            "the tensor is read-only, and writable=True was asked for: copy=True gives a writable copy",
        ));
    }
    // SAFETY: the caller of `from_dlpack(..., writable=True)` says that the memory may be written (assumption P1).
    if unsafe { descriptor.set_writable() } {
        return Ok(());
    }
    Err(PyBufferError::new_err(
        "elements of the tensor share memory, so it cannot be writable: copy=True gives a writable copy",
    ))
}

/// A producer that answers with something else than a capsule is at fault, not the caller's argument.
fn blame(object: &Bound<'_, PyAny>, answer: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    if capsule::is_capsule(answer) {
        return error;
    }
    let kind = |object: &Bound<'_, PyAny>| object.get_type().to_string();
    PyBufferError::new_err(format!(
        "the __dlpack__ of {} answered an object of {} in place of a capsule",
        kind(object),
        kind(answer)
    ))
}
