use core::ffi::c_void;
use core::fmt;
use core::ops::Deref;

use dlferry::element::Element;
use dlferry::view::{TypedViewMut, ViewError};
use pyo3::prelude::*;

use super::held::Held;
use super::require::{Never, OnHost, Requirement};
use super::wanted::Wanted;
use super::{AnyView, ViewMut};
use crate::borrow::Kind;
use crate::error::IntoPyErr;
use crate::tensor::Tensor;

/// An argument: an array of any library, any dtype and any rank, to be written.
///
/// For functions that decide by what they are given where to write. It is an [`AnyView`], all of whose methods it has, and
/// refused and borrowed as a [`ViewMut`] is: the array says that it may be written, it is never a copy, and nobody else in
/// the registry reads or writes it meanwhile.
///
/// # Examples
///
/// ```no_run
/// use dlferry_pyo3::AnyViewMut;
/// use pyo3::prelude::*;
///
/// /// Makes each number its negative, where it is.
/// #[pyfunction]
/// fn negate(mut array: AnyViewMut<'_>) -> PyResult<()> {
///     if array.is::<i64>() {
///         array.typed_mut::<i64>()?.apply(i64::wrapping_neg);
///     } else {
///         array.typed_mut::<f64>()?.apply(|value| -value);
///     }
///     Ok(())
/// }
/// ```
pub struct AnyViewMut<'py, W = ()>(
    // Invariant: borrowed alone, and writable.
    AnyView<'py, W>,
);

impl<'a, 'py, W: Requirement<Conversion: Never>> FromPyObject<'a, 'py> for AnyViewMut<'py, W> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(AnyView::new(Held::take(&object, &Self::WANTED)?)))
    }
}

impl<'py, W: Requirement> AnyViewMut<'py, W> {
    const WANTED: Wanted = Wanted::of_any::<W>(Kind::Exclusive);

    /// The address of the first element, as [`View::data_ptr`](crate::View::data_ptr), for writing.
    #[must_use]
    pub fn data_mut_ptr(&mut self) -> *mut c_void {
        self.descriptor().data()
    }

    /// The same array as one of known elements and rank, still borrowed.
    ///
    /// # Errors
    ///
    /// `TypeError` when it is of others. The array is then no longer held.
    pub fn into_view_mut<T: Element, const N: usize>(self) -> PyResult<ViewMut<'py, T, N, W>> {
        ViewMut::<'py, T, N, W>::wanted().check(self.object(), self.descriptor())?;
        Ok(ViewMut::new(self.0.into_held()))
    }

    /// The same memory as a tensor that may outlive the function: no copy, and no longer borrowed.
    ///
    /// # Errors
    ///
    /// As [`View::into_owned`](crate::View::into_owned).
    pub fn into_owned(self) -> PyResult<Tensor> {
        self.0.into_owned()
    }
}

impl<W: OnHost> AnyViewMut<'_, W> {
    /// The elements, for writing, as values of a Rust type.
    ///
    /// # Errors
    ///
    /// `TypeError` when they are of another.
    pub fn typed_mut<T: Element>(&mut self) -> PyResult<TypedViewMut<'_, T>> {
        let descriptor = self.0.descriptor();
        if descriptor.dtype() != T::DTYPE {
            let error = ViewError::DType { wanted: T::DTYPE, found: descriptor.dtype() };
            return Err(error.into_py_err());
        }
        // SAFETY: the dtype was just compared; device and that it may be written were checked when the view was made. The
        // memory is kept as for `Held::view`. It is borrowed alone, so that nobody in the registry reads or writes it, and
        // nobody else does (assumption P2); `&mut self` is the only access here.
        Ok(unsafe { TypedViewMut::from_descriptor(descriptor) })
    }
}

impl<'py, W> Deref for AnyViewMut<'py, W> {
    type Target = AnyView<'py, W>;

    #[inline]
    fn deref(&self) -> &AnyView<'py, W> {
        &self.0
    }
}

impl<W> fmt::Debug for AnyViewMut<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(f, "AnyViewMut")
    }
}
