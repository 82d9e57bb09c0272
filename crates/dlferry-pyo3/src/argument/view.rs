use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;

use dlferry::abi::DLDevice;
use dlferry::element::Element;
use dlferry::managed::Descriptor;
use dlferry::view::{Iter, TypedView};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::held::Held;
use super::require::{Conversion, Dyn, OnHost, Requirement};
use super::wanted::Wanted;
use crate::borrow::Kind;
use crate::error::IntoPyErr;
use crate::python::counted;
use crate::tensor::Tensor;

/// An argument: an array of any library, of elements `T` on `N` axes, to be read without a copy.
///
/// `N` is a number or [`Dyn`](super::Dyn); `W` is what else the array must be, see [`require`](super::require). What does
/// not fit is refused before the function runs: `TypeError` for another kind, dtype, rank, shape, order or device,
/// `BufferError` for what cannot be exchanged or is borrowed for writing.
///
/// The elements are borrowed until the view is dropped: meanwhile no [`ViewMut`](super::ViewMut) of them can be had, in
/// this module or another. Nobody else may write them, which no library can check: see `SAFETY.md`. Who cannot promise
/// that takes [`to_vec`](Self::to_vec).
///
/// # Examples
///
/// ```no_run
/// use dlferry_pyo3::View;
/// use pyo3::prelude::*;
///
/// /// The sum of the diagonal.
/// #[pyfunction]
/// fn trace(matrix: View<'_, f64, 2>) -> f64 {
///     (0..).map_while(|at| matrix.get([at, at])).sum()
/// }
///
/// /// The mean of what there may be.
/// #[pyfunction]
/// fn mean(values: Option<View<'_, f32, 1>>) -> Option<f32> {
///     let values = values?;
///     Some(values.iter().sum::<f32>() / values.size() as f32)
/// }
/// ```
pub struct View<'py, T, const N: usize, W = ()> {
    held: Held<'py>,
    elements: PhantomData<fn() -> (T, W)>,
}

impl<'a, 'py, T, const N: usize, W> FromPyObject<'a, 'py> for View<'py, T, N, W>
where
    T: Element,
    W: Requirement<Conversion: Conversion<T>>,
{
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

impl<'py, T: Element, const N: usize, W: Requirement> View<'py, T, N, W> {
    const WANTED: Wanted = Wanted::of::<T, N, W>(Kind::Shared);

    /// The view of an array that was checked to be as wanted.
    #[inline]
    pub(super) fn new(held: Held<'py>) -> Self {
        Self { held, elements: PhantomData }
    }

    /// What an array must be for [`Self::new`].
    #[inline]
    pub(super) fn wanted() -> &'static Wanted {
        &const { Self::WANTED }
    }

    /// The extents; `N` of them, unless `N` is [`Dyn`](super::Dyn).
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &[i64] {
        self.descriptor().shape()
    }

    /// The strides, in elements.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> &[i64] {
        self.descriptor().strides()
    }

    /// The number of axes.
    #[must_use]
    #[inline]
    pub fn ndim(&self) -> usize {
        self.descriptor().layout().ndim()
    }

    /// The number of elements.
    #[must_use]
    #[inline]
    pub fn size(&self) -> usize {
        self.descriptor().layout().size()
    }

    /// Whether there are no elements.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.descriptor().layout().is_empty()
    }

    /// Where the memory is.
    #[must_use]
    #[inline]
    pub fn device(&self) -> DLDevice {
        self.descriptor().device()
    }

    /// The address of the first element; on devices without addresses the handle of the memory, to which belongs
    /// [`Descriptor::byte_offset`].
    #[must_use]
    #[inline]
    pub fn data_ptr(&self) -> *const c_void {
        self.descriptor().data().cast_const()
    }

    /// Whether the elements are a copy and not the object's own: one that [`Convert`](super::Convert) asked for, or that the
    /// producer made for this call and told.
    #[must_use]
    #[inline]
    pub fn is_copy(&self) -> bool {
        self.descriptor().copied() == Some(true)
    }

    /// All that is known of the array.
    #[must_use]
    #[inline]
    pub fn descriptor(&self) -> &Descriptor {
        self.held.descriptor()
    }

    /// The object that was passed.
    #[must_use]
    #[inline]
    pub fn object(&self) -> &Bound<'py, PyAny> {
        self.held.object()
    }

    /// The same memory as a tensor that may outlive the function: no copy, and no longer borrowed.
    ///
    /// # Errors
    ///
    /// As [`import`](crate::protocol::import()): the object may refuse to be exchanged for longer than a call.
    pub fn into_owned(self) -> PyResult<Tensor> {
        self.held.into_owned()
    }
}

impl<T: Element, const N: usize, W: OnHost> View<'_, T, N, W> {
    /// The elements, as the core crate looks at them.
    #[must_use]
    #[inline]
    pub fn typed(&self) -> TypedView<'_, T> {
        // SAFETY: dtype and device were checked when the view was made; otherwise as in `Held::view`.
        unsafe { TypedView::from_descriptor(self.descriptor()) }
    }

    /// The element at an index, or `None` when it is out of range or of another rank.
    #[must_use]
    #[inline]
    pub fn get(&self, index: impl AsRef<[usize]>) -> Option<T> {
        self.typed().get(index.as_ref())
    }

    /// All elements, in C order.
    #[must_use]
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        self.typed().iter()
    }

    /// Copies all elements, in C order.
    ///
    /// # Errors
    ///
    /// `MemoryError`: an array that repeats an element can have more than there is memory for.
    pub fn to_vec(&self) -> PyResult<Vec<T>> {
        self.typed().try_to_vec().map_err(IntoPyErr::into_py_err)
    }

    /// Copies all elements, in C order, into memory that is there.
    ///
    /// # Errors
    ///
    /// `ValueError` when `target` has room for more or fewer.
    pub fn copy_to(&self, target: &mut [T]) -> PyResult<()> {
        if target.len() != self.size() {
            let found = counted(self.size(), "element does", "elements do");
            return Err(PyValueError::new_err(format!("{found} not fill a slice of {}", target.len())));
        }
        let elements = self.typed();
        if let Ok(slice) = elements.as_slice() {
            target.copy_from_slice(slice);
        } else {
            target.iter_mut().zip(elements.iter()).for_each(|(place, value)| *place = value);
        }
        Ok(())
    }

    /// Lends the elements as one slice, in C order.
    ///
    /// # Errors
    ///
    /// `TypeError` when they do not lie so, which with [`COrder`](super::COrder) cannot be; `BufferError` when they are not
    /// at addresses that references need; `ValueError` when a byte of a boolean array is neither 0 nor 1.
    #[inline]
    pub fn as_slice(&self) -> PyResult<&[T]> {
        self.typed().as_slice().map_err(IntoPyErr::into_py_err)
    }
}

impl Tensor {
    /// Its elements, as values of a Rust type, to be read while no [`ViewMut`](super::ViewMut) of them is held.
    ///
    /// # Errors
    ///
    /// `TypeError` when the elements are of another type or the host cannot read them, `BufferError` when they are borrowed for
    /// writing.
    pub fn typed<'py, T: Element>(&self, py: Python<'py>) -> PyResult<View<'py, T, Dyn>> {
        Bound::new(py, self.clone_ref(py))?.extract()
    }
}

impl<'a, T: Element, const N: usize, W: OnHost> IntoIterator for &'a View<'_, T, N, W> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T, const N: usize, W> View<'_, T, N, W> {
    pub(super) fn debug(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        self.held.fmt(f, name)
    }
}

impl<T, const N: usize, W> fmt::Debug for View<'_, T, N, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.debug(f, "View")
    }
}
