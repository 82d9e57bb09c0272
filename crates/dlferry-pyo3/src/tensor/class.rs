#[cfg(feature = "buffer")]
use core::ffi::c_int;
use std::sync::OnceLock;

use dlferry::managed::SharedTensor;
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyTuple};

#[cfg(not(feature = "abi3"))]
use super::method;
use super::{Source, bytes, copies, hand_on, index, number, pickle, repr, retype, shape, values};
#[cfg(feature = "buffer")]
use crate::buffer;
use crate::device;
use crate::dtype::DType;
use crate::exchange;
use crate::integer::{integer, integers};
use crate::interface;
use crate::numpy::{self, to_ndarray};

/// An array that some library made: where its memory is and how it is laid out. It exchanges, it does not compute.
///
/// `from_dlpack`, `from_buffer`, `asarray` and `from_address` make it. It has the DLPack protocol and the buffer protocol,
/// so that other libraries take it as it is. An index of integers, slices, `...` and None gives a view, never a number, and so
/// does iteration; a tensor of one element converts to `bool`, `int` and `float`.
///
/// ```python
/// >>> tensor = dlferry.from_buffer(bytes(range(6))).reshape(2, 3)
/// >>> tensor[:, 1:].tolist()
/// [[1, 2], [4, 5]]
/// >>> tensor[0, 1], int(tensor[0, 1])
/// (Tensor(1, shape=(), dtype=uint8, device=cpu, readonly=True, source=buffer), 1)
/// ```
#[pyclass(name = "Tensor", module = "dlferry", frozen, weakref)]
#[derive(Debug)]
pub struct Tensor {
    pub(crate) shared: SharedTensor,
    pub(crate) source: Source,
    pub(crate) owner: Option<Py<PyAny>>,
    /// The array of NumPy's once more, from when it was shown. NumPy resizes an array to which there are two references, of which
    /// `tensor.owner.resize(...)` has one.
    pub(crate) shown: OnceLock<Py<PyAny>>,
}

impl Tensor {
    /// The object that the tensor was taken from.
    pub(super) fn owner_object<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        match &self.owner {
            Some(owner) => Some(owner.bind(py).clone()),
            None => numpy::owner(py, &self.shared),
        }
    }
}

#[pymethods]
impl Tensor {
    /// The extents of the axes, a tuple of as many integers as there are axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.descriptor().shape())
    }

    /// The strides, a tuple: how many elements lie from one index of an axis to the next. Not bytes; any sign, also 0.
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

    /// Where the memory is: a `Device`, which is a pair of device type and id.
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

    /// Whether the elements may only be read: since the producer says so, cannot say (an unversioned capsule) or requires a
    /// gradient, since elements share memory, or since `writable=False` was asked for.
    #[getter]
    fn readonly(&self) -> bool {
        self.descriptor().is_read_only()
    }

    /// True: a private copy. False: the producer's own memory. None: nobody can tell, as after `__array__`, an unversioned
    /// capsule or unpickling.
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

    /// Which way the tensor came in: "exchange", "dlpack", "dlpack-unversioned", "buffer", "array-interface", "numpy",
    /// "address" or "rust". A view has that of its tensor.
    ///
    /// "numpy" is a NumPy array that was read as it is, also one of a derived class, such as `numpy.memmap`, that has
    /// no `__dlpack__` of its own; one that has is asked by it: "dlpack".
    #[getter]
    #[pyo3(name = "source")]
    fn source_name(&self) -> &'static str {
        self.source.name()
    }

    /// The object that the tensor was taken from and that it keeps alive; None for a copy or a capsule.
    #[getter]
    fn owner(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let owner = self.owner_object(py)?;
        if self.owner.is_none() {
            self.shown.get_or_init(|| owner.clone().unbind());
        }
        Some(owner.unbind())
    }

    /// The elements as lists of Python numbers, nested as deep as there are axes; of a tensor without axes, its number.
    ///
    /// Raises `BufferError` for memory that the host cannot read and for elements of an unknown dtype.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(b"abcd").reshape(2, 2).tolist()
    /// [[97, 98], [99, 100]]
    /// ```
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::tolist(py, self.shared.view())
    }

    /// The one element as a Python number.
    ///
    /// Raises `ValueError` unless there is exactly one, and `BufferError` as `tolist` does.
    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::item(py, self.shared.view())
    }

    /// A copy in new memory, which is writable and aligned to 64 bytes: in row-major ("C") or column-major ("F") order, or as
    /// near to the tensor's own order as there can be without gaps ("K").
    ///
    /// Raises `ValueError` for another order, `BufferError` for memory that the host cannot read.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(b"abcdef").reshape(2, 3).copy("F").strides
    /// (1, 2)
    /// ```
    #[pyo3(signature = (order="C"))]
    fn copy(&self, py: Python<'_>, order: &str) -> PyResult<Self> {
        copies::copy(self, py, order)
    }

    /// The elements as a `bytes` object, in row-major ("C") or column-major ("F") order, or as near to the tensor's own order as
    /// there can be without gaps ("K"). Packed elements below a byte stay packed.
    ///
    /// Raises `ValueError` for another order, `BufferError` for memory that the host cannot read.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(b"abcdef").reshape(2, 3).tobytes("F")
    /// b'adbecf'
    /// ```
    #[pyo3(signature = (order="C"))]
    fn tobytes<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyBytes>> {
        bytes::tobytes(self, py, order)
    }

    /// The view with another shape, given as integers or as a sequence of them; one extent may be -1.
    ///
    /// Raises `ValueError` for a shape of another number of elements, `CopyRequiredError` where no strides can say it.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(b"abcdef").reshape(-1, 2).shape
    /// (3, 2)
    /// ```
    #[pyo3(signature = (*shape))]
    fn reshape(&self, py: Python<'_>, shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        shape::reshape(self, py, shape)
    }

    /// The view with its axes in another order, given as integers or as a sequence of them that names each axis once. Raises
    /// `ValueError` for any other.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(bytes(24)).reshape(2, 3, 4).permute_dims(2, 0, 1).shape
    /// (4, 2, 3)
    /// ```
    #[pyo3(signature = (*axes))]
    fn permute_dims(&self, py: Python<'_>, axes: &Bound<'_, PyTuple>) -> PyResult<Self> {
        shape::permute_dims(self, py, axes)
    }

    /// The view with all axes in reverse.
    #[getter]
    #[pyo3(name = "T")]
    fn transposed(&self, py: Python<'_>) -> PyResult<Self> {
        shape::transposed(self, py)
    }

    /// The view with the last two axes swapped. Raises `ValueError` for fewer axes.
    #[getter]
    #[pyo3(name = "mT")]
    fn matrix_transposed(&self, py: Python<'_>) -> PyResult<Self> {
        shape::matrix_transposed(self, py)
    }

    /// The view without axes of extent 1: all of them, or those that `axis` names, an integer or a tuple.
    ///
    /// Raises `ValueError` for an axis that is not there or has another extent.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(bytes(3)).reshape(1, 3, 1).squeeze(-1).shape
    /// (1, 3)
    /// ```
    #[pyo3(signature = (axis=None))]
    fn squeeze(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        shape::squeeze(self, py, axis)
    }

    /// The view with a new axis of extent 1 at the place `axis`. Raises `ValueError` for a place that is not there.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(bytes(3)).expand_dims(-1).shape
    /// (3, 1)
    /// ```
    #[pyo3(signature = (axis=0))]
    fn expand_dims(&self, py: Python<'_>, #[pyo3(from_py_with = integer)] axis: i64) -> PyResult<Self> {
        shape::expand_dims(self, py, axis)
    }

    /// The view that is repeated to a shape, with strides of 0. It is read-only, for its elements share memory.
    ///
    /// Raises `ValueError` for a shape that it cannot be broadcast to.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(b"ab").broadcast_to((2, 2)).tolist()
    /// [[97, 98], [97, 98]]
    /// ```
    #[pyo3(signature = (shape, /))]
    #[allow(clippy::needless_pass_by_value, reason = "made for the call")]
    fn broadcast_to(&self, py: Python<'_>, #[pyo3(from_py_with = integers)] shape: Vec<i64>) -> PyResult<Self> {
        shape::broadcast_to(self, py, &shape)
    }

    /// The view of the same bytes as elements of another dtype, given in any way that `dlferry.dtype` takes. Where the sizes of
    /// the elements differ, the last axis shrinks or grows.
    ///
    /// Raises `ValueError` for a name of no dtype and for bytes that do not divide, `CopyRequiredError` where the last axis is
    /// not contiguous and would have to be.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(bytes(6)).view("uint16").shape
    /// (3,)
    /// ```
    #[pyo3(signature = (dtype, /))]
    fn view(&self, py: Python<'_>, dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        retype::view(self, py, DType::from_argument(dtype)?.0)
    }

    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        index::select(self, py, key)
    }

    fn __len__(&self) -> PyResult<usize> {
        number::len(self)
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyIterator>> {
        number::len(slf.get())?;
        // SAFETY: attached, and the tensor is alive; iterates by `__len__` and `__getitem__`.
        let iterator = unsafe { ffi::PySeqIter_New(slf.as_ptr()) };
        // SAFETY: a new reference, or NULL with an exception set.
        let iterator = unsafe { Bound::from_owned_ptr_or_err(slf.py(), iterator) }?;
        Ok(iterator.cast_into::<PyIterator>()?)
    }

    #[allow(clippy::unused_self, reason = "the slot's signature")]
    fn __contains__(&self, _value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(number::no_comparison())
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        number::truth(self, py)
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::int(self, py)
    }

    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        number::float(self, py)
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::index(self, py)
    }

    /// The tensor as a `numpy.ndarray`, over the same memory; packed elements below a byte are spread into a copy.
    ///
    /// Raises `ImportError` without NumPy, or without `ml_dtypes` for a dtype that NumPy has only with it, and `BufferError` for
    /// memory or a dtype that NumPy cannot have.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(b"abc").numpy()
    /// array([97, 98, 99], dtype=uint8)
    /// ```
    fn numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        to_ndarray(slf)
    }

    /// The tensor as a `torch.Tensor`, over the same memory.
    ///
    /// PyTorch has no read-only tensors and no negative strides, so a tensor with either is refused with `BufferError`: call
    /// `tensor.copy().torch()`. `torch.from_dlpack(tensor)` cannot be refused so: what it makes of read-only memory is
    /// writable, and to write it changes `bytes` and other things that never change, or ends the process.
    ///
    /// Raises `ImportError` without PyTorch, and what its `from_dlpack` raises.
    fn torch<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hand_on::to_library(slf, "torch")
    }

    /// The tensor as a `jax.Array`, over the same memory where it is aligned as JAX likes it.
    ///
    /// JAX has neither gaps nor negative strides nor repeated elements, so a tensor with any is refused with `BufferError`: call
    /// `tensor.copy().jax()`. So are elements that JAX would cut to 32 bits: set `jax_enable_x64`. Raises `ImportError` without
    /// JAX, and what its `from_dlpack` raises.
    fn jax<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hand_on::to_library(slf, "jax")
    }

    /// The tensor as an array of another library: one that is named, given as a module, or that an array came from.
    ///
    /// Raises `ValueError` for a name of no known library, `TypeError` for what is no library and no array, `ImportError` for one
    /// that is not installed, `BufferError` as `torch` and `jax` do, and what its `from_dlpack` raises.
    ///
    /// ```python
    /// >>> dlferry.from_buffer(b"abc").to("numpy")
    /// array([97, 98, 99], dtype=uint8)
    /// ```
    #[pyo3(signature = (target, /))]
    fn to<'py>(slf: &Bound<'py, Self>, target: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        hand_on::to(slf, target)
    }

    /// The tensor as a `numpy.ndarray`, as NumPy asks for it; it is cast to `dtype` in a copy.
    #[pyo3(signature = (dtype=None, *, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        hand_on::array(slf, dtype, copy)
    }

    /// NumPy's array interface, a dict; strides are in bytes. `AttributeError` off the host and for dtypes it cannot name.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        interface::export::host(py, self.descriptor())
    }

    /// The CUDA array interface, a dict; strides are in bytes. `AttributeError` off CUDA and for dtypes it cannot name.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        interface::export::cuda(py, self.descriptor())
    }

    fn __reduce_ex__<'py>(slf: &Bound<'py, Self>, protocol: i32) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        pickle::reduce(slf, protocol)
    }

    #[staticmethod]
    #[allow(clippy::needless_pass_by_value, reason = "made for the call")]
    fn _rebuild(
        bytes: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = integers)] shape: Vec<i64>,
        read_only: bool,
        padded: bool,
    ) -> PyResult<Self> {
        pickle::rebuild(bytes, DType::from_argument(dtype)?.0, &shape, read_only, padded)
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.clone_ref(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        copies::deep(self, py)
    }

    fn __repr__(&self) -> String {
        repr::repr(self)
    }

    /// A DLPack capsule of the tensor, by the array-API standard: versioned if `max_version` is at least (1, 0).
    ///
    /// Raises `BufferError` if the tensor cannot be exchanged as asked, `TypeError` and `ValueError` for malformed arguments.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        #[cfg(not(feature = "abi3"))]
        method::install(py);
        self.to_capsule(py, stream, max_version, dl_device, copy)
    }

    /// The device as a pair of integers, by the array-API standard.
    fn __dlpack_device__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        device::to_pair(py, self.descriptor().device())
    }

    #[classattr]
    fn __dlpack_c_exchange_api__(py: Python<'_>) -> PyResult<Py<PyAny>> {
        exchange::export::capsule::<Self>(py).map(Bound::unbind)
    }

    #[cfg(feature = "buffer")]
    unsafe fn __getbuffer__(slf: &Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        // SAFETY: called by CPython, which passes the structure to fill.
        unsafe { buffer::export::fill(slf, slf.get(), view, flags) }
    }

    #[cfg(feature = "buffer")]
    #[allow(clippy::unused_self, reason = "the slot's signature")]
    unsafe fn __releasebuffer__(&self, py: Python<'_>, view: *mut ffi::Py_buffer) {
        // SAFETY: called by CPython, once for each view that was filled.
        unsafe { buffer::export::release(py, view) }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.owner.as_ref().map_or(Ok(()), |owner| visit.call(owner))
    }
}
