//! What `Tensor.__dlpack__` does with its four keywords.

use dlferry::abi::{DLDevice, DLDeviceType};
use dlferry::managed::{Descriptor, SharedTensor};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

use crate::capsule;
use crate::copying::copy_of;
use crate::device;
use crate::error::IntoPyErr;

/// What a consumer asks for, checked for form before anything else happens (rule R4.11).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    versioned: bool,
    device: Option<DLDevice>,
    copy: bool,
    stream: Option<i64>,
}

impl Asked {
    pub(crate) fn new(
        stream: Option<&Bound<'_, PyAny>>,
        max_version: Option<&Bound<'_, PyAny>>,
        dl_device: Option<&Bound<'_, PyAny>>,
        copy: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let versioned = match max_version {
            None => false,
            Some(version) => device::pair(version, "max_version")?.0 >= 1,
        };
        let device = dl_device.map(|pair| device::from_pair(pair, "dl_device")).transpose()?;
        let copy = match copy {
            None => false,
            Some(copy) => copy.cast::<PyBool>().map_err(|_| wrong_type("copy", "None or a bool", copy))?.is_true(),
        };
        let stream = match stream {
            None => None,
            Some(stream) => {
                let number = stream.cast::<PyInt>().map_err(|_| wrong_type("stream", "None or an int", stream))?;
                let too_large = |_| PyValueError::new_err(format!("stream={stream} is no stream's address"));
                Some(number.extract().map_err(too_large)?)
            }
        };
        Ok(Self { versioned, device, copy, stream })
    }

    /// The stream that was asked for, when it is one on which the data is not known to be ready.
    pub(crate) fn other_stream(&self, device_type: DLDeviceType) -> PyResult<Option<i64>> {
        let Some(stream) = self.stream else {
            return Ok(None);
        };
        let bad = |wanted: &str| PyValueError::new_err(format!("stream={stream} on this device: wanted {wanted}"));
        match (device_type, stream) {
            // The consumer does not want to wait; or it is the default stream, which the import asked for.
            (_, -1) | (DLDeviceType::CUDA, 1) | (DLDeviceType::ROCM, 0) => Ok(None),
            (DLDeviceType::CUDA | DLDeviceType::CUDA_MANAGED | DLDeviceType::CUDA_HOST, 0) => {
                Err(bad("None, -1, 1, 2 or a stream's address; 0 is ambiguous"))
            }
            (DLDeviceType::ROCM, 1 | 2) => Err(bad("None, -1, 0 or a stream's address")),
            (DLDeviceType::CUDA | DLDeviceType::ROCM, stream) if stream > 0 => Ok(Some(stream)),
            // The memory is the host's, with nothing pending that dlferry knows of.
            (DLDeviceType::CUDA_MANAGED | DLDeviceType::CUDA_HOST, stream) if stream > 0 => Ok(None),
            _ => Err(bad("None or -1")),
        }
    }
}

fn wrong_type(argument: &str, wanted: &str, found: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{argument} must be {wanted}, found {}", found.get_type()))
}

/// Makes the capsule that was asked for.
///
/// The stream is not looked at here: the caller has settled it.
pub(crate) fn export<'py>(py: Python<'py>, tensor: &SharedTensor, asked: &Asked) -> PyResult<Bound<'py, PyAny>> {
    let descriptor = tensor.descriptor();
    let relabelled = on_device(descriptor, asked.device)?;
    if asked.copy {
        if !descriptor.is_host_readable() {
            return Err(PyBufferError::new_err(format!(
                "copy=True: the tensor is on {}, and only memory that the host can read is copied",
                descriptor.device()
            )));
        }
        let copy = copy_of(py, tensor.view())?;
        return capsule::capsule_of_unique(py, copy, asked.versioned);
    }
    match relabelled {
        // SAFETY: the same elements, under the name of another device that can read them.
        Some(descriptor) => capsule::capsule(py, &unsafe { tensor.with_descriptor(descriptor) }, asked.versioned),
        None => capsule::capsule(py, tensor, asked.versioned),
    }
}

/// Whether the tensor can be had on the device: `None` as it is, or a description that names the CPU, for memory that
/// the host can read (rule R9.16).
fn on_device(descriptor: &Descriptor, wanted: Option<DLDevice>) -> PyResult<Option<Descriptor>> {
    let own = descriptor.device();
    match wanted {
        None => Ok(None),
        Some(wanted) if wanted == own => Ok(None),
        Some(DLDevice::CPU) if descriptor.is_host_readable() => {
            let layout = descriptor.layout().clone();
            let fields = descriptor.fields();
            Descriptor::new(descriptor.data(), DLDevice::CPU, descriptor.dtype(), layout, fields)
                .map(Some)
                .map_err(IntoPyErr::into_py_err)
        }
        Some(wanted) => Err(PyBufferError::new_err(format!(
            "dl_device: the tensor is on {own}, and {wanted} was asked for; dlferry does not move data between devices"
        ))),
    }
}
