use pyo3::prelude::*;

use crate::error::with_exception_aside;
use crate::once::interned;

/// A line of Python code that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The file, as Python names it.
    pub file: String,
    /// The line in it, from 1; 0 where Python does not know.
    pub line: u32,
    /// The function.
    pub function: String,
}

/// Where Python is: the innermost frame first, at most `depth`. What Python does not tell is left out.
pub(super) fn site(py: Python<'_>, depth: usize) -> Vec<Frame> {
    let mut frames = Vec::new();
    // There may be an exception on its way, in whose handling something is exported.
    with_exception_aside(py, || {
        // Fails where no Python code runs, as in a thread that C made.
        let mut next = py.import(interned!(py, "sys")).and_then(|sys| sys.call_method0(interned!(py, "_getframe")));
        while let Ok(frame) = next {
            let Ok(read) = read(&frame) else { break };
            frames.push(read);
            if frames.len() >= depth {
                break;
            }
            next = frame.getattr(interned!(py, "f_back"));
        }
    });
    frames
}

/// One frame; an error for None, which is behind the last.
fn read(frame: &Bound<'_, PyAny>) -> PyResult<Frame> {
    let py = frame.py();
    let code = frame.getattr(interned!(py, "f_code"))?;
    let text = |name| Ok::<_, PyErr>(code.getattr(name)?.str()?.to_string_lossy().into_owned());
    Ok(Frame {
        file: text(interned!(py, "co_filename"))?,
        line: frame.getattr(interned!(py, "f_lineno"))?.extract().unwrap_or(0),
        function: text(interned!(py, "co_name"))?,
    })
}
