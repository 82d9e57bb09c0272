use core::fmt::Write as _;
use core::sync::atomic::{AtomicBool, Ordering};
use std::io::Write as _;

use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::record::{self, Record};
use crate::python::{counted, tuple_text};

/// Whether the report was asked for already.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Has the exports that are still alive when the interpreter has ended written to the standard error output, of this process
/// only. By then all modules and what they held are gone: what is left has leaked, or is held by what never ends.
///
/// # Errors
///
/// `RuntimeError` when Python has no place for another function to call at its end.
pub fn report_at_exit(_py: Python<'_>) -> PyResult<()> {
    if ASKED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    // SAFETY: attached; the function is static, takes nothing, and calls nothing of Python's.
    if unsafe { ffi::Py_AtExit(Some(report)) } == 0 {
        return Ok(());
    }
    ASKED.store(false, Ordering::Relaxed);
    Err(PyRuntimeError::new_err("Python has no place left for a function to call at its end"))
}

/// Called by CPython when its interpreter has ended.
extern "C" fn report() {
    // Nothing may leave it; a text that cannot be written is not written.
    let _panicked = std::panic::catch_unwind(|| {
        let left = record::live(|_| true);
        if !left.is_empty() {
            let text = text(left.iter().map(AsRef::as_ref));
            let _unwritten = std::io::stderr().write_all(text.as_bytes());
        }
    });
}

/// The report.
fn text<'a>(records: impl ExactSizeIterator<Item = &'a Record>) -> String {
    let (many, verb) = if records.len() == 1 { ("export", "was") } else { ("exports", "were") };
    let mut text = format!("dlferry: {} {many} {verb} still held when Python had ended\n", records.len());
    for record in records {
        let (shape, dtype, bytes) =
            (tuple_text(record.shape()), record.dtype(), counted(record.nbytes(), "byte", "bytes"));
        let (kind, age) = (record.consumer().name(), record.age().as_secs_f64());
        // A text takes all that is written to it.
        let _written = writeln!(text, "  {dtype} {shape}, {bytes}, as {kind}, {age:.1} s before");
        for frame in record.site() {
            let _written = writeln!(text, "    {}:{} in {}", frame.file, frame.line, frame.function);
        }
    }
    text
}
