//! Devices as Python sees them: pairs of two integers.

use dlferry::abi::{DLDevice, DLDeviceType};
use pyo3::exceptions::{PyBufferError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::once::Once;

/// A device as a plain pair, as `__dlpack_device__` returns it.
pub(crate) fn to_pair(py: Python<'_>, device: DLDevice) -> PyResult<Bound<'_, PyTuple>> {
    (device.device_type.0, device.device_id).into_pyobject(py)
}

/// A device as `dlferry.Device`, which is a pair with names; a plain pair where the package is not installed.
pub(crate) fn to_python(py: Python<'_>, device: DLDevice) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: Once<Option<Py<PyAny>>> = Once::new();
    let class = CLASS.get_or_init(py, || {
        let module = py.import("dlferry._device").ok()?;
        Some(module.getattr("Device").ok()?.unbind())
    });
    match class {
        Some(class) => class.bind(py).call1((device.device_type.0, device.device_id)),
        None => to_pair(py, device).map(Bound::into_any),
    }
}

/// Reads a pair strictly: a tuple of two integers.
pub(crate) fn pair(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<(i64, i64)> {
    let malformed = || {
        let found = value.repr().map_or_else(|_| String::from("something else"), |text| text.to_string());
        PyTypeError::new_err(format!("{argument} must be None or a tuple of two integers, found {found}"))
    };
    let tuple = value.cast::<PyTuple>().map_err(|_| malformed())?;
    let (first, second): (Bound<'_, PyAny>, Bound<'_, PyAny>) = tuple.extract().map_err(|_| malformed())?;
    // An error of another kind is that of the integer's own code.
    let or_malformed = |error: PyErr| if error.is_instance_of::<PyTypeError>(value.py()) { malformed() } else { error };
    Ok((saturated(&first).map_err(or_malformed)?, saturated(&second).map_err(or_malformed)?))
}

/// An integer, or the largest one when it is beyond 64 bits, which no device and no version is.
fn saturated(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    match value.extract::<i64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Ok(i64::MAX),
        result => result,
    }
}

/// What an export's `dl_device` or an import's `device` asks for.
pub(crate) fn from_pair(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<DLDevice> {
    let (device_type, device_id) = pair(value, argument)?;
    let unknown = |_| PyBufferError::new_err(format!("{argument}={value} is no device"));
    Ok(DLDevice {
        device_type: DLDeviceType(i32::try_from(device_type).map_err(unknown)?),
        device_id: i32::try_from(device_id).map_err(unknown)?,
    })
}

/// What the `device` argument of `from_dlpack` asks for: `"cpu"` or a pair.
pub(crate) fn from_argument(value: &Bound<'_, PyAny>) -> PyResult<DLDevice> {
    let Ok(name) = value.cast::<PyString>() else {
        return from_pair(value, "device");
    };
    if name.to_cow()? == "cpu" {
        return Ok(DLDevice::CPU);
    }
    Err(PyValueError::new_err(format!(
        "device={} is unknown: wanted None, \"cpu\" or a pair such as (2, 0)",
        name.repr()?
    )))
}
