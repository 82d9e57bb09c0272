use ::ndarray::{Array, ArrayView, ArrayViewMut, Axis, Dimension};
use core::ptr::NonNull;

use super::parts::{Parts, is_interleaved, parts};
use crate::element::Element;
use crate::managed::Descriptor;
use crate::view::{TypedView, TypedViewMut, ViewError};

impl<'a, T: Element> TypedView<'a, T> {
    /// Lends the elements as an array view, at whatever strides they lie.
    ///
    /// # Errors
    ///
    /// [`ViewError::Rank`] unless `D` has as many axes, [`ViewError::Misaligned`], [`ViewError::Extents`], or
    /// [`ViewError::InvalidValue`] when a byte of a boolean tensor is neither 0 nor 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use dlferry::export::Export;
    /// use ndarray::{Ix1, IxDyn};
    ///
    /// let tensor = Export::vec(vec![1_u8, 2, 3]).finish()?;
    /// let elements = tensor.view().typed::<u8>()?;
    /// assert_eq!(elements.as_array::<Ix1>()?.sum(), 6);
    /// assert_eq!(elements.as_array::<IxDyn>()?.ndim(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_array<D: Dimension>(&self) -> Result<ArrayView<'a, T, D>, ViewError> {
        let first = self.descriptor().data().cast::<T::Raw>();
        // SAFETY: a view's elements are readable for `'a`, and nobody writes them (conditions 3 and 5 of `managed`).
        unsafe { view(first, self.shape(), self.strides()) }
    }

    /// Copies the elements into an array, in C order.
    ///
    /// # Errors
    ///
    /// [`ViewError::Rank`] unless `D` has as many axes, [`ViewError::Extents`].
    pub fn to_array<D: Dimension>(&self) -> Result<Array<T, D>, ViewError> {
        // Without strides that mean anything: those of the copy are its own.
        let Parts { shape, .. } = parts::<D>(self.shape(), &[], size_of::<T>())?;
        Array::from_shape_vec(shape.raw_dim().clone(), self.to_vec()).map_err(|_| ViewError::Extents)
    }
}

impl<'a, T: Element> TypedViewMut<'a, T> {
    /// Lends the elements as an array view that may be written, at whatever strides they lie.
    ///
    /// # Errors
    ///
    /// As [`TypedView::as_array`], and [`ViewError::Interleaved`].
    pub fn as_array_mut<D: Dimension>(&mut self) -> Result<ArrayViewMut<'_, T, D>, ViewError> {
        // SAFETY: the elements may be written and do not overlap (the view's invariant); `&mut self` is the only access
        // (condition 5 of `managed`).
        unsafe { of_writable(self.descriptor()) }
    }

    /// Becomes an array view of the same elements.
    ///
    /// # Errors
    ///
    /// As [`Self::as_array_mut`].
    pub fn into_array_mut<D: Dimension>(self) -> Result<ArrayViewMut<'a, T, D>, ViewError> {
        // SAFETY: as in `as_array_mut`, and nobody has the view any more.
        unsafe { of_writable(self.descriptor()) }
    }
}

/// Looks at the elements that a descriptor describes.
///
/// # Safety
///
/// Those of [`view_mut`].
unsafe fn of_writable<'a, T: Element, D: Dimension>(
    descriptor: &Descriptor,
) -> Result<ArrayViewMut<'a, T, D>, ViewError> {
    let first = descriptor.data().cast::<T::Raw>();
    // SAFETY: vouched for by the caller.
    unsafe { view_mut(first, descriptor.shape(), descriptor.strides()) }
}

/// Looks at elements at an address as an array, when `ndarray` can.
///
/// `first` is the address of the element at index (0, ..., 0), of any value where there are no elements.
///
/// # Errors
///
/// As [`TypedView::as_array`].
///
/// # Safety
///
/// `shape` and `strides` are those of a [`Layout`](crate::layout::Layout) whose bytes an `isize` counts. For `'a` the
/// elements are readable, initialised and written by nobody.
pub unsafe fn view<'a, T: Element, D: Dimension>(
    first: *const T::Raw,
    shape: &[i64],
    strides: &[i64],
) -> Result<ArrayView<'a, T, D>, ViewError> {
    let Parts { shape, lowest, reversed } = parts::<D>(shape, strides, size_of::<T>())?;
    let lowest = address::<T>(first.cast_mut(), lowest, shape.size())?;
    // SAFETY: readable and written by nobody for `'a` (the caller), aligned (`address`), of extents and strides that
    // `ndarray` takes (`parts`); any bits are a `T::Raw`.
    let raw = unsafe { ArrayView::<T::Raw, D>::from_shape_ptr(shape.clone(), lowest) };
    check_values::<T, D>(&turned(raw, &reversed, ArrayView::invert_axis))?;
    // SAFETY: as above, and every element is a valid `T`, of the size and alignment of its raw form (`Element`).
    let elements = unsafe { ArrayView::from_shape_ptr(shape, lowest.cast::<T>().cast_const()) };
    Ok(turned(elements, &reversed, ArrayView::invert_axis))
}

/// Looks at elements at an address as an array that may be written, when `ndarray` can.
///
/// # Errors
///
/// As [`TypedView::as_array`], and [`ViewError::Interleaved`] where the elements of one axis lie between those of another:
/// `ndarray` would take them for overlapping.
///
/// # Safety
///
/// As [`view`]; for `'a` the elements may be written, nobody else touches them, and no two indices reach the same one.
pub unsafe fn view_mut<'a, T: Element, D: Dimension>(
    first: *mut T::Raw,
    shape: &[i64],
    strides: &[i64],
) -> Result<ArrayViewMut<'a, T, D>, ViewError> {
    if is_interleaved(shape, strides) {
        return Err(ViewError::Interleaved);
    }
    let Parts { shape, lowest, reversed } = parts::<D>(shape, strides, size_of::<T>())?;
    let lowest = address::<T>(first, lowest, shape.size())?;
    // SAFETY: as in `view`; this reference ends before the mutable one begins.
    let raw = unsafe { ArrayView::<T::Raw, D>::from_shape_ptr(shape.clone(), lowest) };
    check_values::<T, D>(&turned(raw, &reversed, ArrayView::invert_axis))?;
    // SAFETY: as in `view`; writable, and reached by nobody else and on one way only (the caller).
    let elements = unsafe { ArrayViewMut::from_shape_ptr(shape, lowest.cast::<T>()) };
    Ok(turned(elements, &reversed, ArrayViewMut::invert_axis))
}

/// The address of the lowest element; any that will do for an array without elements.
fn address<T: Element>(first: *mut T::Raw, lowest: isize, size: usize) -> Result<*mut T::Raw, ViewError> {
    if size == 0 {
        return Ok(NonNull::dangling().as_ptr());
    }
    if !first.is_aligned() {
        return Err(ViewError::Misaligned { needed: align_of::<T>() });
    }
    Ok(first.wrapping_offset(lowest))
}

/// Turns round the axes that run backwards.
fn turned<A>(mut array: A, reversed: &[usize], invert: impl Fn(&mut A, Axis)) -> A {
    for axis in reversed {
        invert(&mut array, Axis(*axis));
    }
    array
}

/// Every element is a value of the type.
fn check_values<T: Element, D: Dimension>(raw: &ArrayView<'_, T::Raw, D>) -> Result<(), ViewError> {
    if T::ALL_BITS_VALID {
        return Ok(());
    }
    match raw.iter().position(|value| !T::is_valid(value)) {
        Some(at) => Err(ViewError::InvalidValue { at }),
        None => Ok(()),
    }
}
