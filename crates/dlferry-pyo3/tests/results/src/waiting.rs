//! Owners whose destructors wait for somebody who needs the interpreter, and tensors that are dropped without it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use dlferry_pyo3::dlferry::export::{Export, Owner, OwnerMut};
use dlferry_pyo3::protocol::{Request, import};
use dlferry_pyo3::{IntoTensor, Numpy, Tensor};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// A lock of this module, which knows nothing of Python.
static LOCK: Mutex<()> = Mutex::new(());

static ENDED: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone, Copy)]
enum Wait {
    Lock,
    Thread,
    Python,
}

/// Four numbers, the end of which takes somebody else.
struct Waiting([u16; 4], Wait);

fn attached_for_a_moment() {
    Python::try_attach(|py| py.version_info().major);
}

impl Drop for Waiting {
    fn drop(&mut self) {
        match self.1 {
            Wait::Lock => drop(LOCK.lock().unwrap_or_else(PoisonError::into_inner)),
            Wait::Thread => drop(thread::spawn(attached_for_a_moment).join()),
            Wait::Python => attached_for_a_moment(),
        }
        ENDED.fetch_add(1, Ordering::SeqCst);
    }
}

impl Owner for Waiting {
    type Item = u16;

    fn as_slice(&self) -> &[u16] {
        &self.0
    }
}

impl OwnerMut for Waiting {
    fn as_mut_slice(&mut self) -> &mut [u16] {
        &mut self.0
    }
}

/// A tensor whose owner waits when it is dropped: for `"lock"`, `"thread"` or `"python"`.
#[pyfunction]
#[pyo3(signature = (wait, size=4))]
fn waiting(wait: &str, size: i64) -> PyResult<Tensor> {
    let wait = match wait {
        "lock" => Wait::Lock,
        "thread" => Wait::Thread,
        "python" => Wait::Python,
        other => return Err(PyValueError::new_err(format!("{other} is nothing to wait for"))),
    };
    Export::writable(Waiting([1, 2, 3, 4], wait)).shape(&[size]).into_tensor()
}

/// How many of them have ended.
#[pyfunction]
fn ended() -> usize {
    ENDED.load(Ordering::SeqCst)
}

/// Calls `action()` while another thread has the lock and waits for the interpreter before it gives it back.
#[pyfunction]
fn while_locked<'py>(py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (sender, locked) = mpsc::channel();
    let holder = thread::spawn(move || {
        let guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        sender.send(()).ok();
        attached_for_a_moment();
        drop(guard);
    });
    // Attached all the while, so that the other thread does not get the interpreter before `action` is called.
    let gone = |_| PyRuntimeError::new_err("the thread that takes the lock is gone");
    locked.recv().map_err(gone)?;
    let result = action.call0();
    py.detach(|| holder.join()).ok();
    result
}

/// Imports an array and drops the tensor while the interpreter is let go of.
#[pyfunction]
fn drop_detached(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<()> {
    let tensor = import(array, &Request::default())?;
    py.detach(move || drop(tensor));
    Ok(())
}

/// Zeros of a shape that NumPy may not have, as an array of NumPy's.
#[pyfunction]
fn numpy_zeros(count: usize, shape: Vec<i64>) -> Numpy<(Vec<u8>, Vec<i64>)> {
    Numpy((vec![0; count], shape))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(waiting, module)?)?;
    module.add_function(wrap_pyfunction!(ended, module)?)?;
    module.add_function(wrap_pyfunction!(while_locked, module)?)?;
    module.add_function(wrap_pyfunction!(drop_detached, module)?)?;
    module.add_function(wrap_pyfunction!(numpy_zeros, module)?)
}
