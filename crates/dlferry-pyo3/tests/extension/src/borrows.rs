//! Functions that hold arrays while others try to.

use dlferry_pyo3::argument::{AnyDevice, Dyn};
use dlferry_pyo3::protocol::{Request, import};
use dlferry_pyo3::{AnyView, View, ViewMut};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

/// Takes both, for reading and for writing.
#[pyfunction]
fn read_write(x: AnyView<'_>, mut out: ViewMut<'_, f32, Dyn>) -> usize {
    out.apply(|value| value + 1.0);
    x.size().saturating_add(out.size())
}

/// Takes both, for writing.
#[pyfunction]
fn write_write(x: ViewMut<'_, f32, Dyn>, y: ViewMut<'_, f32, Dyn>) -> usize {
    x.size().saturating_add(y.size())
}

/// Takes both, for reading.
#[pyfunction]
fn read_read(x: AnyView<'_, AnyDevice>, y: AnyView<'_, AnyDevice>) -> usize {
    x.size().saturating_add(y.size())
}

/// Takes both, on whatever device, the second for writing.
#[pyfunction]
fn read_write_anywhere(x: AnyView<'_, AnyDevice>, y: ViewMut<'_, f32, Dyn, AnyDevice>) -> usize {
    x.size().saturating_add(y.size())
}

/// Calls `f()` while `x` is borrowed for reading.
#[pyfunction]
fn reading<'py>(x: AnyView<'py>, f: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let result = f.call0();
    drop(x);
    result
}

/// Calls `f()` while `x` is borrowed for writing.
#[pyfunction]
fn writing<'py>(x: ViewMut<'py, f32, Dyn>, f: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let result = f.call0();
    drop(x);
    result
}

/// Borrows `x` for reading `times` times at once, and then ends them in an order that is none.
#[pyfunction]
fn read_many(x: &Bound<'_, PyAny>, times: usize) -> PyResult<()> {
    let mut views = vec![];
    for _ in 0..times {
        views.push(x.extract::<View<'_, f32, Dyn>>()?);
    }
    let mut order = 0_usize;
    while !views.is_empty() {
        order = order.wrapping_mul(31).wrapping_add(7);
        drop(views.swap_remove(order.checked_rem(views.len()).unwrap_or(0)));
    }
    Ok(())
}

/// Borrows `x` for reading over and over, each before the last one ends.
#[pyfunction]
fn read_rolling(x: &Bound<'_, PyAny>, times: usize) -> PyResult<()> {
    let mut last = x.extract::<View<'_, f32, Dyn>>()?;
    for _ in 0..times {
        last = x.extract()?;
    }
    drop(last);
    Ok(())
}

/// Borrows `x` for writing `times` times, each after the last, and counts the refusals. Adds one to each element under
/// the borrow, by reading, waiting detached, and writing: lost additions show that two had it.
#[pyfunction]
fn increment(x: &Bound<'_, PyAny>, times: usize) -> PyResult<(usize, usize)> {
    let (mut done, mut refused) = (0_usize, 0_usize);
    for _ in 0..times {
        match x.extract::<ViewMut<'_, f32, Dyn>>() {
            Ok(mut view) => {
                let seen = view.to_vec()?;
                x.py().detach(std::thread::yield_now);
                let more: Vec<f32> = seen.iter().map(|value| value + 1.0).collect();
                view.copy_from(&more)?;
                done = done.saturating_add(1);
            }
            Err(error) if error.is_instance_of::<PyBufferError>(x.py()) => {
                refused = refused.saturating_add(1);
                x.py().detach(std::thread::yield_now);
            }
            Err(error) => return Err(error),
        }
    }
    Ok((done, refused))
}

/// Calls `x.resize(size)` while `x` is read.
#[pyfunction]
fn resizing(x: AnyView<'_>, size: usize) -> PyResult<Bound<'_, PyAny>> {
    x.object().call_method1("resize", (size,))
}

/// What a writer is told while a tensor of the same memory is read: nothing, or the refusal.
#[pyfunction]
fn write_beside_a_look(x: &Bound<'_, PyAny>, owned: bool) -> PyResult<Option<f32>> {
    let tensor = if owned { x.extract::<View<'_, f32, Dyn>>()?.into_owned()? } else { import(x, &Request::default())? };
    let look = tensor.typed::<f32>(x.py())?;
    x.extract::<ViewMut<'_, f32, Dyn>>()?;
    Ok(look.iter().next())
}

/// The empty call, for comparison.
#[pyfunction]
fn take_object(_x: &Bound<'_, PyAny>) {}

/// Takes a view and does nothing.
#[pyfunction]
fn take_2d(_x: View<'_, f32, 2>) {}

/// Takes a view and does nothing.
#[pyfunction]
fn take_2d_mut(_x: ViewMut<'_, f32, 2>) {}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(read_write, module)?)?;
    module.add_function(wrap_pyfunction!(write_write, module)?)?;
    module.add_function(wrap_pyfunction!(read_read, module)?)?;
    module.add_function(wrap_pyfunction!(read_write_anywhere, module)?)?;
    module.add_function(wrap_pyfunction!(reading, module)?)?;
    module.add_function(wrap_pyfunction!(writing, module)?)?;
    module.add_function(wrap_pyfunction!(read_many, module)?)?;
    module.add_function(wrap_pyfunction!(read_rolling, module)?)?;
    module.add_function(wrap_pyfunction!(increment, module)?)?;
    module.add_function(wrap_pyfunction!(resizing, module)?)?;
    module.add_function(wrap_pyfunction!(write_beside_a_look, module)?)?;
    module.add_function(wrap_pyfunction!(take_object, module)?)?;
    module.add_function(wrap_pyfunction!(take_2d, module)?)?;
    module.add_function(wrap_pyfunction!(take_2d_mut, module)?)
}
