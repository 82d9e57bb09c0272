//! What stands in for the buffer protocol in a build without it.

use core::convert::Infallible;

use dlferry::abi::{DLDataType, DLDevice};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::memory::{Keep, Memory};
use crate::protocol::Request;
use crate::python::name_of_type;
use crate::remedy::{Call, remedy};
use crate::tensor::{Source, Tensor};

/// Takes the memory of a `bytes` object, the one kind that needs no buffer protocol, which this build lacks.
///
/// # Errors
///
/// `TypeError` for every other object, `BufferError` when the request cannot be met.
pub fn import(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Tensor> {
    let Ok(bytes) = object.cast::<PyBytes>() else {
        let kind = name_of_type(object);
        return Err(PyTypeError::new_err(format!(
            "an object of type {kind} cannot lend its memory to this build of dlferry, which lacks the buffer protocol; {}",
            remedy(object, Call::FromBuffer)?
        )));
    };
    let bytes = bytes.as_bytes();
    let memory = Memory {
        data: bytes.as_ptr().cast_mut(),
        device: DLDevice::CPU,
        dtype: DLDataType::U8,
        shape: vec![i64::try_from(bytes.len())?],
        strides: vec![1],
        swapped: false,
        read_only: true,
        padded: false,
    };
    // SAFETY: the object never changes and is kept alive.
    unsafe { memory.into_tensor(object.py(), Keep::new(object), request, Source::Buffer, Some(object)) }
}

/// Whether the object has the buffer protocol.
pub(crate) fn is_lent(_object: &Bound<'_, PyAny>) -> bool {
    false
}

/// The bytes of a buffer, of which there are none.
pub(crate) struct Flat(Infallible);

impl Flat {
    /// Refuses.
    pub(crate) fn of(_object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Err(PyBufferError::new_err("this build of dlferry lacks the buffer protocol"))
    }

    pub(crate) fn data(&self) -> *mut u8 {
        match self.0 {}
    }

    pub(crate) fn len(&self) -> usize {
        match self.0 {}
    }

    pub(crate) fn is_read_only(&self) -> bool {
        match self.0 {}
    }
}
