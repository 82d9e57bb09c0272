//! Functions that take arrays of some kind and no others.

use dlferry_pyo3::argument::{COrder, Convert, Dyn, Extents, FOrder};
use dlferry_pyo3::{View, ViewMut};
use num_complex::Complex;
use pyo3::prelude::*;

use crate::add;
use crate::argument::Arg;

/// A function for each type of argument, which does nothing.
macro_rules! pass {
    ($($name:ident($argument:ty) $(-> $result:literal)?;)*) => {
        $(
            #[pyfunction]
            fn $name(array: Arg<$argument>) -> i32 {
                let _: &$argument = &array.0;
                0
            }
        )*

        pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            register_first(module)?;
            add!(module: $($name),*)
        }
    };
}

pass! {
    pass_float32(ViewMut<'_, f32, Dyn>);
    pass_float32_const(View<'_, f32, Dyn>);
    pass_complex64(ViewMut<'_, Complex<f32>, Dyn>);
    pass_complex64_const(View<'_, Complex<f32>, Dyn>);
    pass_uint32(ViewMut<'_, u32, Dyn>);
    pass_bool(ViewMut<'_, bool, Dyn>);
    pass_float32_shaped(ViewMut<'_, f32, 3, Extents<3, Dyn, 4>>);
    pass_float32_shaped_ordered(ViewMut<'_, f32, 3, (COrder, Extents<Dyn, Dyn, 4>)>);
    noimplicit(ViewMut<'_, f32, 2, (COrder, Extents<2, 2>)>);
    implicit(View<'_, f32, 2, (COrder, Extents<2, 2>, Convert)>);
    noop_3d_c_contig(ViewMut<'_, f32, 3, COrder>);
    noop_2d_f_contig(ViewMut<'_, f32, 2, FOrder>);
}

#[pyfunction]
fn accept_rw(array: Arg<ViewMut<'_, f32, 1, Extents<2>>>) -> Option<f32> {
    array.get([0])
}

#[pyfunction]
fn accept_ro(array: Arg<View<'_, f32, 1, Extents<2>>>) -> Option<f32> {
    array.get([0])
}

#[pyfunction]
fn accept_np_both_true_contig_a(array: Arg<ViewMut<'_, f32, 2, Extents<2, 1>>>) -> Option<f32> {
    array.get([0, 0])
}

#[pyfunction]
fn accept_np_both_true_contig_c(array: Arg<ViewMut<'_, f32, 2, (COrder, Extents<2, 1>)>>) -> Option<f32> {
    array.get([0, 0])
}

#[pyfunction]
fn accept_np_both_true_contig_f(array: Arg<ViewMut<'_, f32, 2, (FOrder, Extents<2, 1>)>>) -> Option<f32> {
    array.get([0, 0])
}

fn register_first(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add!(module: accept_rw, accept_ro, accept_np_both_true_contig_a, accept_np_both_true_contig_c,
        accept_np_both_true_contig_f)
}
