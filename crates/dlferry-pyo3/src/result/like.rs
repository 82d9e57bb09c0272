use core::fmt;
use core::marker::PhantomData;

use dlferry::element::Element;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView};

use super::IntoTensor;
use crate::argument::{AnyView, AnyViewMut, Requirement, View, ViewMut};
use crate::numpy;
use crate::tensor::{Tensor, hand_on};

/// A result of the kind that an argument was: NumPy in, NumPy out; PyTorch in, PyTorch out.
///
/// | the argument | the result |
/// | --- | --- |
/// | an array of NumPy, PyTorch, JAX, CuPy, MLX or another library that is known, or of a subclass | one of that library's arrays |
/// | `memoryview`, `bytes`, `bytearray` | a `memoryview` |
/// | anything else | a [`Tensor`] |
///
/// `T` is the type of the elements, for who reads the signature.
///
/// # Examples
///
/// ```no_run
/// use dlferry_pyo3::{Dyn, Like, View};
/// use pyo3::prelude::*;
///
/// /// The square of each number.
/// #[pyfunction]
/// fn squares<'py>(numbers: View<'py, f64, Dyn>) -> PyResult<Like<'py, f64>> {
///     let squares: Vec<f64> = numbers.iter().map(|number| number * number).collect();
///     Like::of(&numbers, (squares, numbers.shape()))
/// }
/// ```
pub struct Like<'py, T = ()> {
    object: Bound<'py, PyAny>,
    element: PhantomData<T>,
}

impl<'py, T> Like<'py, T> {
    /// Makes a result of the kind that `argument` was in Python: a [`View`], or a Python object itself.
    ///
    /// # Errors
    ///
    /// Those of [`IntoTensor::into_tensor`], and those of the result types: what the library raises.
    pub fn of(argument: &impl Origin<'py>, data: impl IntoTensor<Item = T>) -> PyResult<Self> {
        let origin = argument.origin();
        Ok(Self { object: make(&origin, data)?, element: PhantomData })
    }

    /// Makes a result of a library by its name: `"numpy"`, `"torch"`, `"jax"`, `"cupy"`, `"mlx"`, `"tensorflow"`, `"tvm_ffi"`,
    /// `"array_api_strict"` or `"paddle"`.
    ///
    /// # Errors
    ///
    /// `ValueError` for a name that is none of these, `ImportError` when the library is missing, and as [`of`](Self::of).
    pub fn library(py: Python<'py>, name: &str, data: impl IntoTensor<Item = T>) -> PyResult<Self> {
        let object = match name {
            "numpy" => data.into_ndarray(py)?,
            name => hand_on::give(&Bound::new(py, data.into_tensor()?)?, name)?,
        };
        Ok(Self { object, element: PhantomData })
    }
}

fn make<'py>(origin: &Bound<'py, PyAny>, data: impl IntoTensor) -> PyResult<Bound<'py, PyAny>> {
    let py = origin.py();
    if numpy::array(origin).is_some() {
        return data.into_ndarray(py);
    }
    let tensor = Bound::new(py, data.into_tensor()?)?;
    if origin.is_instance_of::<Tensor>() {
        return Ok(tensor.into_any());
    }
    let lends_bytes = origin.is_instance_of::<PyMemoryView>()
        || origin.is_instance_of::<PyBytes>()
        || origin.is_instance_of::<PyByteArray>();
    if lends_bytes {
        return hand_on::memoryview(&tensor);
    }
    match hand_on::library_of(origin)? {
        Some(library) => hand_on::give(&tensor, library),
        None => Ok(tensor.into_any()),
    }
}

impl<T> fmt::Debug for Like<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Like").field(&self.object).finish()
    }
}

impl<'py, T> IntoPyObject<'py> for Like<'py, T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, _py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.object)
    }
}

/// What came from Python as an argument, and remembers what it was.
pub trait Origin<'py> {
    /// The object that was passed.
    fn origin(&self) -> Borrowed<'_, 'py, PyAny>;
}

impl<'py, C> Origin<'py> for Bound<'py, C> {
    fn origin(&self) -> Borrowed<'_, 'py, PyAny> {
        self.as_any().as_borrowed()
    }
}

impl<'py, C> Origin<'py> for Borrowed<'_, 'py, C> {
    fn origin(&self) -> Borrowed<'_, 'py, PyAny> {
        self.as_any().as_borrowed()
    }
}

impl<'py, T: Element, const N: usize, W: Requirement> Origin<'py> for View<'py, T, N, W> {
    fn origin(&self) -> Borrowed<'_, 'py, PyAny> {
        self.object().as_borrowed()
    }
}

impl<'py, T: Element, const N: usize, W: Requirement> Origin<'py> for ViewMut<'py, T, N, W> {
    fn origin(&self) -> Borrowed<'_, 'py, PyAny> {
        self.object().as_borrowed()
    }
}

impl<'py, W: Requirement> Origin<'py> for AnyView<'py, W> {
    fn origin(&self) -> Borrowed<'_, 'py, PyAny> {
        self.object().as_borrowed()
    }
}

impl<'py, W: Requirement> Origin<'py> for AnyViewMut<'py, W> {
    fn origin(&self) -> Borrowed<'_, 'py, PyAny> {
        self.object().as_borrowed()
    }
}
