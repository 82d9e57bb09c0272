//! A thread that attaches without the calls that count attachments.

use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Runs `action` attached to the main interpreter by a thread state that is made for it.
///
/// For threads that have none. Nothing is known of the attachment to whoever counts: pyo3 here or elsewhere.
pub(super) fn with<T>(action: impl FnOnce() -> T) -> PyResult<T> {
    // SAFETY: needs no attachment; the interpreter is there, for the caller was called by it.
    let interpreter = unsafe { ffi::PyInterpreterState_Main() };
    // SAFETY: the main interpreter.
    let state = unsafe { ffi::PyThreadState_New(interpreter) };
    if state.is_null() {
        return Err(PyMemoryError::new_err("no room for a thread state"));
    }
    // SAFETY: new, and this thread has no other.
    unsafe { ffi::PyEval_AcquireThread(state) };
    let result = action();
    // SAFETY: attached with this state.
    unsafe { ffi::PyThreadState_Clear(state) };
    // SAFETY: the state of this thread, cleared, and not used again.
    unsafe { ffi::PyThreadState_DeleteCurrent() };
    Ok(result)
}
