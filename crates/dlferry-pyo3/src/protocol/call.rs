//! Calling a producer's `__dlpack__`: with which keywords, and when to ask again with fewer.
//!
//! The device is not asked for. `stream=None`, said outright, asks every producer to make the data safe for the default
//! stream of whatever device it is on (rules R5.5 and R5.6), and is the one value that producers without streams take;
//! leaving it out means something else to some (rule R9.23). What the capsule says is what counts (rule R9.15).

use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyNone, PyString, PyTuple};

use super::Request;
use crate::device;
use crate::once::{Once, interned};
use crate::python::{MAX_KEYWORDS, call_method, name_of_type, version_tuple};
use crate::remedy::{Call, remedy};

/// Calls `__dlpack__`, at first with all the keywords that matter and, when the call as such was refused, with those
/// that producers of older standards know (rule R4.10). `None` when there is no such method.
pub(super) fn capsule<'py>(object: &Bound<'py, PyAny>, request: &Request) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    let name = interned!(py, "__dlpack__");
    let error = match first_call(object, name, request) {
        Ok(capsule) => return Ok(Some(capsule)),
        Err(error) => error,
    };
    if is_missing(object, name, &error)? {
        return Ok(None);
    }
    let mut keywords = Keywords::all(py, request)?;
    let mut refused = Refusal::of(py, &error, &keywords).ok_or(error)?;
    loop {
        keywords.drop_refused(&refused);
        match keywords.call(object, name) {
            Ok(capsule) => return Ok(Some(capsule)),
            Err(error) if keywords.is_empty() => return Err(error),
            Err(error) => refused = Refusal::of(py, &error, &keywords).ok_or(error)?,
        }
    }
}

/// The call that suits nearly every producer; its keywords exist once.
fn first_call<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    request: &Request,
) -> PyResult<Bound<'py, PyAny>> {
    static KEYS: Once<Py<PyTuple>> = Once::new();
    let py = object.py();
    if request.device.is_some() || request.copy == Some(false) {
        return Keywords::all(py, request)?.call(object, name);
    }
    let keys = KEYS.get_or_try_init(py, || {
        PyTuple::new(py, [interned!(py, "stream"), interned!(py, "max_version")]).map(Bound::unbind)
    })?;
    let values = [PyNone::get(py).to_owned().into_any(), version_tuple(py)?.clone().into_any()];
    call_method(object, name, keys.bind(py), values.iter())
}

/// The keywords of a call and their values.
struct Keywords<'py>(Vec<(&'static str, Bound<'py, PyAny>)>);

impl<'py> Keywords<'py> {
    fn all(py: Python<'py>, request: &Request) -> PyResult<Self> {
        let mut all =
            vec![("stream", py.None().into_bound(py)), ("max_version", version_tuple(py)?.clone().into_any())];
        if let Some(wanted) = request.device {
            all.push(("dl_device", device::to_pair(py, wanted)?.into_any()));
        }
        if request.copy == Some(false) {
            // Never `True`: a copy that the producer made and says nothing of would be made again (decision 5.4).
            all.push(("copy", PyBool::new(py, false).to_owned().into_any()));
        }
        debug_assert!(all.len() <= MAX_KEYWORDS);
        Ok(Self(all))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Leaves out what was refused: the keyword that the refusal names; else those that came with the standard of
    /// 2023, and when none of them is left, `stream` too. Something is left out each time.
    fn drop_refused(&mut self, refusal: &Refusal) {
        let before = self.0.len();
        self.0.retain(|(key, _)| !refusal.names(key));
        if self.0.len() == before {
            self.0.retain(|(key, _)| *key == "stream");
        }
        if self.0.len() == before {
            self.0.clear();
        }
    }

    fn call(&self, object: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let keys = PyTuple::new(object.py(), self.0.iter().map(|(key, _)| *key))?;
        call_method(object, name, &keys, self.0.iter().map(|(_, value)| value))
    }
}

/// A `TypeError` that refuses the call as such, rather than being an error of the producer's own, which must not be
/// swallowed (decision 5.10, rule R4.11).
struct Refusal {
    text: String,
}

impl Refusal {
    /// Whether an error is one.
    ///
    /// Refused before the callee ran, it has no frame and speaks of arguments. From inside it has the frames of those
    /// that were running; the first may be a wrapper that passes on what it was given, and then the text names one of
    /// the keywords that were passed.
    fn of(py: Python<'_>, error: &PyErr, passed: &Keywords<'_>) -> Option<Self> {
        const OF_CALLS: [&str; 4] = ["argument", "keyword", "parameter", "signature"];
        if !error.is_instance_of::<PyTypeError>(py) {
            return None;
        }
        let this = Self { text: error.value(py).str().ok()?.to_string() };
        let speaks_of_calls = OF_CALLS.iter().any(|word| this.text.contains(word));
        let ran = error.traceback(py).is_some();
        let is_refusal = speaks_of_calls && (!ran || passed.0.iter().any(|(key, _)| this.names(key)));
        is_refusal.then_some(this)
    }

    /// Whether the text names a keyword, in the quotes that all implementations put around it.
    fn names(&self, key: &str) -> bool {
        self.text.contains(&format!("'{key}'"))
    }
}

/// Whether an error says that the method itself is absent, rather than coming from inside it: None in its place is as good as
/// nothing, for so a class says that it has not what it would inherit.
fn is_missing(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>, error: &PyErr) -> PyResult<bool> {
    let py = object.py();
    if error.is_instance_of::<PyAttributeError>(py) {
        return Ok(object.getattr_opt(name)?.is_none());
    }
    Ok(error.is_instance_of::<PyTypeError>(py) && object.getattr_opt(name)?.is_some_and(|method| method.is_none()))
}

/// The refusal of an object that has no `__dlpack__`.
pub(super) fn without_protocol(object: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let kind = name_of_type(object);
    Ok(PyTypeError::new_err(format!(
        "an object of type {kind} has neither __dlpack__ nor a DLPack exchange table; {}",
        remedy(object, Call::FromDLPack)?
    )))
}
