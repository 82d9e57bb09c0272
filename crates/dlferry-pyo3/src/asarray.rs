//! `asarray`: whatever way there is.

use pyo3::exceptions::{PyBufferError, PyException, PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::error::{CopyRequiredError, is_broken};
use crate::once::interned;
use crate::protocol::{self, Request, values};
use crate::python::{name_of_type, offered};
use crate::remedy::{Call, remedy};
use crate::settle::resettle;
use crate::tensor::Tensor;
use crate::{buffer, capsule, exchange, interface, numpy};

/// Takes an array by the first way that works: DLPack, the buffer protocol, the array interfaces, `__array__`.
///
/// `request` is taken leniently: elements that DLPack cannot describe are copied unless `copy` is `Some(false)`.
///
/// # Errors
///
/// One error that lists each way and why it did not work, or for an array of NumPy's the first: `TypeError` when the object has none of them,
/// `CopyRequiredError` when a copy would have worked and is forbidden, else `BufferError`. What the `__dlpack__` of a class derived
/// from NumPy's array raises passes, unless it is a `BufferError`.
pub fn asarray(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Tensor> {
    let request = Request { lenient: true, ..*request };
    if let Ok(tensor) = object.cast::<Tensor>() {
        return resettle(tensor, &request);
    }
    if capsule::is_capsule(object) {
        return protocol::import(object, &request);
    }
    let mut ways = Ways { object, refusals: Vec::new() };
    if let Some(tensor) = ways.attempt("DLPack", || dlpack(object, &request))? {
        return Ok(tensor);
    }
    if let Some(error) = ways.raised_by_own_method() {
        return Err(error);
    }
    // What an array refused since its memory does not hold its values must not be taken another way.
    if let Some(error) = ways.has_refusals().then(|| values::refusal(object)).transpose()?.flatten() {
        return Err(error);
    }
    // Nor has an array of NumPy's that was refused by its structure other ways than those that say the same in other words.
    if let Some(error) = ways.refused_by_structure()? {
        return Err(error);
    }
    if let Some(tensor) = ways.attempt("buffer", || buffer_of(object, &request))? {
        return Ok(tensor);
    }
    if let Some(tensor) = ways.attempt("__array_interface__", || interface::import::host(object, &request))? {
        return Ok(tensor);
    }
    if let Some(tensor) = ways.attempt("__cuda_array_interface__", || interface::import::cuda(object, &request))? {
        return Ok(tensor);
    }
    if let Some(error) = values::nulls(object)? {
        return Err(error);
    }
    if let Some(tensor) = ways.attempt("__array__", || array_method(object, &request))? {
        return Ok(tensor);
    }
    Err(ways.into_error()?)
}

fn dlpack(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Option<Tensor>> {
    // Arrays of NumPy's are read by their structure, also those of a NumPy without DLPack.
    let is_one = numpy::array(object).is_some()
        || offered(object, interned!(object.py(), "__dlpack__"))?.is_some()
        || exchange::table_of(object)?.is_some();
    if is_one { protocol::import(object, request).map(Some) } else { Ok(None) }
}

fn buffer_of(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Option<Tensor>> {
    if buffer::is_lent(object) { buffer::import(object, request).map(Some) } else { Ok(None) }
}

/// Lets the object make an array of NumPy's, and takes that.
fn array_method(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Option<Tensor>> {
    let py = object.py();
    let Some(method) = offered(object, interned!(py, "__array__"))? else {
        return Ok(None);
    };
    let array = if request.copy == Some(false) {
        let keywords = PyDict::new(py);
        keywords.set_item(interned!(py, "copy"), false)?;
        method.call((), Some(&keywords))?
    } else {
        method.call0()?
    };
    if array.is(object) {
        // An array of NumPy's own: nothing new to be had.
        return Ok(None);
    }
    let taken = match dlpack(&array, request) {
        Ok(Some(tensor)) => tensor,
        Err(error) if is_broken(py, &error) => return Err(error),
        Ok(None) | Err(_) => {
            if let Some(error) = values::refusal(&array)? {
                return Err(error);
            }
            buffer_of(&array, request)?
                .ok_or_else(|| PyBufferError::new_err(format!("it answers an object of {}", array.get_type())))?
        }
    };
    // Whether the method copied, nobody knows.
    Ok(Some(taken.of_unknown_origin()))
}

/// The ways tried so far, and why they did not work.
struct Ways<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    refusals: Vec<(&'static str, PyErr)>,
}

impl Ways<'_, '_> {
    /// Tries one way. A refusal is noted; what is none, such as an interrupt or a lack of memory, goes on up. After the refusal
    /// of memory that cannot be as its producer says, no other way is tried.
    fn attempt(
        &mut self,
        way: &'static str,
        take: impl FnOnce() -> PyResult<Option<Tensor>>,
    ) -> PyResult<Option<Tensor>> {
        let py = self.object.py();
        match take() {
            Err(error) if !error.is_instance_of::<PyException>(py) => Err(error),
            Err(error) if error.is_instance_of::<PyMemoryError>(py) => Err(error),
            Err(error) if is_broken(py, &error) => {
                self.refusals.push((way, error));
                let refusals = core::mem::take(&mut self.refusals);
                Err(Ways { object: self.object, refusals }.into_error()?)
            }
            Err(error) => {
                self.refusals.push((way, error));
                Ok(None)
            }
            result => result,
        }
    }

    /// The refusal of an array of NumPy's whose elements DLPack does not have; what the structure says is all there is.
    fn refused_by_structure(&mut self) -> PyResult<Option<PyErr>> {
        let py = self.object.py();
        let Some((_, error)) = self.refusals.first() else { return Ok(None) };
        let is_one = error.is_instance_of::<PyBufferError>(py)
            && (numpy::array(self.object).is_some() || numpy::derived(self.object)?.is_some());
        Ok(if is_one { self.refusals.pop().map(|(_, error)| error) } else { None })
    }

    /// What the `__dlpack__` of a class derived from NumPy's raised, unless it is a refusal: who wrote one meant it, and the
    /// memory is not to be had past it.
    fn raised_by_own_method(&mut self) -> Option<PyErr> {
        let (_, error) = self.refusals.first()?;
        let is_refusal = error.is_instance_of::<PyBufferError>(self.object.py());
        if is_refusal || !numpy::is_one(self.object) {
            return None;
        }
        self.refusals.pop().map(|(_, error)| error)
    }

    fn has_refusals(&self) -> bool {
        !self.refusals.is_empty()
    }

    fn into_error(self) -> PyResult<PyErr> {
        let py = self.object.py();
        let kind = name_of_type(self.object);
        // A class shows the attributes of its instances.
        if self.refusals.is_empty() || self.object.is_instance_of::<PyType>() {
            return Ok(PyTypeError::new_err(format!(
                "an object of type {kind} is no array: {}",
                remedy(self.object, Call::AsArray)?
            )));
        }
        // Ways that refuse for the same reason are named together.
        let mut reasons: Vec<(String, String)> = Vec::new();
        for (way, error) in &self.refusals {
            let reason = error.value(py).to_string().trim_end_matches('.').to_owned();
            match reasons.last_mut().filter(|(_, last)| *last == reason) {
                Some((ways, _)) => *ways = format!("{ways}, {way}"),
                None => reasons.push(((*way).to_owned(), reason)),
            }
        }
        let reasons: Vec<String> = reasons.iter().map(|(ways, reason)| format!("{ways} ({reason})")).collect();
        let text = format!("an array of type {kind} cannot be taken by any way: {}", reasons.join("; "));
        let class = CopyRequiredError::class(py)?;
        let copy_would_do = self.refusals.iter().any(|(_, error)| error.matches(py, class).unwrap_or(false));
        let error = if copy_would_do { CopyRequiredError::new_err(py, text) } else { PyBufferError::new_err(text) };
        // The first refusal is that of the way that was meant; its traceback may matter.
        if let Some((_, first)) = self.refusals.into_iter().next() {
            error.set_cause(py, Some(first));
        }
        Ok(error)
    }
}
