//! An array is not in both orders, nor on two devices.

use dlferry_pyo3::View;
use dlferry_pyo3::argument::{COrder, Cpu, Cuda, FOrder};
use pyo3::prelude::*;

#[pyfunction]
fn both(_x: View<'_, f32, 2, (COrder, FOrder)>) {}

#[pyfunction]
fn two_places(_x: View<'_, f32, 2, (Cpu, COrder, Cuda)>) {}

fn main() {}
