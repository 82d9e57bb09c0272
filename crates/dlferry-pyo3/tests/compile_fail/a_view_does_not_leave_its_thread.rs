//! A view is given back where it was taken; another thread, or one that has left the interpreter, gets a slice of it.

use dlferry_pyo3::View;
use pyo3::prelude::*;

fn detached(py: Python<'_>, view: View<'_, f32, 1>) -> Option<f32> {
    py.detach(|| view.get([0]))
}

fn main() {
    let _ = detached;
}
