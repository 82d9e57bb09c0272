//! Names and calls that the interpreter is asked for often, made once.

use core::fmt::Display;

use pyo3::exceptions::PyException;
#[cfg(not(feature = "abi3"))]
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
#[cfg(feature = "abi3")]
use pyo3::types::PyDict;
use pyo3::types::{PyString, PyTuple};

use crate::once::Once;

/// The largest number of keywords that [`call_method`] is given.
pub(crate) const MAX_KEYWORDS: usize = 4;

/// Calls `object.name(key=value, ...)`: one vector call, no dictionary.
///
/// `keys` is a tuple of as many names as there are `values`, at most [`MAX_KEYWORDS`].
#[cfg(not(feature = "abi3"))]
pub(crate) fn call_method<'a, 'py: 'a>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    keys: &Bound<'py, PyTuple>,
    values: impl Iterator<Item = &'a Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    // One free place in front: the callee may use it for itself.
    let mut args = [core::ptr::null_mut(); MAX_KEYWORDS + 2];
    let given = core::iter::once(object.as_ptr()).chain(values.map(Bound::as_ptr));
    for (place, value) in args.iter_mut().skip(1).zip(given) {
        *place = value;
    }
    let own = args.get_mut(1..).map_or(core::ptr::null_mut(), <[_]>::as_mut_ptr);
    let positional = 1 | ffi::PY_VECTORCALL_ARGUMENTS_OFFSET;
    // SAFETY: attached (`object` is bound); `own` points to `object` and then the values, all alive during the call,
    // with a free place in front; `keys` is a tuple of as many names.
    let result = unsafe { ffi::PyObject_VectorcallMethod(name.as_ptr(), own, positional, keys.as_ptr()) };
    // SAFETY: a new reference, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(object.py(), result) }
}

/// Calls `object.name(key=value, ...)`, as the limited API can before Python 3.12.
///
/// `keys` is a tuple of as many names as there are `values`, at most [`MAX_KEYWORDS`].
#[cfg(feature = "abi3")]
pub(crate) fn call_method<'a, 'py: 'a>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    keys: &Bound<'py, PyTuple>,
    values: impl Iterator<Item = &'a Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = PyDict::new(object.py());
    for (key, value) in keys.iter_borrowed().zip(values) {
        keywords.set_item(key, value)?;
    }
    object.call_method(name, (), Some(&keywords))
}

/// Runs `action` attached to the interpreter, on any thread; not at all once the interpreter is gone.
///
/// For what another library may call in the middle of a call of ours: it may have let go of the interpreter meanwhile, which
/// pyo3, counting its own calls, does not see.
#[inline]
pub(crate) fn try_attached(action: impl FnOnce(Python<'_>)) {
    let _gone = Python::try_attach(|py| {
        // SAFETY: the interpreter is there; asks for the state of this thread alone.
        #[cfg(not(feature = "abi3"))]
        if unsafe { ffi::PyGILState_Check() } == 1 {
            return action(py);
        }
        // SAFETY: the interpreter is there. Does nothing more than count for a thread that is attached.
        let state = unsafe { ffi::PyGILState_Ensure() };
        action(py);
        // SAFETY: gives back what was taken above.
        unsafe { ffi::PyGILState_Release(state) };
    });
}

/// Runs `action` detached from the interpreter, on any thread, also once the interpreter is gone.
///
/// The limited API cannot tell whether a thread is attached; there, it runs as the thread is.
pub(crate) fn detached(action: impl FnOnce() + Send) {
    let mut action = Some(action);
    let mut run = || {
        if let Some(action) = action.take() {
            action();
        }
    };
    #[cfg(not(feature = "abi3"))]
    if is_attached() {
        // Where pyo3 knows nothing of the attachment it counts one more, and lets go of both.
        let _gone = Python::try_attach(|py| crate::error::with_exception_aside(py, || py.detach(&mut run)));
    }
    // Nothing is left to do here when it ran above.
    run();
}

/// Whether this thread is attached to the interpreter, whoever attached it.
#[cfg(not(feature = "abi3"))]
fn is_attached() -> bool {
    // SAFETY: may be asked at any time, on any thread.
    if unsafe { ffi::Py_IsInitialized() } == 0 {
        return false;
    }
    // SAFETY: the interpreter is there; asks for the state of this thread alone.
    unsafe { ffi::PyGILState_Check() == 1 }
}

/// A module that somebody has imported, and nothing is imported for it.
pub(crate) fn loaded_module<'py>(py: Python<'py>, name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: attached, and `name` is alive.
    let module = unsafe { ffi::PyImport_GetModule(name.as_ptr()) };
    // SAFETY: a new reference; or NULL, with an exception set or without one.
    let module = unsafe { Bound::from_owned_ptr_or_opt(py, module) };
    if module.is_none() {
        let _none = PyErr::take(py);
    }
    // An import that failed leaves None behind.
    module.filter(|module| !module.is_none())
}

/// An attribute by which an object offers something; `None` also where it is Python's None, which takes back what a class would
/// inherit.
pub(crate) fn offered<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(object.getattr_opt(name)?.filter(|found| !found.is_none()))
}

/// An attribute of an object's type, or `None`.
pub(crate) fn type_attribute<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    object.get_type().getattr_opt(name)
}

/// An attribute that a type computes in C, found once and asked often.
///
/// Good for objects of the type in the state in which it was found: whoever keeps one asks whether that still holds.
#[cfg(not(feature = "abi3"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Getter(
    /// A descriptor of [`PyGetSetDescr_Type`](ffi::PyGetSetDescr_Type), of which one reference is never given back.
    core::ptr::NonNull<ffi::PyObject>,
);

#[cfg(not(feature = "abi3"))]
impl Getter {
    /// The getter behind an attribute of an object's type; `None` where looking the attribute up could do anything else.
    pub(crate) fn of(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<Option<Self>> {
        // SAFETY: the type of a living object.
        let get_attribute = unsafe { (*object.get_type_ptr()).tp_getattro };
        let usual: ffi::getattrofunc = ffi::PyObject_GenericGetAttr;
        if !get_attribute.is_some_and(|own| core::ptr::fn_addr_eq(own, usual)) {
            return Ok(None);
        }
        let Some(descriptor) = type_attribute(object, name)? else { return Ok(None) };
        if descriptor.get_type_ptr() != &raw mut ffi::PyGetSetDescr_Type {
            return Ok(None);
        }
        Ok(core::ptr::NonNull::new(descriptor.into_ptr()).map(Self))
    }

    /// The attribute of an object.
    #[inline]
    pub(crate) fn get<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let kind = &raw const ffi::PyGetSetDescr_Type;
        // SAFETY: a static type.
        let get = unsafe { (*kind).tp_descr_get };
        let Some(get) = get else { return Err(PyTypeError::new_err("descriptors of C have no getter")) };
        // SAFETY: attached; the descriptor is never freed, and checks the object itself.
        let value = unsafe { get(self.0.as_ptr(), object.as_ptr(), object.get_type_ptr().cast()) };
        // SAFETY: a new reference, or NULL with an exception set.
        unsafe { Bound::from_owned_ptr_or_err(object.py(), value) }
    }
}

/// Whether an object has a method and it answers true.
pub(crate) fn answers(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    match object.getattr_opt(name)? {
        Some(method) => method.call0()?.is_truthy(),
        None => Ok(false),
    }
}

/// `(1, 3)`: the version that dlferry asks for.
pub(crate) fn version_tuple(py: Python<'_>) -> PyResult<&Bound<'_, PyTuple>> {
    static VERSION: Once<Py<PyTuple>> = Once::new();
    let version = dlferry::abi::DLPackVersion::CURRENT;
    let tuple = VERSION.get_or_try_init(py, || (version.major, version.minor).into_pyobject(py).map(Bound::unbind))?;
    Ok(tuple.bind(py))
}

/// The name of an object's type with its module, for messages; without one, when the type has none or will not tell.
pub(crate) fn name_of_type(object: &Bound<'_, PyAny>) -> String {
    let kind = object.get_type();
    let name = kind.fully_qualified_name().or_else(|_| kind.name());
    name.map_or_else(|_| String::from("unknown"), |name| name.to_string())
}

/// Integers as Python shows a tuple of them.
pub(crate) fn tuple_text(numbers: &[i64]) -> String {
    match numbers {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A number and what is counted: `1 axis`, `2 axes`.
pub(crate) fn counted<N: Display + PartialEq + From<u8> + Copy>(number: N, one: &str, many: &str) -> String {
    format!("{number} {}", if number == N::from(1) { one } else { many })
}

/// The result, or `None` for an error of an object's own code that does not matter; an interrupt passes.
pub(crate) fn unless_it_raises<T>(py: Python<'_>, result: PyResult<T>) -> PyResult<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_instance_of::<PyException>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether threads may run Python code at the same time: whether this is a build for an interpreter that needs no global lock,
/// whose objects have a longer head. What such an interpreter says of its lock now holds for now: it has one, say, while it
/// imports a module.
pub(crate) const RUNS_THREADS_AT_ONCE: bool = size_of::<ffi::PyObject>() > size_of::<[usize; 2]>();
