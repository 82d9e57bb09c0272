//! Memory that a Python object describes in bytes, as the buffer protocol and the array interfaces do.

use dlferry::abi::{DLDataType, DLDevice};
use dlferry::copy::Strided;
use dlferry::layout::{Layout, LayoutError};
use dlferry::managed::{DescribeError, Descriptor, Fields, Tensor as Managed};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

use crate::borrow::{self, Kind, Region};
use crate::copying::copying;
use crate::error::{CopyRequiredError, IntoPyErr};
use crate::protocol::Request;
use crate::settle::settle;
use crate::tensor::{Source, Tensor};

/// Elements at strides in bytes, as an object says they are.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) data: *mut u8,
    pub(crate) device: DLDevice,
    pub(crate) dtype: DLDataType,
    pub(crate) shape: Vec<i64>,
    /// In bytes.
    pub(crate) strides: Vec<i64>,
    /// The scalars are in the byte order that this machine does not use.
    pub(crate) swapped: bool,
    pub(crate) read_only: bool,
    /// Elements of less than a byte stand one in each byte.
    pub(crate) padded: bool,
}

impl Memory {
    /// The strides in bytes of elements of `item` bytes in row-major order.
    pub(crate) fn row_major(shape: &[i64], item: usize) -> PyResult<Vec<i64>> {
        let layout = Layout::c_contiguous(shape).map_err(|error| refused(&error))?;
        let item = i64::try_from(item)?;
        Ok(layout.strides().iter().map(|stride| stride.saturating_mul(item)).collect())
    }

    /// Makes a tensor of the memory, which is there until `keep` is dropped; or, when DLPack cannot describe it and the
    /// request allows or asks for it, of a copy.
    ///
    /// # Safety
    ///
    /// Until `keep` is dropped the memory is as described, readable by the host if the device says so, writable unless
    /// read-only.
    pub(crate) unsafe fn into_tensor<K: Send + 'static>(
        self,
        py: Python<'_>,
        keep: K,
        request: &Request,
        source: Source,
        owner: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tensor> {
        let layout = if self.swapped {
            Err(String::from("the elements are in the other byte order, which DLPack cannot say"))
        } else {
            match Layout::from_bytes(&self.shape, &self.strides, self.dtype.item_bytes()) {
                Err(error @ LayoutError::PartialStride { .. }) => Err(error.to_string()),
                layout => Ok(layout.map_err(|error| refused(&error))?),
            }
        };
        let (tensor, owner) = match layout {
            Ok(layout) => {
                let fields = Fields { read_only: self.read_only, padded: self.padded, ..Fields::SHARED };
                let descriptor = Descriptor::new(self.data.cast(), self.device, self.dtype, layout, fields)
                    .map_err(IntoPyErr::into_py_err)?;
                // SAFETY: vouched for by the caller.
                (unsafe { Managed::from_owner(keep, descriptor) }.map_err(IntoPyErr::into_py_err)?, owner)
            }
            Err(reason) => {
                if !request.lenient && request.copy.is_none() {
                    let remedy = if request.in_place {
                        "a copy would take what is written, so pass an array that needs none and copy the result back"
                    } else {
                        "dlferry.asarray copies them, and so do from_dlpack and from_buffer with copy=True"
                    };
                    return Err(PyBufferError::new_err(format!("{reason}: {remedy}")));
                }
                if self.device != DLDevice::CPU {
                    let text = format!("{reason}, and memory on {} is not copied here", self.device);
                    return Err(PyBufferError::new_err(text));
                }
                if request.copy == Some(false) {
                    return Err(CopyRequiredError::new_err(py, format!("{reason}{}", request.forbids_a_copy())));
                }
                let strided = Strided::new(self.data, self.dtype, &self.shape, &self.strides, self.swapped)
                    .map_err(IntoPyErr::into_py_err)?;
                let bytes = strided.nbytes();
                // Who converts an argument reads it, as who takes it does.
                let region = strided.addresses().and_then(|(low, high)| Region::between(low, high));
                let borrowed = borrow::bytes(py, region, Kind::Shared, "array", None)?;
                // SAFETY: readable host memory, vouched for by the caller; `keep` is there until the copy is made.
                let copy = copying(py, bytes, |job| unsafe { job.copy_strided(&strided) })?;
                // The memory last, so that nobody else has it while it is still registered.
                drop(borrowed);
                drop(keep);
                // A private copy has nothing to do with where it came from.
                (copy, None)
            }
        };
        settle(py, tensor, request, source, owner)
    }
}

fn refused(error: &LayoutError) -> PyErr {
    DescribeError::Layout(error.clone()).into_py_err()
}

/// A Python object that keeps memory alive; let go of on any thread, and left alone once the interpreter is gone.
#[derive(Debug)]
pub(crate) struct Keep(Option<Py<PyAny>>);

impl Keep {
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> Self {
        Self(Some(object.clone().unbind()))
    }
}

impl Drop for Keep {
    fn drop(&mut self) {
        let Some(object) = self.0.take() else { return };
        let object = core::mem::ManuallyDrop::new(object);
        crate::python::try_attached(|py| {
            crate::error::with_exception_aside(py, || drop(core::mem::ManuallyDrop::into_inner(object)));
        });
    }
}
