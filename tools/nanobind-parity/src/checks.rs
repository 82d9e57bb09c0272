//! Views for reading and for writing of the same five numbers.

#![allow(clippy::approx_constant, reason = "the tests' own numbers")]

use dlferry_pyo3::{AnyView, AnyViewMut, View, ViewMut};
use pyo3::prelude::*;

use crate::argument::Arg;

/// The number that the tests put at index 3.
const AT_3: f64 = 3.14159;

/// Writes to one that may be of any dtype, and sees it through the same view.
#[pyfunction]
fn rw_any(mut array: Arg<AnyViewMut<'_>>) -> PyResult<bool> {
    let is_written = array.typed_mut::<f64>()?.set(&[1], 1.414_214);
    let elements = array.typed::<f64>()?;
    Ok(is_written && elements.get(&[1]) == Some(1.414_214) && elements.get(&[3]) == Some(AT_3))
}

#[pyfunction]
fn rw_float64(mut array: Arg<ViewMut<'_, f64, 1>>) -> bool {
    let is_written = array.set([1], 1.414_214) && array.set([2], 2.718_282) && array.set([4], 16.0);
    is_written && array.get([1]) == Some(1.414_214) && array.get([3]) == Some(AT_3)
}

#[pyfunction]
fn ro_any(array: Arg<AnyView<'_>>) -> PyResult<bool> {
    Ok(array.typed::<f64>()?.get(&[3]) == Some(AT_3))
}

#[pyfunction]
fn ro_float64(array: Arg<View<'_, f64, 1>>) -> bool {
    array.get([3]) == Some(AT_3)
}

/// C++ takes an argument in three ways, and has these functions three times. They are one in Rust.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let (rw_any, rw_float64) = (wrap_pyfunction!(rw_any, module)?, wrap_pyfunction!(rw_float64, module)?);
    let (ro_any, ro_float64) = (wrap_pyfunction!(ro_any, module)?, wrap_pyfunction!(ro_float64, module)?);
    for way in ["value", "const_ref", "rvalue_ref"] {
        module.add(format!("check_rw_by_{way}").as_str(), &rw_any)?;
        module.add(format!("check_rw_by_{way}_float64").as_str(), &rw_float64)?;
        module.add(format!("check_ro_by_{way}_ro").as_str(), &ro_any)?;
        module.add(format!("check_ro_by_{way}_const_float64").as_str(), &ro_float64)?;
    }
    Ok(())
}
