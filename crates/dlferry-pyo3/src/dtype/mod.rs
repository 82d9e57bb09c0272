//! The type of an element as Python sees it.

mod argument;
mod hint;

use dlferry::abi::DLDataType;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyNotImplemented, PyString};

/// The type of an element: `lanes` scalars of `bits` bits each, of the kind that `code` says.
///
/// Found ready, `dlferry.float32`, or made of a name, `dlferry.dtype("float32")`, or of another library's dtype, which has that
/// name too: `dlferry.dtype(numpy.float32)`, `dlferry.dtype(torch.float32)`. It equals its name.
///
/// It equals no dtype of another library and no other name, for what is equal hashes alike, and theirs hash otherwise. Convert
/// the other one: `tensor.dtype == dlferry.dtype(numpy.float32)`. Where both mean the same, as `"f4"` and `numpy.float32` do,
/// `==` and `!=` give a `UserWarning`; a look-up in a dict or a set, which compares hashes, finds nothing and warns of nothing.
///
/// The other way: `numpy.dtype(tensor.dtype.name)` (after `import ml_dtypes` for what NumPy has with it only),
/// `getattr(torch, tensor.dtype.name)`.
///
/// Raises `ValueError` for the name of no dtype and for a dtype of the other byte order, `TypeError` for what has no such name.
///
/// ```python
/// >>> dlferry.dtype("int4").bits, dlferry.float32.itemsize, dlferry.dtype("uint8") == dlferry.uint8
/// (4, 4, True)
/// >>> dlferry.from_buffer(b"abc").dtype == "uint8"
/// True
/// ```
#[pyclass(name = "dtype", module = "dlferry", frozen, from_py_object)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DType(pub DLDataType);

impl DType {
    /// Reads an argument that is a dtype, the name of one, or a dtype of another library.
    ///
    /// # Errors
    ///
    /// `ValueError` for a name that no dtype has and for elements of the other byte order, `TypeError` for anything else.
    pub fn from_argument(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match value.cast::<Self>() {
            Ok(dtype) => Ok(*dtype.get()),
            Err(_) => argument::read(value).map(Self),
        }
    }

    /// How the dtype is made again.
    fn spelling(self) -> String {
        if argument::is_exchanged(self.0) { self.0.to_string() } else { argument::numbers(self.0) }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "a method of a Python class borrows its object")]
#[pymethods]
impl DType {
    #[new]
    #[pyo3(signature = (name, /))]
    fn new(name: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::from_argument(name)
    }

    /// The standard name, such as "float32".
    #[getter]
    fn name(&self) -> String {
        self.0.to_string()
    }

    /// The kind of scalar, as a number: the `DLDataTypeCode` of DLPack.
    #[getter]
    fn code(&self) -> u8 {
        self.0.code.0
    }

    /// Bits of one scalar; of both halves for a complex one.
    #[getter]
    fn bits(&self) -> u8 {
        self.0.bits
    }

    /// Scalars of one element; 1 but for vector types.
    #[getter]
    fn lanes(&self) -> u16 {
        self.0.lanes
    }

    /// Bytes of one element, rounded up.
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.item_bytes()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("dlferry.dtype(\"{}\")", self.spelling())
    }

    /// Equal are another dtype of the same numbers, and the name; a dtype of another library never is, which is warned of
    /// where the same is meant.
    fn __richcmp__<'py>(&self, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let equal = if let Ok(other) = other.cast::<Self>() {
            Some(self == other.get())
        } else if let Ok(text) = other.cast::<PyString>() {
            let text = text.to_cow()?;
            let equal = self.0.to_string() == text;
            if !equal && matches!(op, CompareOp::Eq | CompareOp::Ne) {
                argument::warn_if_meant(py, self.0, &text)?;
            }
            Some(equal)
        } else {
            if matches!(op, CompareOp::Eq | CompareOp::Ne) {
                argument::warn_if_same(self.0, other)?;
            }
            None
        };
        let answer = match (op, equal) {
            (CompareOp::Eq, Some(equal)) => equal,
            (CompareOp::Ne, Some(equal)) => !equal,
            _ => return Ok(PyNotImplemented::get(py).to_owned().into_any()),
        };
        Ok(answer.into_pyobject(py)?.to_owned().into_any())
    }

    /// That of the name, for what is equal hashes alike.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.0.to_string()).hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().spelling(),))
    }
}
