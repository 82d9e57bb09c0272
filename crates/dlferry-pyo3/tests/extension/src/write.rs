//! Functions that write an array.

use dlferry_pyo3::argument::{COrder, Cuda, Dyn};
use dlferry_pyo3::{AnyViewMut, Tensor, ViewMut};
use pyo3::prelude::*;

#[pyfunction]
fn fill(mut x: ViewMut<'_, f32, Dyn>, value: f32) {
    x.fill(value);
}

#[pyfunction]
fn fill_2d(mut x: ViewMut<'_, f32, 2>, value: f32) {
    x.fill(value);
}

#[pyfunction]
fn fill_u8(mut x: ViewMut<'_, u8, Dyn>, value: u8) {
    x.fill(value);
}

#[pyfunction]
fn fill_bool(mut x: ViewMut<'_, bool, Dyn>, value: bool) {
    x.fill(value);
}

#[pyfunction]
fn set(mut x: ViewMut<'_, f32, Dyn>, index: Vec<usize>, value: f32) -> bool {
    x.set(index, value)
}

/// Writes all values through a slice.
#[pyfunction]
fn set_slice(mut x: ViewMut<'_, f32, 2, COrder>, value: f32) -> PyResult<()> {
    x.as_mut_slice()?.fill(value);
    Ok(())
}

#[pyfunction]
fn copy_from(mut x: ViewMut<'_, f32, Dyn>, values: Vec<f32>) -> PyResult<Vec<f32>> {
    x.copy_from(&values)?;
    x.to_vec()
}

/// Doubles each element where it is, and tells the address.
#[pyfunction]
fn double(mut x: ViewMut<'_, f32, Dyn>) -> usize {
    x.apply(|value| value * 2.0);
    x.data_mut_ptr().addr()
}

#[pyfunction]
fn fill_option(x: Option<ViewMut<'_, f32, Dyn>>, value: f32) -> bool {
    x.map(|mut x| x.fill(value)).is_some()
}

/// Doubles each element where it is, of one of two dtypes, and tells the address.
#[pyfunction]
fn double_any(mut x: AnyViewMut<'_>) -> PyResult<usize> {
    if x.is::<i64>() {
        x.typed_mut::<i64>()?.apply(|value| value.wrapping_mul(2));
    } else {
        x.typed_mut::<f32>()?.apply(|value| value * 2.0);
    }
    Ok(x.data_mut_ptr().addr())
}

/// Fills an array once it is known to be a matrix of floats.
#[pyfunction]
fn fill_narrowed(x: AnyViewMut<'_>, value: f32) -> PyResult<()> {
    x.into_view_mut::<f32, 2>()?.fill(value);
    Ok(())
}

/// Calls `f()` while `x` is borrowed for writing, whatever it is.
#[pyfunction]
fn writing_any<'py>(x: AnyViewMut<'py>, f: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let result = f.call0();
    drop(x);
    result
}

#[pyfunction]
fn own_any_mut(x: AnyViewMut<'_>) -> PyResult<Tensor> {
    x.into_owned()
}

#[pyfunction]
fn debug_any_mut(x: AnyViewMut<'_>) -> String {
    format!("{x:?}")
}

#[pyfunction]
fn own_mut(x: ViewMut<'_, f32, Dyn>) -> PyResult<Tensor> {
    x.into_owned()
}

#[pyfunction]
fn address_on_cuda(mut x: ViewMut<'_, f32, Dyn, Cuda>) -> usize {
    x.data_mut_ptr().addr()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(fill, module)?)?;
    module.add_function(wrap_pyfunction!(fill_2d, module)?)?;
    module.add_function(wrap_pyfunction!(fill_u8, module)?)?;
    module.add_function(wrap_pyfunction!(fill_bool, module)?)?;
    module.add_function(wrap_pyfunction!(set, module)?)?;
    module.add_function(wrap_pyfunction!(set_slice, module)?)?;
    module.add_function(wrap_pyfunction!(copy_from, module)?)?;
    module.add_function(wrap_pyfunction!(double, module)?)?;
    module.add_function(wrap_pyfunction!(fill_option, module)?)?;
    module.add_function(wrap_pyfunction!(double_any, module)?)?;
    module.add_function(wrap_pyfunction!(fill_narrowed, module)?)?;
    module.add_function(wrap_pyfunction!(writing_any, module)?)?;
    module.add_function(wrap_pyfunction!(own_any_mut, module)?)?;
    module.add_function(wrap_pyfunction!(debug_any_mut, module)?)?;
    module.add_function(wrap_pyfunction!(own_mut, module)?)?;
    module.add_function(wrap_pyfunction!(address_on_cuda, module)?)
}
