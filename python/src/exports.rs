//! What `dlferry.exports` and `dlferry.trace_exports` are made of.

use std::sync::Arc;

use dlferry_pyo3::trace::{self, Record};
use dlferry_pyo3::{DType, Tensor};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Records exports with so many frames of the stack each; 0 turns that off. Never off again is the report at the end.
#[pyfunction]
fn trace_exports(py: Python<'_>, frames: usize, report: bool) -> PyResult<()> {
    if report {
        trace::report_at_exit(py)?;
    }
    trace::set(frames);
    Ok(())
}

/// The live exports that may share a byte with a tensor, or all; None if none was ever recorded.
#[pyfunction]
fn live_exports<'py>(py: Python<'py>, tensor: Option<&Tensor>) -> PyResult<Option<Vec<Bound<'py, PyTuple>>>> {
    let Some(records) = trace::live(tensor) else { return Ok(None) };
    records.iter().map(|record| row(py, record)).collect::<PyResult<_>>().map(Some)
}

/// The fields of `dlferry._exports.Export`, in their order.
fn row<'py>(py: Python<'py>, record: &Arc<Record>) -> PyResult<Bound<'py, PyTuple>> {
    let device = record.device();
    let site: Vec<_> = record.site().iter().map(|frame| (&frame.file, frame.line, &frame.function)).collect();
    (
        PyTuple::new(py, record.shape())?,
        DType(record.dtype()),
        (device.device_type.0, device.device_id),
        record.nbytes(),
        record.is_read_only(),
        record.consumer().name(),
        record.age().as_secs_f64(),
        PyTuple::new(py, site)?,
    )
        .into_pyobject(py)
}

/// Turns tracing and the report at the end on where the environment asks for it.
fn from_environment(py: Python<'_>) -> PyResult<()> {
    let asked = std::env::var_os("DLFERRY_TRACE_EXPORTS").is_some_and(|value| !value.is_empty() && value != "0");
    if asked { trace_exports(py, FRAMES, true) } else { Ok(()) }
}

/// The frames that are recorded where nobody says how many: past those of the consumer's own library, as a rule.
const FRAMES: usize = 12;

/// Adds the functions to the native module, under names of their own, and does what the environment says.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Not by `add`, which would list them as the module's own.
    module.setattr("_trace_exports", wrap_pyfunction!(trace_exports, module)?)?;
    module.setattr("_live_exports", wrap_pyfunction!(live_exports, module)?)?;
    from_environment(module.py())
}
