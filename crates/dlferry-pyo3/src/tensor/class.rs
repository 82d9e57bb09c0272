use core::ffi::c_int;

use dlferry::managed::{Descriptor, SharedTensor};
use pyo3::ffi::Py_buffer;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{Source, again, repr, values};
use crate::buffer;
use crate::device;
use crate::dtype::DType;
use crate::exchange;
use crate::protocol::export::{Asked, export};

/// An array that some library made: where its memory is and how it is laid out. It exchanges, it does not compute.
#[pyclass(name = "Tensor", module = "dlferry", frozen, weakref)]
#[derive(Debug)]
pub struct Tensor {
    pub(super) shared: SharedTensor,
    pub(super) source: Source,
    pub(super) owner: Option<Py<PyAny>>,
}

impl Tensor {
    fn descriptor(&self) -> &Descriptor {
        self.shared.descriptor()
    }
}

#[pymethods]
impl Tensor {
    /// The extents.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.descriptor().shape())
    }

    /// The strides, in elements.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.descriptor().strides())
    }

    /// Number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.descriptor().layout().ndim()
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.descriptor().layout().size()
    }

    /// Bytes of one element, rounded up.
    #[getter]
    fn itemsize(&self) -> usize {
        self.descriptor().dtype().item_bytes()
    }

    /// Bytes of all elements; packed ones below a byte are counted as they lie.
    #[getter]
    fn nbytes(&self) -> usize {
        self.descriptor().nbytes()
    }

    /// The type of an element.
    #[getter]
    fn dtype(&self) -> DType {
        DType(self.descriptor().dtype())
    }

    /// Where the memory is: a pair of device type and id.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        device::to_python(py, self.descriptor().device())
    }

    /// The address of the first element, or the device's handle; 0 for none.
    #[getter]
    fn data_ptr(&self) -> usize {
        self.descriptor().data().addr()
    }

    /// Bytes from `data_ptr` to the first element; not 0 only where `data_ptr` is a handle.
    #[getter]
    fn byte_offset(&self) -> u64 {
        self.descriptor().byte_offset()
    }

    /// Whether the elements may only be read.
    #[getter]
    fn readonly(&self) -> bool {
        self.descriptor().is_read_only()
    }

    /// True: a private copy. False: the producer's own memory. None: the producer cannot tell.
    #[getter]
    fn copied(&self) -> Option<bool> {
        self.descriptor().copied()
    }

    /// Whether the elements lie one after another in row-major order.
    #[getter]
    fn c_contiguous(&self) -> bool {
        self.descriptor().layout().is_c_contiguous()
    }

    /// Whether the elements lie one after another in column-major order.
    #[getter]
    fn f_contiguous(&self) -> bool {
        self.descriptor().layout().is_f_contiguous()
    }

    /// Which way the tensor came in, such as "exchange" or "dlpack".
    #[getter]
    #[pyo3(name = "source")]
    fn source_name(&self) -> &'static str {
        self.source.name()
    }

    /// The object that the tensor was taken from, or None.
    #[getter]
    fn owner(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.owner.as_ref().map(|owner| owner.clone_ref(py))
    }

    /// The elements as nested lists of Python numbers; of a tensor without axes, its number.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::tolist(py, self.shared.view())
    }

    /// The one element as a Python number.
    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::item(py, self.shared.view())
    }

    fn __repr__(&self) -> String {
        repr::repr(self)
    }

    /// A DLPack capsule of the tensor, by the array-API standard.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked = Asked::new(stream, max_version, dl_device, copy)?;
        match asked.other_stream(self.descriptor().device().device_type)? {
            None => export(py, &self.shared, &asked),
            Some(stream) => export(py, &again::on_stream(py, self, stream)?, &asked),
        }
    }

    /// The device as a pair of integers, by the array-API standard.
    fn __dlpack_device__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        device::to_pair(py, self.descriptor().device())
    }

    #[classattr]
    fn __dlpack_c_exchange_api__(py: Python<'_>) -> PyResult<Py<PyAny>> {
        exchange::export::capsule(py).map(Bound::unbind)
    }

    unsafe fn __getbuffer__(slf: &Bound<'_, Self>, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
        // SAFETY: called by CPython, which passes the structure to fill.
        unsafe { buffer::export::fill(slf, view, flags) }
    }

    #[allow(clippy::unused_self, reason = "the slot's signature")]
    unsafe fn __releasebuffer__(&self, view: *mut Py_buffer) {
        // SAFETY: called by CPython, once for each view that was filled.
        unsafe { buffer::export::release(view) }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.owner.as_ref().map_or(Ok(()), |owner| visit.call(owner))
    }
}
