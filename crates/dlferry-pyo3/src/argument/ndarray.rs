//! Arguments as arrays of `ndarray`.

use dlferry::element::Element;
use dlferry::view::TypedViewMut;
use ndarray::{ArrayView, ArrayViewMut, Dimension, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn};
use pyo3::prelude::*;

use super::require::{Dyn, OnHost};
use super::{View, ViewMut};
use crate::error::IntoPyErr;

/// Number of axes of an argument, for the dimension type that `ndarray` has for it.
#[derive(Debug)]
pub struct Axes<const N: usize>(());

/// A number of axes that `ndarray` has a dimension type for: 0 to 6, and [`Dyn`].
#[diagnostic::on_unimplemented(
    message = "`ndarray` has no dimension type for this number of axes",
    note = "it has one each for 0 to 6 and one for `Dyn`; of other arguments take `view.typed().as_array::<IxDyn>()`"
)]
pub trait HasDimension {
    /// The dimension type.
    type Dimension: Dimension;
}

macro_rules! dimensions {
    ($($axes:expr => $dimension:ty;)*) => {$(
        impl HasDimension for Axes<{ $axes }> {
            type Dimension = $dimension;
        }
    )*};
}

dimensions! {
    0 => Ix0;
    1 => Ix1;
    2 => Ix2;
    3 => Ix3;
    4 => Ix4;
    5 => Ix5;
    6 => Ix6;
    Dyn => IxDyn;
}

impl<T: Element, const N: usize, W: OnHost> View<'_, T, N, W>
where
    Axes<N>: HasDimension,
{
    /// Lends the elements as an array view, at whatever strides they lie: negative ones, those of a broadcast.
    ///
    /// # Errors
    ///
    /// `BufferError` when the elements are not at addresses that references need; `ValueError` when a byte of a boolean array
    /// is neither 0 nor 1.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use dlferry_pyo3::{Numpy, View};
    /// use ndarray::{Array2, Ix2};
    /// use pyo3::prelude::*;
    ///
    /// /// The product of two matrices.
    /// #[pyfunction]
    /// fn matmul(a: View<'_, f64, 2>, b: View<'_, f64, 2>) -> PyResult<Numpy<Array2<f64>>> {
    ///     Ok(Numpy(a.as_array()?.dot(&b.as_array()?)))
    /// }
    /// ```
    pub fn as_array(&self) -> PyResult<ArrayView<'_, T, <Axes<N> as HasDimension>::Dimension>> {
        self.typed().as_array().map_err(IntoPyErr::into_py_err)
    }
}

impl<T: Element, const N: usize, W: OnHost> ViewMut<'_, T, N, W>
where
    Axes<N>: HasDimension,
{
    /// Lends the elements for writing as an array view, at whatever strides they lie.
    ///
    /// # Errors
    ///
    /// As [`View::as_array`], and `BufferError` where the elements of one axis lie between those of another, which `ndarray`
    /// takes for overlapping.
    pub fn as_array_mut(&mut self) -> PyResult<ArrayViewMut<'_, T, <Axes<N> as HasDimension>::Dimension>> {
        TypedViewMut::into_array_mut(self.typed_mut()).map_err(IntoPyErr::into_py_err)
    }
}
