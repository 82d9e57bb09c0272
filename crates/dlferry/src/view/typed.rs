use core::marker::PhantomData;

use super::{TensorView, ViewError};
use crate::abi::DLDataType;
use crate::element::Element;
use crate::layout::{Layout, Offsets};
use crate::managed::{Descriptor, Tensor};

/// A borrowed tensor whose elements are of one Rust type, in memory that the host can read.
///
/// Elements are read one by one at any stride and alignment; [`as_slice`](Self::as_slice) lends them as they lie.
#[derive(Clone, Copy, Debug)]
pub struct TypedView<'a, T> {
    // Invariant: host-readable, of dtype `T::DTYPE`.
    descriptor: &'a Descriptor,
    elements: PhantomData<&'a [T]>,
}

impl<'a, T: Element> TypedView<'a, T> {
    #[inline]
    pub(super) fn new(view: TensorView<'a>) -> Result<Self, ViewError> {
        check::<T>(view.descriptor())?;
        Ok(Self { descriptor: view.descriptor(), elements: PhantomData })
    }

    /// Looks at memory that somebody else keeps alive, and whose description was checked.
    ///
    /// # Safety
    ///
    /// The dtype is that of `T`, and the host can read memory of this device; conditions 3 and 5 of
    /// [`managed`](crate::managed), for as long as `'a`.
    #[must_use]
    #[inline]
    pub unsafe fn from_descriptor(descriptor: &'a Descriptor) -> Self {
        debug_assert!(check::<T>(descriptor).is_ok(), "checked by the caller");
        Self { descriptor, elements: PhantomData }
    }

    /// What the tensor is.
    #[must_use]
    #[inline]
    pub fn descriptor(&self) -> &'a Descriptor {
        self.descriptor
    }

    /// The extents.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &'a [i64] {
        self.descriptor.shape()
    }

    /// The strides, in elements.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> &'a [i64] {
        self.descriptor.strides()
    }

    /// Shape and strides.
    #[must_use]
    #[inline]
    pub fn layout(&self) -> &'a Layout {
        self.descriptor.layout()
    }

    /// The element at an index, or `None` when it is out of range.
    #[must_use]
    #[inline]
    pub fn get(&self, index: &[usize]) -> Option<T> {
        let offset = self.layout().offset(index)?;
        // SAFETY: an index in range, and the invariant of this type.
        Some(unsafe { read(self.descriptor, offset) })
    }

    /// All elements, in C order.
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T> {
        Iter { view: *self, offsets: self.layout().offsets() }
    }

    /// Lends the elements as one slice, in C order.
    ///
    /// # Errors
    ///
    /// [`ViewError::NotContiguous`], [`ViewError::Misaligned`], or [`ViewError::InvalidValue`] when a byte of a boolean
    /// tensor is neither 0 nor 1.
    #[inline]
    pub fn as_slice(&self) -> Result<&'a [T], ViewError> {
        let Some(raw) = raw_slice::<T>(self.descriptor)? else {
            return Ok(&[]);
        };
        // SAFETY: `raw_slice` checked order, alignment and NULL; the elements are readable and nobody writes them for
        // `'a` (conditions 3 and 5); every bit pattern is a `T::Raw`.
        let raw = unsafe { &*raw };
        check_values::<T>(raw)?;
        let slice = core::ptr::from_ref(raw) as *const [T];
        // SAFETY: all values are valid for `T`, which has the size and alignment of its raw type (contract of
        // `Element`).
        Ok(unsafe { &*slice })
    }
}

impl<'a, T: Element> IntoIterator for &TypedView<'a, T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// The elements of a [`TypedView`], in C order.
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    view: TypedView<'a, T>,
    offsets: Offsets<'a>,
}

impl<T: Element> Iterator for Iter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let offset = self.offsets.next()?;
        // SAFETY: `Offsets` yields those of indices in range, and the view's invariant.
        Some(unsafe { read(self.view.descriptor, offset) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.offsets.size_hint()
    }
}

impl<T: Element> ExactSizeIterator for Iter<'_, T> {}

/// A tensor borrowed for writing.
///
/// Values are written one by one with [`set`](Self::set); [`as_mut_slice`](Self::as_mut_slice) lends them all.
#[derive(Debug)]
pub struct TypedViewMut<'a, T> {
    // Invariant: host-readable, of dtype `T::DTYPE`, not read-only (so without overlapping elements).
    descriptor: &'a Descriptor,
    elements: PhantomData<&'a mut [T]>,
}

impl Tensor {
    /// Borrows the tensor for writing elements of a Rust type.
    ///
    /// # Errors
    ///
    /// [`ViewError::DType`], [`ViewError::Device`] or [`ViewError::ReadOnly`].
    pub fn typed_mut<T: Element>(&mut self) -> Result<TypedViewMut<'_, T>, ViewError> {
        check::<T>(self.descriptor())?;
        if self.descriptor().is_read_only() {
            return Err(ViewError::ReadOnly);
        }
        Ok(TypedViewMut { descriptor: self.descriptor(), elements: PhantomData })
    }
}

impl<'a, T: Element> TypedViewMut<'a, T> {
    /// Looks at memory that somebody else keeps alive, and whose description was checked, in order to write it.
    ///
    /// # Safety
    ///
    /// The dtype is that of `T`, the host can read memory of this device, and the description is not read-only;
    /// conditions 3 and 5 of [`managed`](crate::managed), for as long as `'a`.
    #[must_use]
    #[inline]
    pub unsafe fn from_descriptor(descriptor: &'a Descriptor) -> Self {
        debug_assert!(check::<T>(descriptor).is_ok() && !descriptor.is_read_only(), "checked by the caller");
        Self { descriptor, elements: PhantomData }
    }
}

impl<T: Element> TypedViewMut<'_, T> {
    /// What the tensor is.
    #[must_use]
    #[inline]
    pub fn descriptor(&self) -> &Descriptor {
        self.descriptor
    }

    /// The same tensor for reading.
    #[must_use]
    pub fn as_view(&self) -> TypedView<'_, T> {
        TypedView { descriptor: self.descriptor, elements: PhantomData }
    }

    /// Writes the element at an index; `false` when the index is out of range, and nothing is written.
    #[must_use]
    #[inline]
    pub fn set(&mut self, index: &[usize], value: T) -> bool {
        let Some(address) = self.descriptor.layout().offset(index).and_then(|o| address::<T>(self.descriptor, o))
        else {
            return false;
        };
        // SAFETY: an index in range of a writable tensor (invariant); `&mut self` is the only access here, and
        // condition 5 covers the others.
        unsafe { address.cast::<T::Raw>().write_unaligned(value.to_raw()) };
        true
    }

    /// Replaces each element by what `change` makes of it, in C order.
    #[inline]
    pub fn apply(&mut self, mut change: impl FnMut(T) -> T) {
        for offset in self.descriptor.layout().offsets() {
            let Some(address) = address::<T>(self.descriptor, offset) else { return };
            let address = address.cast::<T::Raw>();
            // SAFETY: the offset is that of an index in range; dtype and device are those of a view (invariant).
            let old = unsafe { read(self.descriptor, offset) };
            let new: T = change(old);
            // SAFETY: as in `set`.
            unsafe { address.write_unaligned(new.to_raw()) };
        }
    }

    /// Lends the elements as one slice, in C order.
    ///
    /// # Errors
    ///
    /// [`ViewError::NotContiguous`], [`ViewError::Misaligned`], or [`ViewError::InvalidValue`] when a byte of a boolean
    /// tensor is neither 0 nor 1.
    #[inline]
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], ViewError> {
        TypedViewMut { descriptor: self.descriptor, elements: PhantomData }.into_mut_slice()
    }
}

impl<'a, T: Element> TypedViewMut<'a, T> {
    /// Like [`as_mut_slice`](Self::as_mut_slice), for as long as the tensor is borrowed.
    ///
    /// # Errors
    ///
    /// As [`as_mut_slice`](Self::as_mut_slice).
    #[inline]
    pub fn into_mut_slice(self) -> Result<&'a mut [T], ViewError> {
        let Some(raw) = raw_slice::<T>(self.descriptor)? else {
            return Ok(&mut []);
        };
        // SAFETY: as in `TypedView::as_slice`; the reference ends before the mutable one begins.
        check_values::<T>(unsafe { &*raw })?;
        let slice = raw as *mut [T];
        // SAFETY: as in `TypedView::as_slice`; the tensor is writable and `&mut self` is the only access (condition 5).
        Ok(unsafe { &mut *slice })
    }
}

/// The dtype is that of `T`, and the host can read the memory.
#[inline]
fn check<T: Element>(descriptor: &Descriptor) -> Result<(), ViewError> {
    let (wanted, found): (DLDataType, DLDataType) = (T::DTYPE, descriptor.dtype());
    if wanted != found {
        return Err(ViewError::DType { wanted, found });
    }
    if !descriptor.is_host_readable() {
        return Err(ViewError::Device { device: descriptor.device() });
    }
    Ok(())
}

/// The address of the element `offset` elements from the first one.
#[inline]
fn address<T>(descriptor: &Descriptor, offset: i64) -> Option<*mut T> {
    Some(descriptor.data().cast::<T>().wrapping_offset(isize::try_from(offset).ok()?))
}

/// Reads the element `offset` elements from the first one.
///
/// # Safety
///
/// `offset` is that of an index in range, the dtype is that of `T`, and the memory is readable (condition 3).
#[inline]
unsafe fn read<T: Element>(descriptor: &Descriptor, offset: i64) -> T {
    // An offset within a described layout fits an `isize`: its bytes do (invariant 3 of `Descriptor`).
    let offset = isize::try_from(offset).unwrap_or_default();
    let address = descriptor.data().cast::<T::Raw>().wrapping_offset(offset);
    // SAFETY: vouched for by the caller; every bit pattern is a `T::Raw`.
    T::from_raw(unsafe { address.read_unaligned() })
}

/// The elements as a raw slice, or `None` for an empty tensor, whose pointer means nothing.
#[inline]
fn raw_slice<T: Element>(descriptor: &Descriptor) -> Result<Option<*mut [T::Raw]>, ViewError> {
    if !descriptor.layout().is_c_contiguous() {
        return Err(ViewError::NotContiguous);
    }
    if descriptor.layout().is_empty() {
        return Ok(None);
    }
    let first = descriptor.data().cast::<T::Raw>();
    if !first.is_aligned() {
        return Err(ViewError::Misaligned { needed: align_of::<T>() });
    }
    Ok(Some(core::ptr::slice_from_raw_parts_mut(first, descriptor.layout().size())))
}

#[inline]
fn check_values<T: Element>(raw: &[T::Raw]) -> Result<(), ViewError> {
    if T::ALL_BITS_VALID {
        return Ok(());
    }
    match raw.iter().position(|value| !T::is_valid(value)) {
        Some(at) => Err(ViewError::InvalidValue { at }),
        None => Ok(()),
    }
}
