//! What an array is, whatever it is.

use dlferry_pyo3::argument::{AnyDevice, COrder, Cpu, Cuda, FOrder};
use dlferry_pyo3::{AnyView, AnyViewMut};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::add;
use crate::argument::{Arg, first};

type Any<'py> = Arg<AnyView<'py>>;

#[pyfunction]
fn get_is_valid(array: Option<Any<'_>>) -> bool {
    array.is_some()
}

#[pyfunction]
#[pyo3(signature = (array=None))]
fn get_is_valid_default(array: Option<Any<'_>>) -> bool {
    array.is_some()
}

#[pyfunction]
fn get_shape(array: Any<'_>) -> Vec<i64> {
    array.shape().to_vec()
}

#[pyfunction]
fn get_size(array: Option<Any<'_>>) -> usize {
    array.map_or(0, |array| array.size())
}

#[pyfunction]
fn get_itemsize(array: Option<Any<'_>>) -> usize {
    array.map_or(0, |array| array.dtype().item_bytes())
}

#[pyfunction]
fn get_nbytes(array: Option<Any<'_>>) -> usize {
    array.map_or(0, |array| array.descriptor().nbytes())
}

#[pyfunction]
fn get_stride(array: Any<'_>, i: usize) -> PyResult<i64> {
    array.strides().get(i).copied().ok_or_else(|| PyIndexError::new_err("there are fewer axes"))
}

/// There are no pointers to compare with: extents are a slice.
#[pyfunction]
fn check_shape_ptr(array: Any<'_>) -> bool {
    array.shape() == array.descriptor().layout().shape()
}

/// As for the shape.
#[pyfunction]
fn check_stride_ptr(array: Any<'_>) -> bool {
    array.strides() == array.descriptor().layout().strides()
}

#[pyfunction]
fn check_float(array: Any<'_>) -> bool {
    array.is::<f32>()
}

#[pyfunction]
fn check_bool(array: Any<'_>) -> bool {
    array.is::<bool>()
}

/// Whether it is an array at all.
#[pyfunction]
fn check(object: &Bound<'_, PyAny>) -> bool {
    object.extract::<AnyView<'_, AnyDevice>>().is_ok()
}

#[pyfunction]
fn check_order(array: &Bound<'_, PyAny>) -> PyResult<char> {
    first(
        array,
        &[
            |array| array.extract::<AnyViewMut<'_, COrder>>().map(|_| 'C'),
            |array| array.extract::<AnyViewMut<'_, FOrder>>().map(|_| 'F'),
            |array| array.extract::<AnyViewMut<'_>>().map(|_| '?'),
        ],
    )
}

#[pyfunction]
fn check_device(array: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    first(
        array,
        &[
            |array| array.extract::<AnyView<'_, Cpu>>().map(|_| "cpu"),
            |array| array.extract::<AnyView<'_, Cuda>>().map(|_| "cuda"),
        ],
    )
}

/// Device, number of axes, two extents, byte offset.
#[pyfunction]
fn inspect_byte_offset(array: Any<'_>) -> PyResult<(i32, i32, usize, i64, i64, u64)> {
    let (device, found) = (array.device(), array.descriptor());
    let [rows, columns] = *array.shape() else { return Err(PyValueError::new_err("there are not two axes")) };
    Ok((device.device_type.0, device.device_id, array.ndim(), rows, columns, found.byte_offset()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add!(module: get_is_valid, get_is_valid_default, get_shape, get_size, get_itemsize, get_nbytes, get_stride,
        check_shape_ptr, check_stride_ptr, check_float, check_bool, check, check_order, check_device,
        inspect_byte_offset)
}
