//! A slice is borrowed from its view: when that is gone others may write the memory.

use dlferry_pyo3::{View, ViewMut};
use pyo3::prelude::*;

fn slice<'py>(view: View<'py, f32, 1>) -> PyResult<&'py [f32]> {
    view.as_slice()
}

fn first(mut view: ViewMut<'_, f32, 1>) -> PyResult<f32> {
    let slice = view.as_mut_slice()?;
    drop(view);
    Ok(slice[0])
}

fn main() {
    let _ = (slice, first);
}
