//! The native module of the Python package `dlferry`: names, and nothing that thinks.

use core::num::NonZeroUsize;

use dlferry_pyo3::dlferry::abi::{DLDataType, DLDevice};
use dlferry_pyo3::dlferry::copy;
use dlferry_pyo3::integer::{address, integer, integers};
use dlferry_pyo3::protocol::{Request, import_object};
use dlferry_pyo3::{CopyRequiredError, DType, Tensor, buffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

mod exports;
mod look;
mod numpy;

/// Takes an array of any library, without a copy.
///
/// `x` has `__dlpack__` or the DLPack C exchange API, or is a DLPack capsule, which
/// is then used up. The tensor has its shape, its dtype and its memory.
///
/// - `device`: where the result must be: `"cpu"`, a pair such as `(2, 0)`, or None
///   for wherever it is.
/// - `copy`: True for a private copy, also of what DLPack cannot describe, such as
///   a NumPy array of the other byte order; False for the same memory or an error;
///   None for what the producer gives, which is a copy only if it makes one: what
///   DLPack cannot describe is refused.
/// - `writable`: True if the result must be writable, False if it must not be, None
///   for what the producer says. A producer that cannot say, since it knows only
///   unversioned capsules, is trusted with True and read-only with None.
///
/// Raises `TypeError` for an object without DLPack, `BufferError` if it cannot be
/// exchanged as asked, `CopyRequiredError` if that would be a copy and `copy` is
/// False, `ValueError` for an unknown name of a device. What `x` itself raises
/// passes.
///
/// ```python
/// >>> import dlferry, numpy
/// >>> tensor = dlferry.from_dlpack(numpy.zeros((2, 3), numpy.float32))
/// >>> tensor.shape, tensor.strides, str(tensor.dtype), tensor.copied
/// ((2, 3), (3, 1), 'float32', False)
/// ```
#[pyfunction]
#[pyo3(signature = (x, /, *, device=None, copy=None, writable=None))]
fn from_dlpack<'py>(
    x: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
    writable: Option<bool>,
) -> PyResult<Bound<'py, Tensor>> {
    let device = device.map(dlferry_pyo3::protocol::device).transpose()?;
    import_object(x, &Request { device, copy, writable, ..Request::default() })
}

/// Takes the memory of any object with the buffer protocol, without a copy.
///
/// `x` is a `bytes`, `bytearray`, `memoryview`, `mmap`, `array.array`, ctypes array
/// or the like. The tensor has the shape and the dtype of the buffer; it is
/// read-only where that is. `x` cannot be resized or closed as long as the tensor
/// or a view of it is in use. Raw bytes are uint8; `view` reads them as another
/// dtype.
///
/// - `copy`: True for a private copy, also of elements of the other byte order;
///   False and None never copy, and refuse these.
/// - `writable`: True if the result must be writable, False if it must not be, None
///   for what the buffer says.
///
/// Raises `TypeError` for an object without a buffer, `BufferError` for elements
/// that DLPack cannot describe, such as those of the other byte order without
/// `copy=True`, for masked arrays, and for a read-only buffer if `writable` is True;
/// it is `CopyRequiredError` if a copy would do and `copy` is False. What `x` itself
/// raises passes, with a note that says what helps, where that is known.
///
/// ```python
/// >>> import array, dlferry
/// >>> numbers = array.array("h", [1, 2, 3])
/// >>> dlferry.from_buffer(numbers)
/// Tensor([1, 2, 3], shape=(3,), dtype=int16, device=cpu, source=buffer)
/// >>> dlferry.from_buffer(bytes(16)).view("float32").reshape(2, 2).tolist()
/// [[0.0, 0.0], [0.0, 0.0]]
/// ```
#[pyfunction]
#[pyo3(signature = (x, /, *, copy=None, writable=None))]
fn from_buffer(x: &Bound<'_, PyAny>, copy: Option<bool>, writable: Option<bool>) -> PyResult<Tensor> {
    buffer::import(x, &Request { device: None, copy, writable, ..Request::default() })
}

/// Takes an array by the first way that works, with a copy only where nothing else
/// will do.
///
/// The ways are DLPack, the buffer protocol, `__array_interface__`,
/// `__cuda_array_interface__` and `__array__`. Elements of the other byte order and
/// misaligned ones are copied; `tensor.copied` tells, and is None after `__array__`
/// and where an array interface answers with bytes: nobody can say whether those
/// were made for the answer. A tensor that requires a gradient comes in read-only.
///
/// - `copy`: True for a private copy, False for the same memory or an error, None
///   for a copy only if there must be one.
/// - `writable`: True if the result must be writable, for which read-only memory is
///   copied; False if it must not be.
///
/// Raises `TypeError` for an object that offers none of the ways,
/// `CopyRequiredError` if only a copy would do and `copy` is False, else
/// `BufferError`; the message lists each way and why it did not work, but for NumPy's
/// arrays, of which the first says all. What the `__dlpack__` of a class derived from
/// NumPy's array raises passes, unless it is a `BufferError`.
///
/// ```python
/// >>> import dlferry, numpy
/// >>> tensor = dlferry.asarray(numpy.array([1, 2, 3], ">i4"))
/// >>> tensor.tolist(), tensor.copied
/// ([1, 2, 3], True)
/// ```
#[pyfunction]
#[pyo3(signature = (x, /, *, copy=None, writable=None))]
fn asarray(x: &Bound<'_, PyAny>, copy: Option<bool>, writable: Option<bool>) -> PyResult<Tensor> {
    dlferry_pyo3::asarray(x, &Request { copy, writable, ..Request::default() })
}

/// Makes a tensor of memory at an address that the caller vouches for.
///
/// Nothing of it can be checked: a wrong address, shape or dtype reads other
/// memory, or crashes.
///
/// - `ptr`: the address of the first element; 0 only if there are no elements.
/// - `shape`, `strides`: the extents, and the strides in elements; C order without
///   strides.
/// - `dtype`: a dtype, the name of one, or that of another library.
/// - `owner`: the object that is kept alive as long as the memory is in use. With
///   None the caller sees to that.
/// - `readonly`: whether the elements may only be read.
/// - `device`: where the memory is: `"cpu"` or a pair such as `(2, 0)`.
///
/// Raises `ValueError` for a malformed shape, strides, dtype or device, `TypeError`
/// for arguments of the wrong kind.
///
/// ```python
/// >>> import ctypes, dlferry
/// >>> numbers = (ctypes.c_int32 * 4)(1, 2, 3, 4)
/// >>> address = ctypes.addressof(numbers)
/// >>> dlferry.from_address(address, (2, 2), "int32", owner=numbers).tolist()
/// [[1, 2], [3, 4]]
/// ```
#[pyfunction]
#[pyo3(
    signature = (ptr, shape, dtype, strides=None, *, owner, readonly=true, device=None),
    text_signature = "(ptr, shape, dtype, strides=None, *, owner, readonly=True, device='cpu')"
)]
#[allow(clippy::needless_pass_by_value, reason = "made for the call")]
fn from_address(
    #[pyo3(from_py_with = address)] ptr: usize,
    #[pyo3(from_py_with = integers)] shape: Vec<i64>,
    dtype: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integers_or_none)] strides: Option<Vec<i64>>,
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

fn integers_or_none(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<i64>>> {
    if value.is_none() { Ok(None) } else { integers(value).map(Some) }
}

/// Copies the elements of one array into the memory of another.
///
/// Both are in host memory and of any library, or anything else that `asarray`
/// takes. `src` is broadcast to the shape of `dst`; the dtypes must be equal. Elements
/// below a byte may be packed in one and have a byte each in the other, as in NumPy's
/// arrays of them. Where the two overlap, the result is as if `src` had been copied
/// first.
///
/// Raises `TypeError` for unequal dtypes, `ValueError` for a shape that cannot be
/// broadcast, `BufferError` if `dst` is read-only or may be a copy itself, as that of
/// `__array__` may, or if an array cannot be taken, `CopyRequiredError` if the memory
/// of `dst` cannot be shared.
///
/// ```python
/// >>> import dlferry, numpy
/// >>> target = numpy.zeros((2, 3), numpy.uint8)
/// >>> dlferry.copyto(target, b"abc")
/// >>> target.tolist()
/// [[97, 98, 99], [97, 98, 99]]
/// >>> import ml_dtypes
/// >>> packed = dlferry.from_buffer(bytearray(2)).view("int4")
/// >>> dlferry.copyto(packed, numpy.array([1, -2, 3, -4], ml_dtypes.int4))
/// >>> packed.nbytes, packed.tolist()
/// (2, [1, -2, 3, -4])
/// ```
#[pyfunction]
#[pyo3(signature = (dst, src, /))]
fn copyto(dst: &Bound<'_, PyAny>, src: &Bound<'_, PyAny>) -> PyResult<()> {
    dlferry_pyo3::copyto(dst, src)
}

/// Sets how many threads a large copy is shared between, in this process.
///
/// Copies of 8 MiB and more are large. Before the first call it is what the
/// environment variable `DLFERRY_NUM_THREADS` says when dlferry first makes a large
/// copy, else as many as the process may run at once, up to 16. A variable that says
/// something else than a number of 1 or more, 0 say, is ignored with a
/// `RuntimeWarning`, one in each process; an empty one is as good as none.
///
/// Raises `ValueError` unless the number is 1 or more.
///
/// ```python
/// >>> import dlferry
/// >>> dlferry.set_num_threads(2)
/// >>> dlferry.get_num_threads()
/// 2
/// ```
#[pyfunction]
#[pyo3(signature = (count, /))]
fn set_num_threads(#[pyo3(from_py_with = integer)] count: i64) -> PyResult<()> {
    let number = usize::try_from(count).ok().and_then(NonZeroUsize::new);
    copy::set_num_threads(number.ok_or_else(|| PyValueError::new_err(format!("{count} threads: wanted 1 or more")))?);
    Ok(())
}

/// The number of threads that a large copy is shared between; see `set_num_threads`.
///
/// ```python
/// >>> import dlferry
/// >>> dlferry.get_num_threads() >= 1
/// True
/// ```
#[pyfunction]
fn get_num_threads(py: Python<'_>) -> PyResult<usize> {
    dlferry_pyo3::num_threads(py)
}

/// A new module with crafted producers and a consumer that looks into capsules, for `dlferry conformance`.
#[pyfunction]
fn _testing(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "dlferry._native._testing")?;
    dlferry_testing::python::fill(&module)?;
    Ok(module)
}

/// The dtypes that are attributes of the package: all that a name can say and that have values, of one lane.
const DTYPES: [DLDataType; 34] = [
    DLDataType::BOOL,
    DLDataType::I1,
    DLDataType::I2,
    DLDataType::I4,
    DLDataType::I8,
    DLDataType::I16,
    DLDataType::I32,
    DLDataType::I64,
    DLDataType::U1,
    DLDataType::U2,
    DLDataType::U4,
    DLDataType::U8,
    DLDataType::U16,
    DLDataType::U32,
    DLDataType::U64,
    DLDataType::F16,
    DLDataType::BF16,
    DLDataType::F32,
    DLDataType::F64,
    DLDataType::C32,
    DLDataType::C64,
    DLDataType::C128,
    DLDataType::BCOMPLEX32,
    DLDataType::F8_E3M4,
    DLDataType::F8_E4M3,
    DLDataType::F8_E4M3B11FNUZ,
    DLDataType::F8_E4M3FN,
    DLDataType::F8_E4M3FNUZ,
    DLDataType::F8_E5M2,
    DLDataType::F8_E5M2FNUZ,
    DLDataType::F8_E8M0FNU,
    DLDataType::F6_E2M3FN,
    DLDataType::F6_E3M2FN,
    DLDataType::F4_E2M1FN,
];

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Tensor>()?;
    Tensor::prepare(py);
    module.add_class::<DType>()?;
    module.add("CopyRequiredError", CopyRequiredError::class(py)?)?;
    module.add_function(wrap_pyfunction!(from_dlpack, module)?)?;
    module.add_function(wrap_pyfunction!(from_buffer, module)?)?;
    module.add_function(wrap_pyfunction!(asarray, module)?)?;
    module.add_function(wrap_pyfunction!(from_address, module)?)?;
    module.add_function(wrap_pyfunction!(copyto, module)?)?;
    numpy::add_to(module)?;
    exports::add_to(module)?;
    look::add_to(module)?;
    module.add_function(wrap_pyfunction!(set_num_threads, module)?)?;
    module.add_function(wrap_pyfunction!(get_num_threads, module)?)?;
    module.setattr("_testing", wrap_pyfunction!(_testing, module)?)?;
    for dtype in DTYPES {
        module.add(dtype.to_string().as_str(), DType(dtype))?;
    }
    Ok(())
}
