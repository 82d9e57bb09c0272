//! The module that nanobind's own tests of arrays call, written with dlferry-pyo3.

#![allow(clippy::needless_pass_by_value, reason = "Python gives its arguments away")]
#![allow(clippy::unnecessary_wraps, reason = "functions of one kind have one type of result")]

mod argument;
mod checks;
mod classes;
mod facts;
mod metal;
mod pass;
mod results;
mod writes;

use pyo3::prelude::*;

#[pymodule]
fn test_ndarray_ext(module: &Bound<'_, PyModule>) -> PyResult<()> {
    facts::register(module)?;
    pass::register(module)?;
    checks::register(module)?;
    writes::register(module)?;
    results::register(module)?;
    metal::register(module)?;
    classes::register(module)
}

/// Adds functions to a module: `add!(module: one, two)`.
macro_rules! add {
    ($module:ident: $($function:ident),* $(,)?) => {{
        $($module.add_function(::pyo3::wrap_pyfunction!($function, $module)?)?;)*
        Ok(())
    }};
}

pub(crate) use add;
