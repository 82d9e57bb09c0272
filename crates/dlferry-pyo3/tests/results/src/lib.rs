//! Functions whose results are arrays, and classes that are, for the tests of dlferry-pyo3.

// As users may have it: nothing here needs `unsafe`, nor does what the attribute adds.
#![forbid(unsafe_code)]

mod arrays;
mod counted;
mod producers;
mod results;
mod waiting;

use pyo3::prelude::*;

#[pymodule]
fn dlferry_results(module: &Bound<'_, PyModule>) -> PyResult<()> {
    arrays::register(module)?;
    counted::register(module)?;
    producers::register(module)?;
    results::register(module)?;
    waiting::register(module)
}
