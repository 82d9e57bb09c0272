//! The Python module `dlferry_views`: functions whose arguments are arrays, each of which says what it saw.

#![allow(clippy::needless_pass_by_value, reason = "Python gives its arguments away")]

mod borrows;
mod read;
mod write;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn dlferry_views(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<dlferry_pyo3::Tensor>()?;
    read::register(module)?;
    write::register(module)?;
    borrows::register(module)
}
