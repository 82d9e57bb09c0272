//! Functions that return arrays.

use std::sync::atomic::{AtomicUsize, Ordering};

use dlferry_pyo3::argument::{COrder, Convert};
use dlferry_pyo3::dlferry::element::Element;
use dlferry_pyo3::dlferry::export::{Export, Owner, OwnerMut};
use dlferry_pyo3::dlferry::layout::Layout;
use dlferry_pyo3::dlferry::managed::Tensor as Managed;
use dlferry_pyo3::{AnyView, IntoPyErr, Like, Memoryview, Numpy, Tensor, Torch};
use half::f16;
use pyo3::prelude::*;

use crate::add;
use crate::argument::Arg;

/// Memory that nobody frees.
pub(crate) static FLOATS: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
static INTEGERS: [i32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

static DESTROYED: AtomicUsize = AtomicUsize::new(0);

/// Elements that are counted when they go.
#[derive(Debug)]
pub(crate) struct Counted<T>(pub(crate) Vec<T>);

impl<T> Drop for Counted<T> {
    fn drop(&mut self) {
        DESTROYED.fetch_add(1, Ordering::SeqCst);
    }
}

impl<T: Element> Owner for Counted<T> {
    type Item = T;

    fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<T: Element> OwnerMut for Counted<T> {
    fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }
}

/// The first eight numbers.
fn eight<T: Element + From<u8>>() -> Counted<T> {
    Counted((1..=8).map(T::from).collect())
}

/// Two rows of four of them.
fn two_by_four<T: Element + From<u8>>() -> Export<Counted<T>> {
    Export::writable(eight()).shape(&[2, 4])
}

/// Two rows of four, the first axis the fastest.
fn f_order() -> PyResult<Layout> {
    Layout::new(&[2, 4], &[1, 2]).map_err(IntoPyErr::into_py_err)
}

#[pyfunction]
fn destruct_count() -> usize {
    DESTROYED.load(Ordering::SeqCst)
}

/// A capsule, as a consumer gets it that asks for none of the newer kind.
#[pyfunction]
fn return_no_framework(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Bound::new(py, Tensor::of(two_by_four::<f32>())?)?.call_method0("__dlpack__")
}

type Result<T> = Export<Counted<T>>;

#[pyfunction]
fn ret_numpy() -> Numpy<Result<f32>> {
    Numpy(two_by_four())
}

#[pyfunction]
fn ret_numpy_half() -> Numpy<Result<f16>> {
    Numpy(Export::writable(Counted((1_u8..=8).map(f16::from).collect())).shape(&[2, 4]))
}

#[pyfunction]
fn ret_pytorch() -> Torch<Result<f32>> {
    Torch(two_by_four())
}

#[pyfunction]
fn ret_mlx(py: Python<'_>) -> PyResult<Like<'_, f32>> {
    Like::library(py, "mlx", two_by_four())
}

#[pyfunction]
fn ret_memview() -> Memoryview<Result<f64>> {
    Memoryview(two_by_four())
}

#[pyfunction]
fn ret_memview_ro() -> Memoryview<Result<f32>> {
    Memoryview(Export::read_only(eight()).shape(&[2, 4]))
}

#[pyfunction]
fn ret_memview_f() -> PyResult<Memoryview<Result<f32>>> {
    Ok(Memoryview(Export::writable(eight()).layout(f_order()?, 0)))
}

#[pyfunction]
fn ret_array_api() -> PyResult<Tensor> {
    Tensor::of(two_by_four::<f64>())
}

#[pyfunction]
fn ret_array_api_byte_offset() -> PyResult<Tensor> {
    let nine: Vec<f64> = (1_u8..=9).map(f64::from).collect();
    let layout = Layout::c_contiguous(&[2, 4]).map_err(IntoPyErr::into_py_err)?;
    Tensor::of(Export::writable(Counted(nine)).layout(layout, 1))
}

#[pyfunction]
fn ret_array_scalar() -> Numpy<Result<f32>> {
    Numpy(Export::writable(Counted(vec![1.0])).shape(&[]))
}

#[pyfunction]
fn ret_numpy_const_ref() -> Numpy<(&'static [f32], [i64; 2])> {
    Numpy((&FLOATS, [2, 4]))
}

#[pyfunction]
fn ret_numpy_const_ref_f() -> PyResult<Numpy<Export<&'static [f32]>>> {
    Ok(Numpy(Export::read_only(&FLOATS[..]).layout(f_order()?, 0)))
}

#[pyfunction]
fn ret_numpy_const() -> Numpy<Export<Vec<f32>>> {
    Numpy(Export::read_only(FLOATS.to_vec()).shape(&[2, 4]))
}

#[pyfunction]
fn ret_infer_c() -> Numpy<(Vec<f32>, [i64; 2])> {
    Numpy((FLOATS.to_vec(), [2, 4]))
}

#[pyfunction]
fn ret_infer_f() -> PyResult<Numpy<Export<Vec<f32>>>> {
    Ok(Numpy(Export::writable(FLOATS.to_vec()).layout(f_order()?, 0)))
}

#[pyfunction]
fn ret_ndarray_empty() -> Numpy<Vec<f32>> {
    Numpy(Vec::new())
}

#[pyfunction]
fn ret_from_stack_1() -> Numpy<[f32; 3]> {
    Numpy([1.0, 2.0, 3.0])
}

#[pyfunction]
fn ret_from_stack_2(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Numpy([1.0_f32, 2.0, 3.0]).into_pyobject(py)
}

/// One number without axes, a float or an integer.
#[pyfunction]
fn cast(py: Python<'_>, is_float: bool) -> PyResult<Bound<'_, PyAny>> {
    let no_axes: [i64; 0] = [];
    let (float, integer): (&'static [f32], &'static [i32]) = (FLOATS.split_at(1).0, INTEGERS.split_at(1).0);
    if is_float { Numpy((float, no_axes)).into_pyobject(py) } else { Numpy((integer, no_axes)).into_pyobject(py) }
}

#[pyfunction]
fn passthrough(array: Arg<AnyView<'_>>) -> Bound<'_, PyAny> {
    array.object().clone()
}

#[pyfunction]
fn passthrough_arg_none(array: Option<Arg<AnyView<'_>>>) -> Option<Bound<'_, PyAny>> {
    array.map(passthrough)
}

#[pyfunction]
fn passthrough_copy(array: Arg<AnyView<'_>>) -> PyResult<Like<'_>> {
    let copy = Managed::copy_of(array.view()).map_err(IntoPyErr::into_py_err)?;
    Like::of(&array.0, copy)
}

/// The array itself, or a copy of it in C order.
#[pyfunction]
fn make_contig<'py>(py: Python<'py>, array: Arg<AnyView<'py, (COrder, Convert)>>) -> PyResult<Bound<'py, PyAny>> {
    let object = array.object().clone();
    if array.is_copy() { Like::of(&object, array.0.into_owned()?)?.into_pyobject(py) } else { Ok(object) }
}

#[pyfunction]
fn test_implicit_conversion<'py>(
    py: Python<'py>,
    array: Arg<AnyView<'py, (COrder, Convert)>>,
) -> PyResult<Bound<'py, PyAny>> {
    make_contig(py, array)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add!(module: destruct_count, return_no_framework, ret_numpy, ret_numpy_half, ret_pytorch, ret_mlx, ret_memview,
        ret_memview_ro, ret_memview_f, ret_array_api, ret_array_api_byte_offset, ret_array_scalar, ret_numpy_const_ref,
        ret_numpy_const_ref_f, ret_numpy_const, ret_infer_c, ret_infer_f, ret_ndarray_empty, ret_from_stack_1, ret_from_stack_2, cast,
        passthrough, passthrough_arg_none, passthrough_copy, make_contig, test_implicit_conversion)
}
