//! While a slice or an iterator looks at the elements, nothing writes them.

use dlferry_pyo3::ViewMut;
use pyo3::prelude::*;

fn two(mut view: ViewMut<'_, f32, 1>) -> PyResult<()> {
    let slice = view.as_slice()?;
    let other = view.as_mut_slice()?;
    other[0] = slice[0];
    Ok(())
}

fn shared(view: &ViewMut<'_, f32, 1>) -> PyResult<()> {
    view.as_mut_slice()?.fill(0.0);
    Ok(())
}

fn main() {
    let _ = (two, shared);
}
