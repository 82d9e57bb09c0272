//! What is written to a copy is lost.

use dlferry_pyo3::ViewMut;
use dlferry_pyo3::argument::{COrder, Convert};
use pyo3::prelude::*;

#[pyfunction]
fn fill(_x: ViewMut<'_, f32, 1, (COrder, Convert)>) {}

fn main() {}
