use dlferry::abi::DLDeviceType;
use dlferry::element::notation::typestr_of;
use dlferry::managed::Descriptor;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// The `__array_interface__` of a tensor in memory that the host reads.
pub(crate) fn host<'py>(py: Python<'py>, descriptor: &Descriptor) -> PyResult<Bound<'py, PyDict>> {
    if !descriptor.is_host_readable() {
        return Err(absent("__array_interface__", &format!("it is on {}", descriptor.device())));
    }
    dictionary(py, descriptor, "__array_interface__")
}

/// The `__cuda_array_interface__` of a tensor in CUDA memory.
pub(crate) fn cuda<'py>(py: Python<'py>, descriptor: &Descriptor) -> PyResult<Bound<'py, PyDict>> {
    let device = descriptor.device();
    if !matches!(device.device_type, DLDeviceType::CUDA | DLDeviceType::CUDA_MANAGED) {
        return Err(absent("__cuda_array_interface__", &format!("it is on {device}")));
    }
    let interface = dictionary(py, descriptor, "__cuda_array_interface__")?;
    // The default stream, which the import asked for.
    interface.set_item("stream", 1)?;
    Ok(interface)
}

/// An `AttributeError`, so that `hasattr` tells the truth.
fn absent(name: &str, why: &str) -> PyErr {
    PyAttributeError::new_err(format!("the tensor has no {name}: {why}"))
}

fn dictionary<'py>(py: Python<'py>, descriptor: &Descriptor, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let dtype = descriptor.dtype();
    let typestr = typestr_of(dtype).ok_or_else(|| absent(name, &format!("{dtype} has no type string")))?;
    let layout = descriptor.layout();
    let interface = PyDict::new(py);
    interface.set_item("version", 3)?;
    interface.set_item("shape", PyTuple::new(py, layout.shape())?)?;
    interface.set_item("typestr", typestr)?;
    // As in an export (decision 5.6): no elements, no address.
    let address = if layout.is_empty() { 0 } else { descriptor.data().expose_provenance() };
    interface.set_item("data", (address, descriptor.is_read_only()))?;
    if layout.is_c_contiguous() {
        interface.set_item("strides", py.None())?;
    } else {
        let item = i64::try_from(dtype.item_bytes())?;
        // Strides of axes without a second element are any number, and need not survive the multiplication.
        let strides = layout.strides().iter().map(|stride| stride.wrapping_mul(item));
        interface.set_item("strides", PyTuple::new(py, strides.collect::<Vec<_>>())?)?;
    }
    Ok(interface)
}
