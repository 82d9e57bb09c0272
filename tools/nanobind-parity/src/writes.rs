//! Functions that write an array where it is.

#![allow(clippy::arithmetic_side_effects, reason = "that of complex numbers of floats has none")]

use dlferry_pyo3::argument::{COrder, Dyn, Extents, FOrder, OnHost};
use dlferry_pyo3::{AnyViewMut, ViewMut};
use num_complex::Complex;
use pyo3::prelude::*;

use crate::add;
use crate::argument::{Arg, first};

/// The first numbers, as many as there are elements.
#[pyfunction]
fn initialize(array: &Bound<'_, PyAny>) -> PyResult<()> {
    first(
        array,
        &[
            |array| {
                let mut array: ViewMut<'_, u8, 1, Extents<10>> = array.extract()?;
                let mut numbers = 0..;
                array.apply(|old| numbers.next().unwrap_or(old));
                Ok(())
            },
            |array| {
                count(&mut array.extract::<ViewMut<'_, f32, 1, Extents<10>>>()?);
                Ok(())
            },
            |array| {
                count(&mut array.extract::<ViewMut<'_, f32, 2, Extents<10, Dyn>>>()?);
                Ok(())
            },
        ],
    )
}

fn count<const N: usize, W: OnHost>(array: &mut ViewMut<'_, f32, N, W>) {
    let mut number = -1.0;
    array.apply(|_| {
        number += 1.0;
        number
    });
}

/// Twice as bright.
#[pyfunction]
fn process(mut array: Arg<ViewMut<'_, u8, 3, (COrder, Extents<Dyn, Dyn, 3>)>>) {
    array.apply(|value| value.saturating_mul(2));
}

/// Doubles a matrix of 32-bit floats, and leaves all else as it is.
#[pyfunction]
fn fill_view_1(mut x: Arg<AnyViewMut<'_>>) -> PyResult<()> {
    if x.ndim() == 2 && x.is::<f32>() {
        x.typed_mut::<f32>()?.apply(|value| value * 2.0);
    }
    Ok(())
}

#[pyfunction]
fn fill_view_2(mut x: Arg<ViewMut<'_, f32, 2>>) -> PyResult<()> {
    number(&mut x)
}

#[pyfunction]
fn fill_view_3(mut x: Arg<ViewMut<'_, f32, 2, (Extents<3, 4>, COrder)>>) -> PyResult<()> {
    number(&mut x)
}

#[pyfunction]
fn fill_view_4(mut x: Arg<ViewMut<'_, f32, 2, (Extents<3, 4>, FOrder)>>) -> PyResult<()> {
    number(&mut x)
}

/// Ten times the row, and the column.
fn number<W: OnHost>(array: &mut ViewMut<'_, f32, 2, W>) -> PyResult<()> {
    for ((row, column), place) in array.as_array_mut()?.indexed_iter_mut() {
        *place = f32::from(u16::try_from(row)?) * 10.0 + f32::from(u16::try_from(column)?);
    }
    Ok(())
}

#[pyfunction]
fn fill_view_5(mut x: Arg<ViewMut<'_, Complex<f32>, 2, (Extents<2, 2>, COrder)>>) {
    x.apply(|value| value * Complex::new(-1.0, 2.0));
}

/// The four numbers as one row of them.
#[pyfunction]
fn fill_view_6(mut x: Arg<ViewMut<'_, Complex<f32>, 2, (Extents<2, 2>, COrder)>>) -> PyResult<()> {
    x.as_mut_slice()?.iter_mut().for_each(|value| *value = -*value);
    Ok(())
}

#[pyfunction]
fn set_item(data: &Bound<'_, PyAny>, _number: u32) -> PyResult<bool> {
    first(
        data,
        &[
            |data| Ok(data.extract::<ViewMut<'_, f64, 1, COrder>>()?.set([0], 123.0)),
            |data| Ok(data.extract::<ViewMut<'_, Complex<f64>, 1, COrder>>()?.set([0], 123.0.into())),
        ],
    )
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add!(module: initialize, process, fill_view_1, fill_view_2, fill_view_3, fill_view_4, fill_view_5, fill_view_6,
        set_item)
}
