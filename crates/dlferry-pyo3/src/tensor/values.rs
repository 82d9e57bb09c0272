use dlferry::abi::DLDataType;
use dlferry::element::{Element, Scalar};
use dlferry::view::TensorView;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList};

use crate::error::IntoPyErr;

/// A number of the host's as one of Python's.
fn to_python(py: Python<'_>, scalar: Scalar) -> Bound<'_, PyAny> {
    match scalar {
        Scalar::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Scalar::Int(value) => PyInt::new(py, value).into_any(),
        Scalar::UInt(value) => PyInt::new(py, value).into_any(),
        Scalar::Float(value) => PyFloat::new(py, value).into_any(),
        Scalar::Complex(real, imaginary) => PyComplex::from_doubles(py, real, imaginary).into_any(),
    }
}

pub(super) fn item<'py>(py: Python<'py>, view: TensorView<'_>) -> PyResult<Bound<'py, PyAny>> {
    let size = view.layout().size();
    if size != 1 {
        return Err(PyValueError::new_err(format!("item() needs a tensor of one element, and this one has {size}")));
    }
    let first = view.scalars().map_err(IntoPyErr::into_py_err)?.next();
    first.map(|scalar| to_python(py, scalar)).ok_or_else(|| PyValueError::new_err("the element has no value"))
}

/// Makes the list of a tensor.
type ToList = for<'py> fn(Python<'py>, TensorView<'_>) -> PyResult<Bound<'py, PyAny>>;

/// The dtypes whose elements are read as what they are, rather than each decoded anew.
const TYPED: [(DLDataType, ToList); 11] = [
    (DLDataType::BOOL, typed::<bool>),
    (DLDataType::I8, typed::<i8>),
    (DLDataType::I16, typed::<i16>),
    (DLDataType::I32, typed::<i32>),
    (DLDataType::I64, typed::<i64>),
    (DLDataType::U8, typed::<u8>),
    (DLDataType::U16, typed::<u16>),
    (DLDataType::U32, typed::<u32>),
    (DLDataType::U64, typed::<u64>),
    (DLDataType::F32, typed::<f32>),
    (DLDataType::F64, typed::<f64>),
];

/// Axes above which no lists are nested: each is a call within a call, here and wherever the lists go.
const MAX_NESTING: usize = 1000;

pub(super) fn tolist<'py>(py: Python<'py>, view: TensorView<'_>) -> PyResult<Bound<'py, PyAny>> {
    let ndim = view.layout().ndim();
    if ndim > MAX_NESTING {
        return Err(PyValueError::new_err(format!("{ndim} axes: lists are nested up to {MAX_NESTING} deep")));
    }
    if let Some((_, to_list)) = TYPED.iter().find(|(dtype, _)| *dtype == view.dtype()) {
        return to_list(py, view);
    }
    let mut scalars = view.scalars().map_err(IntoPyErr::into_py_err)?;
    nested(py, view.shape(), &mut scalars, |scalar| to_python(py, scalar))
}

fn typed<'py, T: Element + Number>(py: Python<'py>, view: TensorView<'_>) -> PyResult<Bound<'py, PyAny>> {
    let elements = view.typed::<T>().map_err(IntoPyErr::into_py_err)?;
    nested(py, view.shape(), &mut elements.iter(), |element| element.to_python(py))
}

/// An element that is a Python number of its own.
trait Number {
    fn to_python(self, py: Python<'_>) -> Bound<'_, PyAny>;
}

macro_rules! numbers {
    ($($number:ty => $make:expr),* $(,)?) => {$(
        impl Number for $number {
            #[inline]
            fn to_python(self, py: Python<'_>) -> Bound<'_, PyAny> {
                let make: fn(Python<'_>, $number) -> Bound<'_, PyAny> = $make;
                make(py, self)
            }
        }
    )*};
}

numbers! {
    bool => |py, value| PyBool::new(py, value).to_owned().into_any(),
    i8 => |py, value| PyInt::new(py, value).into_any(),
    i16 => |py, value| PyInt::new(py, value).into_any(),
    i32 => |py, value| PyInt::new(py, value).into_any(),
    i64 => |py, value| PyInt::new(py, value).into_any(),
    u8 => |py, value| PyInt::new(py, value).into_any(),
    u16 => |py, value| PyInt::new(py, value).into_any(),
    u32 => |py, value| PyInt::new(py, value).into_any(),
    u64 => |py, value| PyInt::new(py, value).into_any(),
    f32 => |py, value| PyFloat::new(py, value.into()).into_any(),
    f64 => |py, value| PyFloat::new(py, value).into_any(),
}

/// Lists for the axes that are left, filled from the elements that are left.
fn nested<'py, T>(
    py: Python<'py>,
    shape: &[i64],
    elements: &mut impl ExactSizeIterator<Item = T>,
    to_python: impl Fn(T) -> Bound<'py, PyAny> + Copy,
) -> PyResult<Bound<'py, PyAny>> {
    let Some((extent, inner)) = shape.split_first() else {
        let element = elements.next().ok_or_else(|| PyValueError::new_err("the element has no value"))?;
        return Ok(to_python(element));
    };
    // An extent that is no count of a list could only belong to an empty tensor of absurd shape.
    let extent = usize::try_from(*extent).map_err(|_| PyMemoryError::new_err("the list would be too long"))?;
    // Room for all at once, so that a list that is too long is refused before it fills the memory.
    let mut items = Vec::new();
    items.try_reserve_exact(extent).map_err(|_| PyMemoryError::new_err("the list would be too long"))?;
    if inner.is_empty() {
        items.extend(elements.take(extent).map(to_python));
    } else {
        for _ in 0..extent {
            items.push(nested(py, inner, elements, to_python)?);
        }
    }
    PyList::new(py, items).map(Bound::into_any)
}
