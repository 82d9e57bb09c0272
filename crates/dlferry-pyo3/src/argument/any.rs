use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;

use dlferry::abi::{DLDataType, DLDevice};
use dlferry::element::{Element, Scalar};
use dlferry::managed::Descriptor;
use dlferry::view::{TensorView, TypedView};
use pyo3::prelude::*;

use super::View;
use super::held::Held;
use super::require::{AnyElement, Conversion, OnHost, Requirement};
use super::wanted::Wanted;
use crate::borrow::Kind;
use crate::error::IntoPyErr;
use crate::tensor::Tensor;

/// An argument: an array of any library, any dtype and any rank, to be read without a copy.
///
/// For functions that decide by what they are given. `W` is what the array must be all the same, see
/// [`require`](super::require): with `(COrder, Convert)` it lies in that order, if need be as a copy. Refused and borrowed as
/// a [`View`] is.
///
/// # Examples
///
/// ```no_run
/// use dlferry_pyo3::{AnyView, View};
/// use pyo3::prelude::*;
///
/// #[pyfunction]
/// fn total(array: AnyView<'_>) -> PyResult<f64> {
///     if array.is::<f32>() {
///         return Ok(array.typed::<f32>()?.iter().map(f64::from).sum());
///     }
///     Ok(array.typed::<f64>()?.iter().sum())
/// }
/// ```
pub struct AnyView<'py, W = ()> {
    held: Held<'py>,
    requirement: PhantomData<fn() -> W>,
}

impl<'a, 'py, W: Requirement<Conversion: Conversion<AnyElement>>> FromPyObject<'a, 'py> for AnyView<'py, W> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let held = if W::Conversion::IS_ALLOWED {
            Held::take_or_convert(&object, &Self::WANTED, W::Conversion::convert)?
        } else {
            Held::take(&object, &Self::WANTED)?
        };
        Ok(Self::new(held))
    }
}

impl<'py, W: Requirement> AnyView<'py, W> {
    const WANTED: Wanted = Wanted::of_any::<W>(Kind::Shared);

    /// The view of an array that was checked to be as wanted.
    #[inline]
    pub(super) fn new(held: Held<'py>) -> Self {
        Self { held, requirement: PhantomData }
    }

    /// What is held, without the view.
    pub(super) fn into_held(self) -> Held<'py> {
        self.held
    }

    /// The type of one element.
    #[must_use]
    pub fn dtype(&self) -> DLDataType {
        self.descriptor().dtype()
    }

    /// Whether the elements are of a Rust type.
    #[must_use]
    pub fn is<T: Element>(&self) -> bool {
        self.dtype() == T::DTYPE
    }

    /// The extents.
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        self.descriptor().shape()
    }

    /// The strides, in elements.
    #[must_use]
    pub fn strides(&self) -> &[i64] {
        self.descriptor().strides()
    }

    /// The number of axes.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.descriptor().layout().ndim()
    }

    /// The number of elements.
    #[must_use]
    pub fn size(&self) -> usize {
        self.descriptor().layout().size()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.descriptor().layout().is_empty()
    }

    /// Where the memory is.
    #[must_use]
    pub fn device(&self) -> DLDevice {
        self.descriptor().device()
    }

    /// The address of the first element, as [`View::data_ptr`].
    #[must_use]
    pub fn data_ptr(&self) -> *const c_void {
        self.descriptor().data().cast_const()
    }

    /// Whether the elements are a copy and not the object's own, as [`View::is_copy`].
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.descriptor().copied() == Some(true)
    }

    /// All that is known of the array.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        self.held.descriptor()
    }

    /// The array, as the core crate looks at it.
    #[must_use]
    pub fn view(&self) -> TensorView<'_> {
        self.held.view()
    }

    /// The object that was passed.
    #[must_use]
    pub fn object(&self) -> &Bound<'py, PyAny> {
        self.held.object()
    }

    /// The same array as one of known elements and rank, still borrowed.
    ///
    /// # Errors
    ///
    /// `TypeError` when it is of others. The array is then no longer held.
    pub fn into_view<T: Element, const N: usize>(self) -> PyResult<View<'py, T, N, W>> {
        View::<'py, T, N, W>::wanted().check(self.held.object(), self.held.descriptor())?;
        Ok(View::new(self.held))
    }

    /// The same memory as a tensor that may outlive the function: no copy, and no longer borrowed.
    ///
    /// # Errors
    ///
    /// As [`View::into_owned`].
    pub fn into_owned(self) -> PyResult<Tensor> {
        self.held.into_owned()
    }
}

impl<W: OnHost> AnyView<'_, W> {
    /// The elements, as values of a Rust type.
    ///
    /// # Errors
    ///
    /// `TypeError` when they are of another.
    pub fn typed<T: Element>(&self) -> PyResult<TypedView<'_, T>> {
        self.view().typed().map_err(IntoPyErr::into_py_err)
    }

    /// The element at an index, or `None` when it is out of range or of another rank.
    ///
    /// # Errors
    ///
    /// `BufferError` for elements that have no value here, such as handles.
    pub fn scalar(&self, index: impl AsRef<[usize]>) -> PyResult<Option<Scalar>> {
        self.view().scalar(index.as_ref()).map_err(IntoPyErr::into_py_err)
    }
}

impl<W> AnyView<'_, W> {
    pub(super) fn debug(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        self.held.fmt(f, name)
    }
}

impl<W> fmt::Debug for AnyView<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.debug(f, "AnyView")
    }
}
