//! An extension like those of users, for the tests of dlferry-pyo3.

// As users may have it: nothing here needs `unsafe`, nor does what the attribute adds.
#![forbid(unsafe_code)]

mod counted;
mod producers;
mod results;

use pyo3::prelude::*;

#[pymodule]
fn dlferry_tests(module: &Bound<'_, PyModule>) -> PyResult<()> {
    counted::register(module)?;
    producers::register(module)?;
    results::register(module)
}
