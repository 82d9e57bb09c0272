//! The native module of the Python package `dlferry`: names, and nothing that thinks.

use dlferry_pyo3::dlferry::abi::{DLDataType, DLDevice};
use dlferry_pyo3::protocol::{Request, import};
use dlferry_pyo3::{CopyRequiredError, DType, Tensor, buffer};
use pyo3::prelude::*;

/// Takes an array of any library, without a copy.
#[pyfunction]
#[pyo3(signature = (x, /, *, device=None, copy=None, writable=None))]
fn from_dlpack(
    x: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    copy: Option<bool>,
    writable: Option<bool>,
) -> PyResult<Tensor> {
    let device = device.map(dlferry_pyo3::protocol::device).transpose()?;
    import(x, &Request { device, copy, writable, lenient: false })
}

/// Takes the memory of any object with the buffer protocol, without a copy.
#[pyfunction]
#[pyo3(signature = (x, /, *, copy=None, writable=None))]
fn from_buffer(x: &Bound<'_, PyAny>, copy: Option<bool>, writable: Option<bool>) -> PyResult<Tensor> {
    buffer::import(x, &Request { device: None, copy, writable, lenient: false })
}

/// Takes an array by the first way that works, with a copy only where nothing else will do.
#[pyfunction]
#[pyo3(signature = (x, /, *, copy=None, writable=None))]
fn asarray(x: &Bound<'_, PyAny>, copy: Option<bool>, writable: Option<bool>) -> PyResult<Tensor> {
    dlferry_pyo3::asarray(x, &Request { copy, writable, ..Request::default() })
}

/// Makes a tensor of memory at an address that the caller vouches for.
#[pyfunction]
#[pyo3(signature = (ptr, shape, dtype, strides=None, *, owner, readonly=true, device=None))]
#[allow(clippy::needless_pass_by_value, reason = "made for the call")]
fn from_address(
    ptr: usize,
    shape: Vec<i64>,
    dtype: &Bound<'_, PyAny>,
    strides: Option<Vec<i64>>,
    owner: Option<&Bound<'_, PyAny>>,
    readonly: bool,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    let dtype = DType::from_argument(dtype)?.0;
    let device = device.map_or(Ok(DLDevice::CPU), dlferry_pyo3::protocol::device)?;
    // SAFETY: the caller in Python vouches for the memory, as the documentation of the function says; assumptions P1 to
    // P3 of `SAFETY.md`.
    unsafe { dlferry_pyo3::from_address(ptr, dtype, &shape, strides.as_deref(), device, readonly, owner) }
}

/// Copies the elements of one array into the memory of another.
#[pyfunction]
#[pyo3(signature = (dst, src, /))]
fn copyto(dst: &Bound<'_, PyAny>, src: &Bound<'_, PyAny>) -> PyResult<()> {
    dlferry_pyo3::copyto(dst, src)
}

/// The dtypes that have a name in the package.
const DTYPES: [DLDataType; 27] = [
    DLDataType::BOOL,
    DLDataType::I4,
    DLDataType::I8,
    DLDataType::I16,
    DLDataType::I32,
    DLDataType::I64,
    DLDataType::U4,
    DLDataType::U8,
    DLDataType::U16,
    DLDataType::U32,
    DLDataType::U64,
    DLDataType::F16,
    DLDataType::BF16,
    DLDataType::F32,
    DLDataType::F64,
    DLDataType::C64,
    DLDataType::C128,
    DLDataType::F8_E3M4,
    DLDataType::F8_E4M3,
    DLDataType::F8_E4M3B11FNUZ,
    DLDataType::F8_E4M3FN,
    DLDataType::F8_E4M3FNUZ,
    DLDataType::F8_E5M2,
    DLDataType::F8_E5M2FNUZ,
    DLDataType::F8_E8M0FNU,
    DLDataType::F6_E2M3FN,
    DLDataType::F4_E2M1FN,
];

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Tensor>()?;
    module.add_class::<DType>()?;
    module.add("CopyRequiredError", CopyRequiredError::class(py)?)?;
    module.add_function(wrap_pyfunction!(from_dlpack, module)?)?;
    module.add_function(wrap_pyfunction!(from_buffer, module)?)?;
    module.add_function(wrap_pyfunction!(asarray, module)?)?;
    module.add_function(wrap_pyfunction!(from_address, module)?)?;
    module.add_function(wrap_pyfunction!(copyto, module)?)?;
    for dtype in DTYPES {
        module.add(dtype.to_string().as_str(), DType(dtype))?;
    }
    Ok(())
}
