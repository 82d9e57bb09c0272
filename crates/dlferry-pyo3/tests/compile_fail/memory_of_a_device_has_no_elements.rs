//! Elsewhere than on the host there are pointers, and no elements.

use dlferry_pyo3::View;
use dlferry_pyo3::argument::{AnyDevice, Cuda};
use pyo3::prelude::*;

fn get(view: &View<'_, f32, 1, Cuda>) -> Option<f32> {
    view.get([0])
}

fn slice<'a>(view: &'a View<'_, f32, 1, AnyDevice>) -> PyResult<&'a [f32]> {
    view.as_slice()
}

fn main() {
    let _ = (get, slice);
}
