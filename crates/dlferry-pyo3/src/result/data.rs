use std::sync::Arc;

use dlferry::element::Element;
use dlferry::export::{Export, Owner};
use dlferry::layout::{Layout, LayoutError};
use dlferry::managed::{SharedTensor, Tensor as Managed};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::release::{Detached, is_plain};
use crate::error::IntoPyErr;
#[cfg(feature = "ndarray")]
use crate::numpy::MAX_AXES;
use crate::numpy::{of_vec, to_ndarray};
use crate::python::{counted, tuple_text};
use crate::tensor::{Source, Tensor};

/// What becomes a [`Tensor`]: data that Rust owns, and tensors.
///
/// | data | the tensor |
/// | --- | --- |
/// | `Vec<T>`, `Box<[T]>`, `[T; N]` | one axis, writable |
/// | `Arc<[T]>`, `Arc<Vec<T>>`, `&'static [T]` | one axis, read-only: others may hold the same memory |
/// | any of these and a shape, `(data, [height, width])` | of that shape, in row-major order |
/// | `ndarray::Array` (feature `ndarray`) | of its shape and strides, writable |
/// | `ndarray::ArcArray` (feature `ndarray`) | of its shape and strides, read-only |
/// | [`Export`], tensors | as they say |
///
/// A type of one's own says what it is made of:
///
/// ```
/// use dlferry_pyo3::{IntoTensor, Tensor};
/// use pyo3::prelude::*;
///
/// struct Picture {
///     pixels: Vec<u8>,
///     height: usize,
///     width: usize,
/// }
///
/// impl IntoTensor for Picture {
///     type Item = u8;
///
///     fn into_tensor(self) -> PyResult<Tensor> {
///         (self.pixels, [self.height, self.width, 4]).into_tensor()
///     }
/// }
/// ```
///
/// One that keeps its memory where `Vec` does not implements [`Owner`](dlferry::export::Owner), which needs no `unsafe`
/// either, and goes through [`Export`]. Its destructor runs detached from the interpreter, so that it may wait for locks and
/// threads. That of a [tensor](Managed) made before runs wherever its last user lets go of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not become a tensor",
    note = "a `Vec<T>` of numbers does, a pair of one and a shape, an array of `ndarray` with the feature of that name, \
            an `Export`, and what implements `dlferry_pyo3::IntoTensor`"
)]
pub trait IntoTensor {
    /// The Rust type of an element; `()` when only the tensor itself can tell.
    type Item;

    /// Becomes a tensor, without a copy.
    ///
    /// # Errors
    ///
    /// `ValueError` for a shape that does not fit the data, `MemoryError`.
    fn into_tensor(self) -> PyResult<Tensor>;

    /// Becomes an array of NumPy's, of the same memory.
    ///
    /// # Errors
    ///
    /// Those of [`into_tensor`](Self::into_tensor); `ImportError` without NumPy, or without `ml_dtypes` for elements that NumPy
    /// has only with it.
    fn into_ndarray(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>>
    where
        Self: Sized,
    {
        to_ndarray(&Bound::new(py, self.into_tensor()?)?)
    }
}

/// Elements that lie one after another in memory of their own.
///
/// Implemented for what the standard library has; types of one's own implement [`IntoTensor`].
#[diagnostic::on_unimplemented(message = "`{Self}` does not own elements that lie one after another")]
pub trait OwnedData: Sized {
    /// What keeps the memory.
    type Owner: Owner;

    /// On its way to a tensor of one axis.
    fn export(self) -> Export<Self::Owner>;

    /// The elements as a vector, without a copy; the data itself where others may hold it as well.
    ///
    /// # Errors
    ///
    /// The data.
    fn into_vec(self) -> Result<Vec<<Self::Owner as Owner>::Item>, Self>;

    /// Number of elements.
    fn count(&self) -> usize;
}

/// Data that others may hold as well is exported read-only.
macro_rules! owned {
    ($([$($generics:tt)*] $data:ty => $owner:ty, $into_vec:expr, $export:expr;)*) => {$(
        impl<T: Element, $($generics)*> OwnedData for $data {
            type Owner = $owner;

            fn export(self) -> Export<$owner> {
                let export: fn(Self) -> Export<$owner> = $export;
                export(self)
            }

            fn into_vec(self) -> Result<Vec<T>, Self> {
                let into_vec: fn(Self) -> Result<Vec<T>, Self> = $into_vec;
                into_vec(self)
            }

            fn count(&self) -> usize {
                self.len()
            }
        }
    )*};
}

owned! {
    [] Vec<T> => Vec<T>, Ok, Export::vec;
    [] Box<[T]> => Vec<T>, |data| Ok(data.into()), |data| Export::vec(data.into());
    [const N: usize] [T; N] => Vec<T>, |data| Ok(data.into()), |data| Export::vec(data.into());
    [] Arc<[T]> => Self, Err, Export::read_only;
    [] Arc<Vec<T>> => Self, Err, Export::read_only;
    [] &'static [T] => Self, Err, Export::read_only;
}

impl<X: OwnedData> IntoTensor for X {
    type Item = <X::Owner as Owner>::Item;

    fn into_tensor(self) -> PyResult<Tensor> {
        self.export().into_tensor()
    }

    fn into_ndarray(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let elements = match self.into_vec() {
            Ok(elements) => elements,
            Err(shared) => return through_tensor(py, shared.export()),
        };
        let axis = (i64::try_from(elements.len())?, 1);
        match of_vec(py, elements, 0, core::iter::once(axis))? {
            Ok(array) => Ok(array),
            Err(elements) => through_tensor(py, Export::vec(elements)),
        }
    }
}

/// The array of NumPy's that the tensor of the data becomes.
fn through_tensor(py: Python<'_>, data: Export<impl Owner>) -> PyResult<Bound<'_, PyAny>> {
    to_ndarray(&Bound::new(py, data.into_tensor()?)?)
}

/// The layout of a shape that has as many elements as there are.
fn fitting(shape: &impl Extents, count: usize) -> PyResult<Layout> {
    let mut layout = shape.layout()?;
    if !layout.is_c_contiguous() {
        // Types of others may say anything.
        layout = Layout::c_contiguous(layout.shape()).map_err(IntoPyErr::into_py_err)?;
    }
    if layout.size() == count {
        return Ok(layout);
    }
    let (shape, size) = (tuple_text(layout.shape()), counted(layout.size(), "element", "elements"));
    Err(PyValueError::new_err(format!("a tensor of shape {shape} has {size}, and the data has {count}")))
}

/// Extents of axes: an array, a slice or a vector of `usize`, of `i64` as tensors have them, or of `i32` as bare literals are.
pub trait Extents {
    /// The layout of these extents in row-major order.
    ///
    /// # Errors
    ///
    /// `ValueError` for a negative extent and for more elements than there can be.
    fn layout(&self) -> PyResult<Layout>;
}

/// Lays out extents that may be too large for any tensor.
fn row_major(extents: impl Iterator<Item = Option<i64>>) -> PyResult<Layout> {
    let extents: Option<Vec<i64>> = extents.collect();
    let layout = extents.ok_or(LayoutError::SizeOverflow).and_then(|extents| Layout::c_contiguous(&extents));
    layout.map_err(IntoPyErr::into_py_err)
}

macro_rules! extents {
    ($($number:ty => $convert:expr;)*) => {$(
        impl Extents for [$number] {
            fn layout(&self) -> PyResult<Layout> {
                row_major(self.iter().copied().map($convert))
            }
        }

        impl<const N: usize> Extents for [$number; N] {
            fn layout(&self) -> PyResult<Layout> {
                self.as_slice().layout()
            }
        }

        impl Extents for Vec<$number> {
            fn layout(&self) -> PyResult<Layout> {
                self.as_slice().layout()
            }
        }
    )*};
}

extents! {
    usize => |extent| i64::try_from(extent).ok();
    i64 => Some;
    i32 => |extent| Some(extent.into());
}

impl<S: Extents + ?Sized> Extents for &S {
    fn layout(&self) -> PyResult<Layout> {
        (**self).layout()
    }
}

/// Data and its shape.
impl<X: OwnedData, S: Extents> IntoTensor for (X, S) {
    type Item = <X::Owner as Owner>::Item;

    fn into_tensor(self) -> PyResult<Tensor> {
        let (data, shape) = self;
        let layout = fitting(&shape, data.count())?;
        data.export().layout(layout, 0).into_tensor()
    }

    fn into_ndarray(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let (data, shape) = self;
        let layout = fitting(&shape, data.count())?;
        match data.into_vec() {
            Ok(elements) => {
                let axes = layout.shape().iter().copied().zip(layout.strides().iter().copied());
                match of_vec(py, elements, 0, axes)? {
                    Ok(array) => Ok(array),
                    Err(elements) => through_tensor(py, Export::vec(elements).layout(layout, 0)),
                }
            }
            Err(shared) => through_tensor(py, shared.export().layout(layout, 0)),
        }
    }
}

/// An owner whose destructor may wait for anything is dropped detached from the interpreter, whoever calls the deleter.
impl<O: Owner> IntoTensor for Export<O> {
    type Item = O::Item;

    fn into_tensor(self) -> PyResult<Tensor> {
        let tensor = if is_plain::<O>() { self.finish() } else { self.finish_releasing::<Detached>() };
        tensor.map_err(IntoPyErr::into_py_err)?.into_tensor()
    }
}

impl IntoTensor for Managed {
    type Item = ();

    fn into_tensor(self) -> PyResult<Tensor> {
        Ok(self.into())
    }
}

impl IntoTensor for SharedTensor {
    type Item = ();

    fn into_tensor(self) -> PyResult<Tensor> {
        Ok(Tensor::new(self, Source::Rust, None))
    }
}

impl IntoTensor for Tensor {
    type Item = ();

    fn into_tensor(self) -> PyResult<Tensor> {
        Ok(self)
    }
}

#[cfg(feature = "ndarray")]
impl<T: Element, D: ndarray::Dimension> IntoTensor for ndarray::Array<T, D> {
    type Item = T;

    fn into_tensor(self) -> PyResult<Tensor> {
        Export::array(self).into_tensor()
    }

    fn into_ndarray(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let mut places = [(0, 0); MAX_AXES];
        let Some(axes) = places.get_mut(..self.ndim()) else { return through_tensor(py, Export::array(self)) };
        for (axis, (extent, step)) in axes.iter_mut().zip(self.shape().iter().zip(self.strides())) {
            *axis = (i64::try_from(*extent)?, i64::try_from(*step)?);
        }
        let (elements, first) = self.into_raw_vec_and_offset();
        let first = first.unwrap_or(0);
        match of_vec(py, elements, first, axes.iter().copied())? {
            Ok(array) => Ok(array),
            Err(elements) => {
                let (shape, strides): (Vec<_>, Vec<_>) = axes.iter().copied().unzip();
                let layout = Layout::new(&shape, &strides).map_err(IntoPyErr::into_py_err)?;
                through_tensor(py, Export::vec(elements).layout(layout, first))
            }
        }
    }
}

#[cfg(feature = "ndarray")]
impl<T: Element, D: ndarray::Dimension + 'static> IntoTensor for ndarray::ArcArray<T, D> {
    type Item = T;

    fn into_tensor(self) -> PyResult<Tensor> {
        Managed::try_from(self).map_err(IntoPyErr::into_py_err)?.into_tensor()
    }
}
