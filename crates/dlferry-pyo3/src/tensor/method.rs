//! `Tensor.__dlpack__` as most consumers call it: with keywords, all of them `None` but the version.
//!
//! Reading keywords by their text takes longer than making the capsule. Names in a call are interned, so that the usual ones
//! are told by their addresses; any other call is the class's own method's, which this one took the place of.

use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, Ordering};
use std::ffi::CString;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::Tensor;
use crate::exchange::export::answer;
use crate::once::{Once, interned};

/// The class's own method, which reads any keywords and refuses wrong ones.
static OWN: Once<Py<PyAny>> = Once::new();

const NAME: &CStr = c"__dlpack__";

/// Puts the method in place of the class's own, which is called once for that.
pub(super) fn install(py: Python<'_>) {
    static DONE: AtomicBool = AtomicBool::new(false);
    if !DONE.swap(true, Ordering::Relaxed) {
        // What cannot be replaced stays as it is.
        let _kept = replace(py);
    }
}

#[cold]
fn replace(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<Tensor>();
    let name = interned!(py, "__dlpack__");
    let own = class.getattr(name)?;
    let descriptors = &raw mut ffi::PyMethodDescr_Type;
    // SAFETY: attached; a living object.
    if unsafe { ffi::Py_TYPE(own.as_ptr()) } != descriptors {
        return Ok(());
    }
    let signature: String = own.getattr(interned!(py, "__text_signature__"))?.extract()?;
    let text: String = own.getattr(interned!(py, "__doc__"))?.extract()?;
    let doc = CString::new(format!("__dlpack__{signature}\n--\n\n{text}"))?;
    OWN.get_or_init(py, || own.unbind());
    // Kept for ever, as the class is.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: NAME.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: dlpack },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: doc.into_raw(),
    }));
    // SAFETY: attached; the class, and a definition that stays where it is.
    let method = unsafe { ffi::PyDescr_NewMethod(class.as_type_ptr(), definition) };
    // SAFETY: a new reference, or NULL with an exception set.
    let method = unsafe { Bound::from_owned_ptr_or_err(py, method) }?;
    class.setattr(name, method)
}

/// `__dlpack__`.
///
/// # Safety
///
/// Called by CPython, as the method of a tensor: `args` are `count` positional arguments and then the values of `names`.
unsafe extern "C" fn dlpack(
    slf: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let mut result = core::ptr::null_mut();
    answer(|py| {
        // SAFETY: the caller's, alive during the call.
        let slf = unsafe { Borrowed::from_ptr(py, slf) };
        // SAFETY: NULL, or the caller's tuple, alive during the call.
        let names = unsafe { Borrowed::from_ptr_or_opt(py, names) };
        let names = names.as_deref().and_then(|names| names.cast::<PyTuple>().ok());
        let keywords = names.map_or(0, PyTupleMethods::len);
        let positional = usize::try_from(count).unwrap_or(0);
        let given = positional.saturating_add(keywords);
        let values = match given {
            0 => &[],
            // SAFETY: as many as were given, vouched for by the caller.
            given => unsafe { core::slice::from_raw_parts(args, given) },
        };
        let quick = if positional == 0 { max_version(py, names, values) } else { Err(Unusual) };
        let made = match (quick, slf.cast::<Tensor>()) {
            (Ok(version), Ok(tensor)) => tensor.get().to_capsule(py, None, version.as_deref(), None, None)?,
            _ => by_own(py, &slf, values, positional, names)?,
        };
        result = made.into_ptr();
        Ok(())
    });
    result
}

/// A call that asks for more than a version, or wrongly.
struct Unusual;

/// The version that was asked for, if any.
#[inline]
fn max_version<'a, 'py>(
    py: Python<'py>,
    names: Option<&Bound<'py, PyTuple>>,
    values: &'a [*mut ffi::PyObject],
) -> Result<Option<Borrowed<'a, 'py, PyAny>>, Unusual> {
    let mut version = None;
    let others = [interned!(py, "copy"), interned!(py, "dl_device"), interned!(py, "stream")];
    let is = |name: &Borrowed<'_, 'py, PyAny>, known: &Bound<'py, PyString>| name.as_ptr() == known.as_ptr();
    for (name, value) in names.into_iter().flat_map(PyTupleMethods::iter_borrowed).zip(values) {
        // SAFETY: an argument of the call, alive during it.
        let value = unsafe { Borrowed::from_ptr(py, *value) };
        if is(&name, interned!(py, "max_version")) {
            version = (!value.is_none()).then_some(value);
        } else if !value.is_none() || !others.iter().any(|known| is(&name, known)) {
            return Err(Unusual);
        }
    }
    Ok(version)
}

/// The call as the class's own method answers it.
#[cold]
fn by_own<'py>(
    py: Python<'py>,
    slf: &Bound<'py, PyAny>,
    values: &[*mut ffi::PyObject],
    positional: usize,
    names: Option<&Bound<'py, PyTuple>>,
) -> PyResult<Bound<'py, PyAny>> {
    let own = OWN.get().ok_or_else(|| pyo3::exceptions::PySystemError::new_err("the class lost its method"))?;
    let args: Vec<_> = core::iter::once(slf.as_ptr()).chain(values.iter().copied()).collect();
    let names = names.map_or(core::ptr::null_mut(), Bound::as_ptr);
    // SAFETY: attached; the tensor, the positional arguments and then the values of the names, all alive during the call.
    let made = unsafe { ffi::PyObject_Vectorcall(own.as_ptr(), args.as_ptr(), positional.saturating_add(1), names) };
    // SAFETY: a new reference, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, made) }
}
