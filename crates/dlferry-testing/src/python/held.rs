//! `consume` and `Held`: a consumer that does each thing when it is told to.

use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::thread;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::capsule::{clear_destructor, name_text, peek, set_name};
use super::foreign::Foreign;
use super::{own_state, pending};

/// A managed tensor that is owned here until one of the `delete` methods is called.
///
/// Dropping it undeleted leaks the tensor on purpose: a test must say where the deleter runs.
#[pyclass(frozen, module = "dlferry_testing")]
pub(super) struct Held(Mutex<Option<Foreign>>);

impl Held {
    /// Takes over a tensor.
    ///
    /// # Safety
    ///
    /// The tensor is alive and the caller owned it.
    pub(super) unsafe fn own(tensor: Foreign) -> Self {
        Self(Mutex::new(Some(tensor)))
    }

    /// Gives the tensor up.
    pub(super) fn take(&self) -> PyResult<Foreign> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| PyRuntimeError::new_err("the tensor was given up already"))
    }

    fn tensor(&self) -> PyResult<Foreign> {
        let held = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.ok_or_else(|| PyRuntimeError::new_err("the tensor was given up already"))
    }

    /// Where `len` bytes from the first element on, plus `offset`, lie.
    fn bytes_at(&self, offset: usize) -> PyResult<*mut u8> {
        let held = self.tensor()?;
        // SAFETY: owned here, hence alive.
        let tensor = unsafe { held.tensor() };
        if tensor.data.is_null() {
            return Err(PyValueError::new_err("the data pointer is NULL"));
        }
        let start = usize::try_from(tensor.byte_offset)?;
        Ok(tensor.data.cast::<u8>().wrapping_add(start).wrapping_add(offset))
    }
}

#[pymethods]
impl Held {
    /// Calls the deleter on this thread, attached; returns `False` when it is NULL.
    fn delete(&self) -> PyResult<bool> {
        let tensor = self.take()?;
        // SAFETY: owned here until now.
        Ok(unsafe { tensor.delete() })
    }

    /// Calls the deleter on this thread, detached from the interpreter.
    fn delete_detached(&self, py: Python<'_>) -> PyResult<bool> {
        let tensor = self.take()?;
        // SAFETY: owned here until now.
        Ok(py.detach(move || unsafe { tensor.delete() }))
    }

    /// Calls the deleter on a new native thread that the interpreter has never seen, and waits for it.
    fn delete_on_thread(&self, py: Python<'_>) -> PyResult<bool> {
        let tensor = self.take()?;
        // SAFETY: owned here until now.
        let deleted = py.detach(move || thread::spawn(move || unsafe { tensor.delete() }).join());
        deleted.map_err(|_| PyRuntimeError::new_err("the thread panicked"))
    }

    /// Calls the deleter on a new native thread that has made a state of its own and attached with that, as programs do that
    /// embed Python, and waits for it.
    fn delete_in_own_state(&self, py: Python<'_>) -> PyResult<bool> {
        let tensor = self.take()?;
        let elsewhere = move || {
            own_state::with(|| {
                // SAFETY: owned here until now.
                unsafe { tensor.delete() }
            })
        };
        let deleted = py.detach(move || thread::spawn(elsewhere).join());
        deleted.map_err(|_| PyRuntimeError::new_err("the thread panicked"))?
    }

    /// Calls the deleter while an exception is set; returns whether exactly that one is set afterwards.
    fn delete_with_exception_pending(&self, py: Python<'_>) -> PyResult<bool> {
        let tensor = self.take()?;
        Ok(pending::survives(py, || {
            // SAFETY: owned here until now.
            unsafe { tensor.delete() };
        }))
    }

    /// Returns every field, as the function `inspect` does.
    fn inspect<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tensor = self.tensor()?;
        // SAFETY: owned here, hence alive.
        unsafe { tensor.describe(py) }
    }

    /// Reads `n` bytes from the first element on.
    #[pyo3(signature = (n, offset=0))]
    fn read_bytes<'py>(&self, py: Python<'py>, n: usize, offset: usize) -> PyResult<Bound<'py, PyBytes>> {
        let start = self.bytes_at(offset)?;
        PyBytes::new_with(py, n, |bytes| {
            // SAFETY: the caller of this Python method says that so many bytes are there; the target is new.
            unsafe { ptr::copy_nonoverlapping(start, bytes.as_mut_ptr(), n) };
            Ok(())
        })
    }

    /// Writes `data` from the first element on.
    #[pyo3(signature = (data, offset=0))]
    fn write_bytes(&self, data: &[u8], offset: usize) -> PyResult<()> {
        let start = self.bytes_at(offset)?;
        // SAFETY: the caller of this Python method says that so many bytes are there and writable.
        unsafe { ptr::copy(data.as_ptr(), start, data.len()) };
        Ok(())
    }

    /// Whether the tensor was given up.
    #[getter]
    fn gone(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// Takes the tensor out of an unused capsule, as a consumer does: by renaming it.
///
/// `name` replaces the `used_` name, as some consumers do; `clear_destructor` also removes the destructor.
#[pyfunction]
#[pyo3(signature = (capsule, *, name=None, clear_destructor=false))]
pub(super) fn consume(capsule: &Bound<'_, PyAny>, name: Option<&str>, clear_destructor: bool) -> PyResult<Held> {
    let tensor = peek(capsule)?;
    let used = match name {
        Some(name) => name.to_owned(),
        None => format!("used_{}", name_text(capsule)?.unwrap_or_default()),
    };
    set_name(capsule, Some(&used))?;
    if clear_destructor {
        self::clear_destructor(capsule)?;
    }
    // SAFETY: the capsule owned the tensor and gave it up with its name.
    Ok(unsafe { Held::own(tensor) })
}
