//! `Producer`: an object with `__dlpack__` and `__dlpack_device__` that behaves as it is told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::capsule::{self, Name};
use super::crafted::Recipe;

const KEYWORDS: [&str; 4] = ["stream", "max_version", "dl_device", "copy"];

/// How a producer answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    New,
    AlwaysVersioned,
    AlwaysUnversioned,
    StreamOnly,
    NoKeywords,
    TypeErrorInside,
    TypeErrorInsideMentions,
    Raises,
    Lies,
    NotACapsule,
    WrongName,
    UsedName,
    NullName,
    DeviceError,
}

const STYLES: [(&str, Style); 14] = [
    ("new", Style::New),
    ("always_versioned", Style::AlwaysVersioned),
    ("always_unversioned", Style::AlwaysUnversioned),
    ("stream_only", Style::StreamOnly),
    ("no_keywords", Style::NoKeywords),
    ("type_error_inside", Style::TypeErrorInside),
    ("type_error_inside_mentions", Style::TypeErrorInsideMentions),
    ("raises", Style::Raises),
    ("lies", Style::Lies),
    ("not_a_capsule", Style::NotACapsule),
    ("wrong_name", Style::WrongName),
    ("used_name", Style::UsedName),
    ("null_name", Style::NullName),
    ("dl_device_error", Style::DeviceError),
];

impl Style {
    fn named(name: &str) -> PyResult<Self> {
        let found = STYLES.iter().find(|(known, _)| *known == name).map(|(_, style)| *style);
        found.ok_or_else(|| {
            let known: Vec<&str> = STYLES.iter().map(|(known, _)| *known).collect();
            PyValueError::new_err(format!("no style '{name}'; there are {}", known.join(", ")))
        })
    }

    /// The keywords that its signature has.
    fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::NoKeywords => &[],
            Self::StreamOnly => KEYWORDS.split_at(1).0,
            _ => &KEYWORDS,
        }
    }
}

/// An object with the protocol over the tensors of a recipe.
///
/// Styles: `"new"` (all keywords; versioned when `max_version` asks for it), `"always_versioned"`,
/// `"always_unversioned"`, `"stream_only"` and `"no_keywords"` (old signatures, unversioned, refusing other keywords
/// as native code does), `"type_error_inside"` (accepts all, raises `TypeError` itself), `"type_error_inside_mentions"`
/// (the same, naming a keyword in its message), `"raises"` (raises `error`), `"lies"` (the other struct than asked),
/// `"not_a_capsule"`, `"wrong_name"`, `"used_name"`, `"null_name"`, and `"dl_device_error"` (`__dlpack_device__`
/// raises `error`, or a `BufferError`; otherwise as `"new"`). `device` is what `__dlpack_device__` announces, whatever
/// the tensor says; by default the recipe's. `keep=True` gives the same capsule on every call.
#[pyclass(frozen, module = "dlferry_testing")]
pub(super) struct Producer {
    crafted: Py<Recipe>,
    style: Style,
    device: (i32, i32),
    error: Option<Py<PyAny>>,
    keep: bool,
    kept: Mutex<Option<Py<PyAny>>>,
    calls: Py<PyList>,
    device_calls: AtomicUsize,
}

impl Producer {
    /// Refuses a call that the style's signature has no room for, in the words of native code.
    fn check_call(&self, args: &Bound<'_, PyTuple>, keywords: &Bound<'_, PyDict>) -> PyResult<()> {
        if !args.is_empty() {
            let given = args.len();
            return Err(PyTypeError::new_err(format!(
                "Producer.__dlpack__() takes 0 positional arguments but {given} were given"
            )));
        }
        let known = self.style.keywords();
        for key in keywords.keys() {
            let key: String = key.extract()?;
            if known.is_empty() {
                return Err(PyTypeError::new_err("Producer.__dlpack__() takes no keyword arguments"));
            }
            if !known.contains(&key.as_str()) {
                return Err(PyTypeError::new_err(format!(
                    "Producer.__dlpack__() got an unexpected keyword argument '{key}'"
                )));
            }
        }
        Ok(())
    }

    fn raise<T>(&self, py: Python<'_>) -> PyResult<T> {
        Err(match &self.error {
            Some(error) => PyErr::from_value(error.bind(py).clone()),
            None => PyBufferError::new_err("this producer never exports"),
        })
    }

    fn answer<'py>(&self, py: Python<'py>, versioned: bool) -> PyResult<Bound<'py, PyAny>> {
        let (versioned, name) = match self.style {
            Style::New | Style::DeviceError => (versioned, Name::Right),
            Style::AlwaysVersioned => (true, Name::Right),
            Style::AlwaysUnversioned | Style::StreamOnly | Style::NoKeywords => (false, Name::Right),
            Style::Lies => (!versioned, Name::Right),
            Style::WrongName => (versioned, Name::Other("dltensor_wrong")),
            Style::UsedName if versioned => (true, Name::Other("used_dltensor_versioned")),
            Style::UsedName => (false, Name::Other("used_dltensor")),
            Style::NullName => (versioned, Name::Null),
            Style::NotACapsule => return Ok(py.None().into_bound(py)),
            Style::Raises => return self.raise(py),
            Style::TypeErrorInside => return Err(PyTypeError::new_err("cannot hold this")),
            Style::TypeErrorInsideMentions => {
                return Err(PyTypeError::new_err("cannot hold this: max_version, copy and stream are fine"));
            }
        };
        capsule::craft(py, &self.crafted.get().0, versioned, name)
    }
}

#[pymethods]
impl Producer {
    #[new]
    #[pyo3(signature = (crafted, *, style="new", device=None, error=None, keep=false))]
    pub(super) fn new(
        py: Python<'_>,
        crafted: Py<Recipe>,
        style: &str,
        device: Option<(i32, i32)>,
        error: Option<Py<PyAny>>,
        keep: bool,
    ) -> PyResult<Self> {
        let style = Style::named(style)?;
        if style == Style::Raises && error.is_none() {
            return Err(PyValueError::new_err("style 'raises' wants error=an exception"));
        }
        let own = crafted.get().0.device;
        Ok(Self {
            device: device.unwrap_or((own.device_type.0, own.device_id)),
            crafted,
            style,
            error,
            keep,
            kept: Mutex::new(None),
            calls: PyList::empty(py).unbind(),
            device_calls: AtomicUsize::new(0),
        })
    }

    /// Answers as the style says, after writing down the keywords.
    #[pyo3(signature = (*args, **keywords))]
    fn __dlpack__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let keywords = keywords.cloned().unwrap_or_else(|| PyDict::new(py));
        self.calls.bind(py).append(keywords.copy()?)?;
        self.check_call(args, &keywords)?;
        let versioned = match keywords.get_item("max_version")? {
            Some(asked) if !asked.is_none() => asked.extract::<(u32, u32)>()?.0 >= 1,
            _ => false,
        };
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|c| c.clone_ref(py));
        if let Some(kept) = kept {
            return Ok(kept.into_bound(py));
        }
        let answer = self.answer(py, versioned)?;
        if self.keep {
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer.clone().unbind());
        }
        Ok(answer)
    }

    /// Announces a device.
    fn __dlpack_device__(&self, py: Python<'_>) -> PyResult<(i32, i32)> {
        self.device_calls.fetch_add(1, Ordering::Relaxed);
        if self.style == Style::DeviceError { self.raise(py) } else { Ok(self.device) }
    }

    /// The keywords of each call of `__dlpack__` so far, refused ones too.
    #[getter]
    fn calls(&self, py: Python<'_>) -> Py<PyList> {
        self.calls.clone_ref(py)
    }

    /// How often `__dlpack_device__` was called.
    #[getter]
    fn device_calls(&self) -> usize {
        self.device_calls.load(Ordering::Relaxed)
    }

    /// The recipe.
    #[getter]
    fn crafted(&self, py: Python<'_>) -> Py<Recipe> {
        self.crafted.clone_ref(py)
    }
}
