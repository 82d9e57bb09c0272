//! What a capsule says about itself, for `dlferry.explain`.

use dlferry_pyo3::capsule::{Told, look};
use dlferry_pyo3::{DType, IntoPyErr};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Reads what a capsule says, without taking its tensor: a dict with its `name`, and for tensors that nobody has taken yet
/// `version`, `flags`, `deleter` and either what it is or the `refusal`.
#[pyfunction]
fn look_at<'py>(capsule: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = capsule.py();
    let seen = look(capsule)?;
    let dict = PyDict::new(py);
    dict.set_item("name", seen.name)?;
    if let Some(told) = seen.tensor {
        describe(&dict, told)?;
    }
    Ok(dict)
}

fn describe(dict: &Bound<'_, PyDict>, told: Told) -> PyResult<()> {
    let py = dict.py();
    dict.set_item("version", told.versioned.map(|(version, _)| (version.major, version.minor)))?;
    dict.set_item("flags", told.versioned.map(|(_, flags)| flags))?;
    dict.set_item("deleter", told.has_deleter)?;
    match told.descriptor {
        Err(refusal) => dict.set_item("refusal", refusal.into_py_err().value(py).str()?),
        Ok(descriptor) => {
            let device = descriptor.device();
            dict.set_item("shape", PyTuple::new(py, descriptor.shape())?)?;
            dict.set_item("strides", PyTuple::new(py, descriptor.strides())?)?;
            dict.set_item("dtype", DType(descriptor.dtype()))?;
            dict.set_item("device", (device.device_type.0, device.device_id))?;
            dict.set_item("data", descriptor.data().addr())?;
            dict.set_item("byte_offset", descriptor.byte_offset())?;
            dict.set_item("nbytes", descriptor.nbytes())?;
            dict.set_item("readonly", descriptor.is_read_only())?;
            dict.set_item("copied", descriptor.copied())
        }
    }
}

/// Adds the function to the native module, under a name of its own.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.setattr("_look_at", wrap_pyfunction!(look_at, module)?)
}
