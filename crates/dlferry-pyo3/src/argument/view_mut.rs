use core::ffi::c_void;
use core::fmt;
use core::ops::Deref;

use dlferry::element::Element;
use dlferry::view::TypedViewMut;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::View;
use super::held::Held;
use super::require::{Never, OnHost, Requirement};
use super::wanted::Wanted;
use crate::borrow::Kind;
use crate::error::IntoPyErr;
use crate::python::counted;
use crate::tensor::Tensor;

/// An argument: an array of any library, of elements `T` on `N` axes, to be written.
///
/// Like [`View`], all of whose methods it has, and with these differences. The array must say that it may be written:
/// what is read-only, what requires a gradient, or has no way to say so is refused with `BufferError`. (An unversioned
/// capsule cannot say so. The buffer of the same object can, and is asked next: MLX's arrays are written so.) It is never a
/// copy, so that no write is lost. The elements are borrowed alone: no other view of
/// them can be had meanwhile, in this module or another.
///
/// # Examples
///
/// ```no_run
/// use dlferry_pyo3::{View, ViewMut};
/// use pyo3::prelude::*;
///
/// /// Adds one array to another where it is. `add(x, x)` is refused.
/// #[pyfunction]
/// fn add(mut to: ViewMut<'_, f32, 1>, values: View<'_, f32, 1>) {
///     let mut values = values.iter();
///     to.apply(|element| element + values.next().unwrap_or(0.0));
/// }
/// ```
pub struct ViewMut<'py, T, const N: usize, W = ()>(
    // Invariant: borrowed alone, and writable.
    View<'py, T, N, W>,
);

impl<'a, 'py, T, const N: usize, W> FromPyObject<'a, 'py> for ViewMut<'py, T, N, W>
where
    T: Element,
    W: Requirement<Conversion: Never>,
{
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::new(Held::take(&object, &Self::WANTED)?))
    }
}

impl<'py, T: Element, const N: usize, W: Requirement> ViewMut<'py, T, N, W> {
    const WANTED: Wanted = Wanted::of::<T, N, W>(Kind::Exclusive);

    /// The view of an array that was checked to be as wanted, and is borrowed alone.
    pub(super) fn new(held: Held<'py>) -> Self {
        Self(View::new(held))
    }

    /// What an array must be for [`Self::new`].
    pub(super) fn wanted() -> &'static Wanted {
        &const { Self::WANTED }
    }

    /// The address of the first element, as [`View::data_ptr`], for writing.
    #[must_use]
    #[inline]
    pub fn data_mut_ptr(&mut self) -> *mut c_void {
        self.descriptor().data()
    }

    /// The same memory as a tensor that may outlive the function: no copy, and no longer borrowed.
    ///
    /// # Errors
    ///
    /// As [`View::into_owned`].
    pub fn into_owned(self) -> PyResult<Tensor> {
        self.0.into_owned()
    }
}

impl<T: Element, const N: usize, W: OnHost> ViewMut<'_, T, N, W> {
    /// The elements, as the core crate writes them.
    #[must_use]
    #[inline]
    pub fn typed_mut(&mut self) -> TypedViewMut<'_, T> {
        // SAFETY: dtype, device and that it may be written were checked when the view was made. The memory is kept as for
        // `Held::view`. It is borrowed alone, so that nobody in the registry reads or writes it, and nobody else does
        // (assumption P2); `&mut self` is the only access here.
        unsafe { TypedViewMut::from_descriptor(self.0.descriptor()) }
    }

    /// Writes the element at an index; `false` when the index is out of range, and nothing is written.
    #[must_use]
    #[inline]
    pub fn set(&mut self, index: impl AsRef<[usize]>, value: T) -> bool {
        self.typed_mut().set(index.as_ref(), value)
    }

    /// Replaces each element by what `change` makes of it, in C order.
    #[inline]
    pub fn apply(&mut self, change: impl FnMut(T) -> T) {
        self.typed_mut().apply(change);
    }

    /// Writes one value to all elements.
    #[inline]
    pub fn fill(&mut self, value: T) {
        self.typed_mut().apply(|_| value);
    }

    /// Writes all elements, in C order.
    ///
    /// # Errors
    ///
    /// `ValueError` when there are more or fewer values than elements, and nothing is written.
    pub fn copy_from(&mut self, values: &[T]) -> PyResult<()> {
        if values.len() != self.size() {
            let found = counted(values.len(), "value does", "values do");
            let size = counted(self.size(), "element", "elements");
            return Err(PyValueError::new_err(format!("{found} not fill an array of {size}")));
        }
        if let Ok(slice) = self.typed_mut().as_mut_slice() {
            slice.copy_from_slice(values);
            return Ok(());
        }
        let mut values = values.iter().copied();
        self.typed_mut().apply(|old| values.next().unwrap_or(old));
        Ok(())
    }

    /// Lends the elements as one slice for writing, in C order.
    ///
    /// # Errors
    ///
    /// As [`View::as_slice`].
    #[inline]
    pub fn as_mut_slice(&mut self) -> PyResult<&mut [T]> {
        // SAFETY: as in `typed_mut`; `&mut self` is borrowed for as long as the slice lives.
        let elements: TypedViewMut<'_, T> = unsafe { TypedViewMut::from_descriptor(self.0.descriptor()) };
        elements.into_mut_slice().map_err(IntoPyErr::into_py_err)
    }
}

impl<'py, T, const N: usize, W> Deref for ViewMut<'py, T, N, W> {
    type Target = View<'py, T, N, W>;

    #[inline]
    fn deref(&self) -> &View<'py, T, N, W> {
        &self.0
    }
}

impl<T, const N: usize, W> fmt::Debug for ViewMut<'_, T, N, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(f, "ViewMut")
    }
}
