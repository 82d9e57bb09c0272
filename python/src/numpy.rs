//! The functions of `dlferry.numpy`.

use dlferry_pyo3::numpy;
use dlferry_pyo3::protocol::{Request, device};
use pyo3::prelude::*;

/// Takes an array of any library as a `numpy.ndarray` over the same memory.
///
/// `x` is what `dlferry.from_dlpack` takes. The result is a plain `numpy.ndarray`,
/// read-only where the memory is; its `base` is the `dlferry.Tensor` that keeps the
/// memory. bfloat16, 8-bit floats and the like have the dtypes of `ml_dtypes`, or
/// those that were registered with NumPy; packed elements below a byte are spread
/// into a copy.
///
/// - `device`: where the memory must be: `"cpu"` or None.
/// - `copy`: True for a private copy, also of what DLPack cannot describe; False for
///   the same memory or an error; None for a copy only where the producer makes one
///   or elements are packed.
///
/// Raises what `dlferry.from_dlpack` raises, `CopyRequiredError` also for packed
/// elements if `copy` is False, `BufferError` for memory or a dtype that NumPy
/// cannot have, `ImportError` without NumPy or `ml_dtypes`.
///
/// ```python
/// >>> import array, dlferry
/// >>> tensor = dlferry.from_buffer(array.array("d", [1, 2]))
/// >>> dlferry.numpy.from_dlpack(tensor)
/// array([1., 2.])
/// ```
#[pyfunction]
#[pyo3(signature = (x, /, *, device=None, copy=None))]
fn from_dlpack<'py>(
    x: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let device = device.map(self::device).transpose()?;
    numpy::from_dlpack(x, &Request { device, copy, ..Request::default() })
}

/// Takes an array by the first way that works, as a `numpy.ndarray`.
///
/// `x` is what `dlferry.asarray` takes: arrays of any library, buffers, objects with
/// an array interface. Elements of the other byte order and misaligned ones are
/// copied into the machine's own.
///
/// - `copy`: True for a private copy, False for the same memory or an error, None
///   for a copy only if there must be one.
/// - `writable`: True if the result must be writable, for which read-only memory is
///   copied; False if it must not be.
///
/// Raises what `dlferry.asarray` and `dlferry.numpy.from_dlpack` raise.
///
/// ```python
/// >>> import dlferry
/// >>> dlferry.numpy.asarray(b"abc")
/// array([97, 98, 99], dtype=uint8)
/// ```
#[pyfunction]
#[pyo3(signature = (x, /, *, copy=None, writable=None))]
fn asarray<'py>(x: &Bound<'py, PyAny>, copy: Option<bool>, writable: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
    numpy::asarray(x, &Request { copy, writable, ..Request::default() })
}

/// Makes a DLPack capsule of an array, also where the array's own `__dlpack__`
/// refuses.
///
/// `a` is a `numpy.ndarray` or of a class derived from it, whose `__dlpack__` is not
/// called and so may call this; or anything else that `dlferry.asarray` takes. What
/// DLPack cannot describe is copied: the other byte order, fields of structures at
/// odd distances, and read-only memory for a consumer that cannot be told.
///
/// - `max_version`: the highest version of DLPack that the consumer knows, as a pair;
///   None or less than (1, 0) gives an unversioned capsule.
/// - `copy`: True for a private copy, False for the same memory or an error, None
///   for a copy only if there must be one.
///
/// Raises `BufferError` for elements that DLPack does not have and for masked arrays,
/// `CopyRequiredError` if only a copy would do and `copy` is False, `TypeError` for a
/// malformed version and for what is no array.
///
/// ```python
/// >>> import dlferry, numpy
/// >>> swapped = numpy.array([1, 2, 3], ">i4")
/// >>> dlferry.from_dlpack(dlferry.numpy.to_dlpack(swapped)).tolist()
/// [1, 2, 3]
/// ```
#[pyfunction]
#[pyo3(signature = (a, /, *, max_version=None, copy=None))]
fn to_dlpack<'py>(
    a: &Bound<'py, PyAny>,
    max_version: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    numpy::to_dlpack(a, max_version, copy)
}

/// Gives `numpy.ndarray` a DLPack C exchange API, for all consumers in the process.
///
/// Consumers such as tvm-ffi then take NumPy arrays through C functions: faster, and
/// read-only arrays too. NumPy has one type for the whole process, so this changes
/// what every library sees that looks for the attribute
/// `__dlpack_c_exchange_api__`. Without it, `dlferry.from_dlpack(a)` gives a `Tensor`,
/// which has such a table already.
///
/// Objects of derived classes inherit the attribute; they are asked through their own
/// `__dlpack__`, and masked arrays are refused.
///
/// With tvm-ffi, functions that are given arrays return arrays, no longer tensors of
/// tvm-ffi. Its tensors cannot say that they are read-only: what comes back of a
/// read-only array may be written.
///
/// Raises `RuntimeError` outside the main interpreter, in a Python without a global
/// interpreter lock, if NumPy or another library brought a table, and for a NumPy
/// whose structures are not known; `ImportError` without NumPy.
///
/// ```python
/// >>> import dlferry
/// >>> dlferry.numpy.enable_exchange_api()
/// >>> dlferry.numpy.exchange_api_enabled()
/// True
/// >>> dlferry.numpy.disable_exchange_api()
/// ```
#[pyfunction]
fn enable_exchange_api(py: Python<'_>) -> PyResult<()> {
    numpy::enable_exchange_api(py)
}

/// Takes away what `enable_exchange_api` gave.
///
/// Consumers that have seen the table may keep it and go on using it, which stays
/// safe: nobody can tell them. What looks for it from now on finds none.
#[pyfunction]
fn disable_exchange_api(py: Python<'_>) -> PyResult<()> {
    numpy::disable_exchange_api(py)
}

/// Whether `numpy.ndarray` has the table of `enable_exchange_api`.
#[pyfunction]
fn exchange_api_enabled(py: Python<'_>) -> bool {
    numpy::exchange_api_enabled(py).unwrap_or(false)
}

/// Adds the functions to the native module, under names of their own.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let functions = [
        ("_numpy_from_dlpack", wrap_pyfunction!(from_dlpack, module)?),
        ("_numpy_asarray", wrap_pyfunction!(asarray, module)?),
        ("_numpy_to_dlpack", wrap_pyfunction!(to_dlpack, module)?),
        ("_numpy_enable_exchange_api", wrap_pyfunction!(enable_exchange_api, module)?),
        ("_numpy_disable_exchange_api", wrap_pyfunction!(disable_exchange_api, module)?),
        ("_numpy_exchange_api_enabled", wrap_pyfunction!(exchange_api_enabled, module)?),
    ];
    for (name, function) in functions {
        // Not by `add`, which would list them as the module's own.
        module.setattr(name, function)?;
    }
    Ok(())
}
