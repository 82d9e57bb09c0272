//! Shape and stride arithmetic, without a pointer.
//!
//! Whatever is true of a tensor before one looks at its memory is worked out here: how many elements it has,
//! which bytes they occupy, whether they are contiguous, whether two indices share one. Import, export, views
//! and copies all ask here, and none of it needs `unsafe`. Extents and strides are `i64`, as in DLPack, and
//! strides count elements.
//!
//! [`Layout`] is a shape and strides for which all of that is known to fit. The functions beside it answer
//! single questions about slices.
//!
//! # What carries no meaning
//!
//! The stride of an axis of extent 1 is never used, for its index is always zero; nor is any stride of an
//! empty tensor. Producers write anything there: zeros, 77, or what another axis once had. Such strides are
//! kept and handed on but never judged: they cannot overflow, cannot overlap, and do not make a layout less
//! contiguous.
//!
//! # Examples
//!
//! ```
//! use dlferry::layout::{Layout, LayoutError, Span};
//!
//! let rows = Layout::c_contiguous(&[4, 6])?;
//! assert_eq!(rows.strides(), [6, 1]);
//!
//! // Each second column, last one first: the view begins at element 5 and reaches back from there.
//! let (view, first) = rows.slice_axis(1, 5, 3, -2).expect("5, 3 and 1 are columns");
//! assert_eq!((view.shape(), view.strides(), first), (&[4, 3][..], &[6, -2][..], 5));
//! assert_eq!(view.span(), Some(Span { lowest: -4, highest: 18 }));
//! assert_eq!(view.byte_range(32)?, -16..76);
//!
//! // An empty tensor never overflows; one with elements may.
//! assert_eq!(Layout::c_contiguous(&[i64::MAX, 4, 0])?.size(), 0);
//! assert_eq!(Layout::c_contiguous(&[i64::MAX, 4]), Err(LayoutError::SizeOverflow));
//! # Ok::<(), LayoutError>(())
//! ```

mod contiguity;
mod count;
mod dims;
mod error;
mod index;
mod overlap;
mod reshape;
mod span;
mod strides;
mod views;

#[cfg(test)]
mod tests;

use core::fmt;
use core::ops::Range;

pub use contiguity::{is_c_contiguous, is_f_contiguous};
pub use count::element_count;
pub use error::LayoutError;
pub use index::Offsets;
pub use overlap::has_overlap;
pub use span::{Span, span};
pub use strides::{c_strides, f_strides};

use dims::Dims;
use span::span_of_some;

/// A shape and strides that fit together.
///
/// Each layout has these properties, which the constructors check and the methods rely on:
///
/// 1. There are as many strides as extents.
/// 2. No extent is negative.
/// 3. The number of elements fits in `isize`.
/// 4. The offset of each element, and the distance between any two, fits in `i64`.
///
/// Up to eight axes are stored in place; a layout of more allocates.
///
/// Equal layouts have equal shapes and strides, also where strides carry no meaning.
#[derive(Clone, PartialEq, Eq)]
pub struct Layout {
    shape: Dims,
    strides: Dims,
    size: usize,
    /// Of a single element when there is none.
    span: Span,
}

impl Layout {
    /// Takes a shape and strides, the latter in elements.
    ///
    /// # Errors
    ///
    /// [`LayoutError::RankMismatch`], [`LayoutError::NegativeExtent`], [`LayoutError::SizeOverflow`] or
    /// [`LayoutError::SpanOverflow`], the first that applies.
    #[inline]
    pub fn new(shape: &[i64], strides: &[i64]) -> Result<Self, LayoutError> {
        let (size, span) = check(shape, strides)?;
        Ok(Self { shape: Dims::from_slice(shape), strides: Dims::from_slice(strides), size, span })
    }

    /// Becomes the layout of a shape and strides, where it is: moving a layout costs more than making one. Stays what it
    /// was when they are refused.
    #[inline]
    pub(crate) fn refill(&mut self, shape: &[i64], strides: &[i64]) -> Result<(), LayoutError> {
        let (size, span) = check(shape, strides)?;
        self.shape.refill(shape);
        self.strides.refill(strides);
        self.size = size;
        self.span = span;
        Ok(())
    }

    /// Becomes the layout of axes whose strides count bytes, of elements of `1 << shift` bytes, where it is and in one go.
    ///
    /// Gives the bytes that the elements occupy, as [`Self::byte_range`]. `None` when anything is out of the ordinary: no
    /// layout, a stride that is no whole number of elements, too many axes to be in place. Then this layout is of no use.
    #[inline]
    pub(crate) fn refill_from_bytes(&mut self, shape: &[isize], strides: &[isize], shift: u32) -> Option<Range<isize>> {
        let extents = self.shape.resize(shape.len())?;
        let steps = self.strides.resize(strides.len())?;
        let item = 1_isize.checked_shl(shift)?;
        let rest = item.wrapping_sub(1);
        let (mut count, mut low, mut high) = (1_isize, 0_isize, 0_isize);
        let (mut is_odd, mut is_empty) = (extents.len() != steps.len(), false);
        for ((place, step), (&extent, &stride)) in extents.iter_mut().zip(steps).zip(shape.iter().zip(strides)) {
            *place = i64::try_from(extent).ok()?;
            *step = i64::try_from(stride >> shift).ok()?;
            let (product, overflows) = count.overflowing_mul(extent);
            count = product;
            is_empty |= extent == 0;
            // The stride of a single element carries no meaning.
            let stride = if extent > 1 { stride } else { 0 };
            let (reach, too_far) = extent.wrapping_sub(1).overflowing_mul(stride);
            let (lower, too_low) = low.overflowing_add(reach.min(0));
            let (higher, too_high) = high.overflowing_add(reach.max(0));
            (low, high) = (lower, higher);
            let (is_uneven, is_negative) = (stride & rest != 0, extent < 0);
            is_odd |= overflows | too_far | too_low | too_high | is_uneven | is_negative;
        }
        let (end, too_high) = high.overflowing_add(item);
        if is_odd || is_empty || too_high || end.checked_sub(low).is_none() {
            return None;
        }
        self.size = count.unsigned_abs();
        self.span = Span { lowest: i64::try_from(low >> shift).ok()?, highest: i64::try_from(high >> shift).ok()? };
        Some(low..end)
    }

    /// Takes a shape and makes it row-major: contiguous, last axis fastest.
    ///
    /// The strides are written for an empty tensor too, with extents of zero counted as one.
    ///
    /// # Errors
    ///
    /// [`LayoutError::NegativeExtent`] or [`LayoutError::SizeOverflow`].
    #[inline]
    pub fn c_contiguous(shape: &[i64]) -> Result<Self, LayoutError> {
        Self::contiguous(shape, c_strides)
    }

    /// Takes a shape and makes it column-major: contiguous, first axis fastest.
    ///
    /// The strides are written for an empty tensor too, with extents of zero counted as one.
    ///
    /// # Errors
    ///
    /// [`LayoutError::NegativeExtent`] or [`LayoutError::SizeOverflow`].
    #[inline]
    pub fn f_contiguous(shape: &[i64]) -> Result<Self, LayoutError> {
        Self::contiguous(shape, f_strides)
    }

    /// Makes the layout of a single element without axes.
    #[inline]
    #[must_use]
    pub fn scalar() -> Self {
        Self { shape: Dims::zeros(0), strides: Dims::zeros(0), size: 1, span: Span::ONE }
    }

    /// Makes the layout of no element, on one axis.
    #[inline]
    pub(crate) fn nothing() -> Self {
        Self { shape: Dims::zeros(1), strides: Dims::zeros(1), size: 0, span: Span::ONE }
    }

    /// Returns the extent of each axis.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        self.shape.as_slice()
    }

    /// Returns the stride of each axis, in elements.
    #[inline]
    #[must_use]
    pub fn strides(&self) -> &[i64] {
        self.strides.as_slice()
    }

    /// Returns the number of axes.
    #[inline]
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// Returns the number of elements.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Says whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Says whether the elements, last axis fastest, fill memory upwards without a gap; see
    /// [`is_c_contiguous`].
    #[inline]
    #[must_use]
    pub fn is_c_contiguous(&self) -> bool {
        is_c_contiguous(self.shape(), self.strides())
    }

    /// Says whether the elements, first axis fastest, fill memory upwards without a gap; see
    /// [`is_f_contiguous`].
    #[inline]
    #[must_use]
    pub fn is_f_contiguous(&self) -> bool {
        is_f_contiguous(self.shape(), self.strides())
    }

    /// Returns the offsets of the lowest and the highest element, `None` when there are no elements.
    #[inline]
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        if self.is_empty() { None } else { Some(self.span) }
    }

    /// Returns the bytes that elements of `bits` bits occupy, relative to the address of the first; see
    /// [`Span::byte_range`]. Without elements that is `0..0`.
    ///
    /// # Errors
    ///
    /// [`LayoutError::ByteOverflow`] when an end of the range or its length does not fit in `isize`.
    #[inline]
    pub fn byte_range(&self, bits: u32) -> Result<Range<isize>, LayoutError> {
        self.span().map_or(Ok(0..0), |span| span.byte_range(bits))
    }

    /// Says whether two different indices reach the same element; `true` may be wrong, see [`has_overlap`].
    #[inline]
    #[must_use]
    pub fn has_overlap(&self) -> bool {
        has_overlap(self.shape(), self.strides())
    }

    /// Finds the offset of the element at `index`, `None` when the index is outside the shape or of another
    /// rank.
    #[inline]
    #[must_use]
    pub fn offset(&self, index: &[usize]) -> Option<i64> {
        index::offset(self.shape(), self.strides(), index)
    }

    /// Goes through the offsets of all elements, last axis fastest.
    #[inline]
    #[must_use]
    pub fn offsets(&self) -> Offsets<'_> {
        Offsets::new(self)
    }

    /// Takes a shape and the function that writes its strides.
    #[inline]
    fn contiguous(shape: &[i64], write: fn(&[i64], &mut [i64])) -> Result<Self, LayoutError> {
        let size = element_count(shape)?;
        let mut strides = Dims::zeros(shape.len());
        write(shape, strides.as_mut_slice());
        let highest = i64::try_from(size.saturating_sub(1)).map_err(|_| LayoutError::SizeOverflow)?;
        Ok(Self { shape: Dims::from_slice(shape), strides, size, span: Span { lowest: 0, highest } })
    }

    /// Takes a shape and strides that were derived from those of a layout.
    #[inline]
    fn from_dims(shape: Dims, strides: Dims) -> Option<Self> {
        let (size, span) = check(shape.as_slice(), strides.as_slice()).ok()?;
        Some(Self { shape, strides, size, span })
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layout").field("shape", &self.shape()).field("strides", &self.strides()).finish()
    }
}

/// Checks what a [`Layout`] promises and counts on the way.
#[inline]
fn check(shape: &[i64], strides: &[i64]) -> Result<(usize, Span), LayoutError> {
    if shape.len() != strides.len() {
        return Err(LayoutError::RankMismatch { shape: shape.len(), strides: strides.len() });
    }
    let size = element_count(shape)?;
    let span = if size == 0 { Span::ONE } else { span_of_some(shape, strides)? };
    Ok((size, span))
}
