//! Deleters that run when the interpreter goes or is gone (rule R2.14).

use std::ffi::{CStr, c_int};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::foreign::Foreign;
use super::held::Held;

const TEARDOWN: &CStr = c"dlferry_testing_teardown";

static AT_FINALIZE: Mutex<Vec<Foreign>> = Mutex::new(Vec::new());
static AT_EXIT: Mutex<Vec<Foreign>> = Mutex::new(Vec::new());
static AT_EXIT_THREAD: Mutex<Vec<Foreign>> = Mutex::new(Vec::new());

unsafe extern "C" {
    pub(super) safe fn atexit(handler: extern "C" fn()) -> c_int;
}

/// Says on stderr that a deleter came back, which is all that a test can see by then.
fn report(when: &str) {
    // Nobody is left to hear that stderr is closed.
    writeln!(io::stderr(), "dlferry_testing: the deleter returned at {when}").ok();
}

fn delete_all(waiting: &Mutex<Vec<Foreign>>, when: &str) {
    for tensor in waiting.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // SAFETY: `leak_to_exit` took the tensor from its owner for this.
        unsafe { tensor.delete() };
        report(when);
    }
}

extern "C" fn at_finalize() {
    delete_all(&AT_FINALIZE, "finalize");
}

extern "C" fn at_exit() {
    delete_all(&AT_EXIT, "exit");
}

extern "C" fn at_exit_thread() {
    if thread::spawn(|| delete_all(&AT_EXIT_THREAD, "exit-thread")).join().is_err() {
        report("a panic");
    }
}

/// The destructor of the capsule that `sys` takes along when it is torn down.
///
/// # Safety
///
/// Called by Python with a capsule of [`at_teardown`].
unsafe extern "C" fn teardown(capsule: *mut ffi::PyObject) {
    // SAFETY: Python passes the dying capsule, which bears this name.
    let tensor: *mut Foreign = unsafe { ffi::PyCapsule_GetPointer(capsule, TEARDOWN.as_ptr()) }.cast();
    // SAFETY: `at_teardown` leaked this box for the destructor, which runs once.
    let tensor = unsafe { Box::from_raw(tensor) };
    // SAFETY: `leak_to_exit` took the tensor from its owner for this.
    unsafe { tensor.delete() };
    report("teardown");
}

/// Lets the dict of `sys`, one of the last to go, own the tensor.
fn at_teardown(py: Python<'_>, tensor: Foreign) -> PyResult<()> {
    let boxed = Box::into_raw(Box::new(tensor));
    // SAFETY: attached; a pointer that is not NULL and a static name.
    let capsule = unsafe { ffi::PyCapsule_New(boxed.cast(), TEARDOWN.as_ptr(), Some(teardown)) };
    // SAFETY: a new reference, or NULL with an exception set.
    let capsule = unsafe { Bound::from_owned_ptr_or_err(py, capsule) }?;
    py.import("sys")?.setattr(format!("_dlferry_testing_{}", tensor.address()), capsule)
}

/// Registers `handler` when `waiting` gets its first tensor.
fn at_handler(waiting: &Mutex<Vec<Foreign>>, tensor: Foreign, register: impl FnOnce() -> c_int) -> PyResult<()> {
    let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    if waiting.is_empty() && register() != 0 {
        return Err(PyRuntimeError::new_err("no room for another exit handler"));
    }
    waiting.push(tensor);
    Ok(())
}

/// Takes the tensor of a `Held` and calls its deleter when the process ends.
///
/// `when` is `"teardown"` (attached, while modules are cleared), `"finalize"` (a `Py_AtExit` handler: the interpreter
/// is gone), `"exit"` (a handler of the C library after that, as a static destructor would be) or `"exit-thread"` (as
/// `"exit"`, on a new thread). Each deleter that came back is told on stderr, one line each.
#[pyfunction]
#[pyo3(signature = (held, when="exit"))]
pub(super) fn leak_to_exit(py: Python<'_>, held: &Bound<'_, Held>, when: &str) -> PyResult<()> {
    let take = || held.get().take();
    match when {
        "teardown" => at_teardown(py, take()?),
        // SAFETY: attached; the handler is a plain function.
        "finalize" => at_handler(&AT_FINALIZE, take()?, || unsafe { ffi::Py_AtExit(Some(at_finalize)) }),
        "exit" => at_handler(&AT_EXIT, take()?, || atexit(at_exit)),
        "exit-thread" => at_handler(&AT_EXIT_THREAD, take()?, || atexit(at_exit_thread)),
        other => Err(PyValueError::new_err(format!("no such moment: '{other}'"))),
    }
}
