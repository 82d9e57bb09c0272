//! A Python module that takes pictures of any library and makes new ones.

use dlferry_pyo3::dlferry::export::Export;
use dlferry_pyo3::protocol::{Request, import};
use dlferry_pyo3::{IntoPyErr, Tensor};
use pyo3::prelude::*;

/// Reads one byte of a picture, in the memory of whoever made it; `None` where there is none.
#[pyfunction]
fn at(picture: &Bound<'_, PyAny>, index: [usize; 3]) -> PyResult<Option<u8>> {
    let imported = import(picture, &Request::default())?;
    Ok(imported.typed::<u8>(picture.py())?.get(index))
}

/// Makes the negative of an RGBA picture. Its memory is Rust's own, and Python gets it without a copy.
#[pyfunction]
fn negative(picture: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let pixels = import(picture, &Request::default())?.typed::<u8>(picture.py())?;
    let inverted: Vec<u8> = pixels
        .iter()
        .enumerate()
        .map(|(at, value)| if at % 4 == 3 { value } else { !value }) // the fourth byte is the opacity
        .collect();
    let tensor = Export::writable(inverted).shape(pixels.shape()).finish();
    Ok(tensor.map_err(IntoPyErr::into_py_err)?.into())
}

/// Tells where Rust finds the first element.
#[pyfunction]
fn address(picture: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(import(picture, &Request::default())?.descriptor().data().addr())
}

#[pymodule]
fn first(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(at, module)?)?;
    module.add_function(wrap_pyfunction!(negative, module)?)?;
    module.add_function(wrap_pyfunction!(address, module)?)
}
