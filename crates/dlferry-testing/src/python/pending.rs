//! Running something while an exception is set, as NumPy does when it drops a capsule that it refused (rule R2.15).

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Runs `action` with `ValueError("pending")` set; tells whether exactly that exception is set afterwards.
///
/// Whatever is set afterwards is cleared.
pub(super) fn survives(py: Python<'_>, action: impl FnOnce()) -> bool {
    let error = PyValueError::new_err("pending");
    let before = error.value(py).clone();
    error.restore(py);
    action();
    PyErr::take(py).is_some_and(|after| after.value(py).is(&before))
}

/// Calls `factory()` and drops the last reference to its result while an exception is set.
///
/// Returns whether exactly that exception is still set afterwards; it is then cleared. The factory must not keep the
/// object itself.
#[pyfunction]
pub(super) fn drop_with_exception_pending(py: Python<'_>, factory: &Bound<'_, PyAny>) -> PyResult<bool> {
    let object = factory.call0()?;
    Ok(survives(py, move || drop(object)))
}
