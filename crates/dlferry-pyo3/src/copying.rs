//! Copies while Python goes on.

use core::ops::ControlFlow;

#[cfg(feature = "threads")]
use core::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "threads")]
use std::ffi::CString;

use dlferry::copy::{CopyError, Job};
#[cfg(feature = "threads")]
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;

use crate::error::IntoPyErr;
#[cfg(feature = "threads")]
use crate::python::counted;

/// Bytes from which the interpreter is let go of: others wait for it longer than it takes to let go.
const DETACHED_FROM: usize = 256 << 10;

/// Bytes from which a copy may be shared between threads.
const LARGE: usize = 8 << 20;

/// The number of threads that a large copy is shared between: `dlferry::copy::num_threads`, with a `RuntimeWarning` where the
/// environment variable `DLFERRY_NUM_THREADS` names no number; once in a process.
///
/// # Errors
///
/// The warning, where the filters of warnings make an exception of it.
#[cfg(feature = "threads")]
pub fn num_threads(py: Python<'_>) -> PyResult<usize> {
    static WARNED: AtomicBool = AtomicBool::new(false);
    let count = dlferry::copy::num_threads().get();
    let Some(ignored) = dlferry::copy::ignored_num_threads() else { return Ok(count) };
    if !WARNED.swap(true, Ordering::Relaxed) {
        let text = format!(
            "DLFERRY_NUM_THREADS is {ignored:?}, which is no possible number of threads and is ignored: a large copy is shared between {}",
            counted(count, "thread", "threads")
        );
        let text = CString::new(text)?;
        PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)?;
    }
    Ok(count)
}

#[cfg(not(feature = "threads"))]
#[allow(clippy::unnecessary_wraps, reason = "the other one needs it")]
fn num_threads(_py: Python<'_>) -> PyResult<usize> {
    Ok(1)
}

/// Copies `bytes` bytes as `copy` says. While a large copy runs, other Python threads do too, and an interrupt from the
/// keyboard ends it.
pub(crate) fn copying<R: Send>(
    py: Python<'_>,
    bytes: usize,
    copy: impl FnOnce(Job<'_>) -> Result<R, CopyError> + Send,
) -> PyResult<R> {
    if bytes < DETACHED_FROM {
        return copy(Job::new()).map_err(IntoPyErr::into_py_err);
    }
    if bytes >= LARGE {
        num_threads(py)?;
    }
    let mut interrupt = None;
    let result = py.detach(|| {
        #[allow(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is for one lifetime, the closure for all"
        )]
        let signals = || Python::try_attach(|py| py.check_signals());
        let mut ask = || match signals() {
            // Nothing at the end of the interpreter, when there are no signals to ask for.
            Some(Ok(())) | None => ControlFlow::Continue(()),
            Some(Err(error)) => {
                interrupt = Some(error);
                ControlFlow::Break(())
            }
        };
        copy(Job::new().between(&mut ask))
    });
    match (result, interrupt) {
        (Err(CopyError::Interrupted), Some(error)) => Err(error),
        (result, _) => result.map_err(IntoPyErr::into_py_err),
    }
}

/// Copies a tensor into new memory in C order, as [`copying`] does.
pub(crate) fn copy_of(py: Python<'_>, view: dlferry::view::TensorView<'_>) -> PyResult<dlferry::managed::Tensor> {
    in_order(py, view, dlferry::copy::Order::C)
}

/// The same in another order.
pub(crate) fn in_order(
    py: Python<'_>,
    view: dlferry::view::TensorView<'_>,
    order: dlferry::copy::Order,
) -> PyResult<dlferry::managed::Tensor> {
    copying(py, view.descriptor().nbytes(), |job| job.to_contiguous(view, order))
}
