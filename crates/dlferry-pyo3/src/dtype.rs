use dlferry::abi::{DLDataType, DLDataTypeCode};
use dlferry::element::check_dtype;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The type of an element: `lanes` scalars of `bits` bits each, of the kind that `code` says.
///
/// Made of a name, `dlferry.dtype("float32")`, or found ready, `dlferry.float32`. Raises `ValueError` for the name of no dtype.
///
/// ```python
/// >>> dlferry.dtype("int4").bits, dlferry.float32.itemsize, dlferry.dtype("uint8") == dlferry.uint8
/// (4, 4, True)
/// ```
#[pyclass(name = "dtype", module = "dlferry", frozen, eq, hash, from_py_object)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DType(pub DLDataType);

impl DType {
    /// Reads an argument that is a dtype or the name of one.
    ///
    /// # Errors
    ///
    /// `TypeError` for anything else, `ValueError` for a name that no dtype has.
    pub fn from_argument(name: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(dtype) = name.cast::<Self>() {
            return Ok(*dtype.get());
        }
        let name = name
            .cast::<PyString>()
            .map_err(|_| PyTypeError::new_err(format!("dtype needs a name or a dtype, found {}", name.get_type())))?;
        let text = name.to_cow()?;
        DLDataType::from_name(&text)
            .or_else(|| from_numbers(&text))
            .map(Self)
            .ok_or_else(|| PyValueError::new_err(format!("{text:?} is the name of no dtype; float32 is one")))
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
        format!("dlferry.dtype(\"{}\")", self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().0.to_string(),))
    }
}

/// Reads what a dtype without a name calls itself: `dtype(code=200, bits=8, lanes=1)`. One that has a name is not
/// known by its numbers.
fn from_numbers(text: &str) -> Option<DLDataType> {
    let rest = text.strip_prefix("dtype(code=")?.strip_suffix(')')?;
    let (code, rest) = rest.split_once(", bits=")?;
    let (bits, lanes) = rest.split_once(", lanes=")?;
    let code = DLDataTypeCode(code.parse().ok()?);
    let dtype = DLDataType { code, bits: bits.parse().ok()?, lanes: lanes.parse().ok()? };
    (check_dtype(dtype).is_ok() && dtype.to_string() == text).then_some(dtype)
}
