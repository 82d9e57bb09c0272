//! Memory that says it is on a GPU of Apple's. Nobody looks into it.

use core::ffi::c_void;

use dlferry_pyo3::argument::{COrder, Metal};
use dlferry_pyo3::dlferry::abi::{DLDataType, DLDevice, DLDeviceType};
use dlferry_pyo3::dlferry::layout::Layout;
use dlferry_pyo3::dlferry::managed::{Descriptor, Fields, Tensor as Managed};
use dlferry_pyo3::{AnyView, IntoPyErr, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::add;
use crate::argument::Arg;
use crate::results::FLOATS;

fn on_metal(shape: &[i64], byte_offset: u64) -> PyResult<Tensor> {
    let layout = Layout::c_contiguous(shape).map_err(IntoPyErr::into_py_err)?;
    let data = FLOATS.as_ptr().cast_mut().cast::<c_void>();
    let device = DLDevice { device_type: DLDeviceType::METAL, device_id: 0 };
    let fields = Fields { read_only: true, ..Fields::SHARED };
    let descriptor = Descriptor::with_byte_offset(data, byte_offset, device, DLDataType::F32, layout, fields);
    let descriptor = descriptor.map_err(IntoPyErr::into_py_err)?;
    // SAFETY: a handle for a device that is not there; where it points to is static memory, of as many elements.
    let tensor = unsafe { Managed::from_owner((), descriptor) };
    Tensor::of(tensor.map_err(IntoPyErr::into_py_err)?)
}

#[pyfunction]
fn ret_array_api_metal() -> PyResult<Tensor> {
    on_metal(&[2, 4], 0)
}

#[pyfunction]
fn ret_array_api_metal_byte_offset() -> PyResult<Tensor> {
    on_metal(&[2, 3], 4)
}

/// Device, number of axes, two extents, whether it is the memory of this module, byte offset.
#[pyfunction]
fn check_metal_contig(array: Arg<AnyView<'_, (COrder, Metal)>>) -> PyResult<(i32, i32, usize, i64, i64, bool, u64)> {
    let (device, found) = (array.device(), array.descriptor());
    let [rows, columns] = *array.shape() else { return Err(PyValueError::new_err("there are not two axes")) };
    let is_ours = array.data_ptr() == FLOATS.as_ptr().cast();
    Ok((device.device_type.0, device.device_id, array.ndim(), rows, columns, is_ours, found.byte_offset()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add!(module: ret_array_api_metal, ret_array_api_metal_byte_offset, check_metal_contig)
}
