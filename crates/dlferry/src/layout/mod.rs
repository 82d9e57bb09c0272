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
pub(crate) mod text;
mod units;
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
    facts: Facts,
}

/// What follows from a shape and strides.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Facts {
    size: usize,
    /// Of a single element when there is none.
    span: Span,
    /// There are elements, and they fill memory upwards, last axis fastest.
    row_major: bool,
}

impl Facts {
    const SCALAR: Self = Self { size: 1, span: Span::ONE, row_major: true };
    const NOTHING: Self = Self { size: 0, span: Span::ONE, row_major: false };

    /// Becomes what is true of elements without gaps, last axis fastest.
    #[inline]
    fn set_row_major(&mut self, size: usize) -> Result<(), LayoutError> {
        self.span.highest = i64::try_from(size.saturating_sub(1)).map_err(|_| LayoutError::SizeOverflow)?;
        self.span.lowest = 0;
        self.size = size;
        self.row_major = size > 0;
        Ok(())
    }

    #[inline]
    fn of(shape: &[i64], strides: &[i64]) -> Result<Self, LayoutError> {
        let mut this = Self::NOTHING;
        this.set(shape, strides)?;
        Ok(this)
    }

    /// Checks what a [`Layout`] promises and counts on the way.
    #[inline]
    fn set(&mut self, shape: &[i64], strides: &[i64]) -> Result<(), LayoutError> {
        if shape.len() != strides.len() {
            return Err(LayoutError::RankMismatch { shape: shape.len(), strides: strides.len() });
        }
        if let Some(size) = contiguity::row_major_size(shape, strides) {
            // Most tensors are: everything is known from the product of the extents.
            return self.set_row_major(size);
        }
        self.size = element_count(shape)?;
        self.span = if self.size == 0 { Span::ONE } else { span_of_some(shape, strides)? };
        self.row_major = false;
        Ok(())
    }
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
        let facts = Facts::of(shape, strides)?;
        Ok(Self { shape: Dims::from_slice(shape), strides: Dims::from_slice(strides), facts })
    }

    /// Becomes the layout of a shape and strides, where it is: moving a layout costs more than making
    /// one. Of no use to anybody when they are refused.
    #[inline]
    pub(crate) fn fill(&mut self, shape: &[i64], strides: &[i64]) -> Result<(), LayoutError> {
        // Of elements of one byte both units are the same.
        if self.fill_row_major(shape, strides, 1).is_some() {
            return Ok(());
        }
        self.facts.set(shape, strides)?;
        if shape.len() > dims::INLINE {
            (self.shape, self.strides) = (Dims::from_slice(shape), Dims::from_slice(strides));
        } else {
            self.shape.fill(shape.iter().copied());
            self.strides.fill(strides.iter().copied());
        }
        Ok(())
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
        Self { shape: Dims::none(), strides: Dims::none(), facts: Facts::SCALAR }
    }

    /// What [`Self::fill`] makes something of: one axis without elements.
    #[inline]
    pub(crate) fn blank() -> Self {
        Self { shape: Dims::one(0), strides: Dims::one(1), facts: Facts::NOTHING }
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
        self.facts.size
    }

    /// Says whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.size == 0
    }

    /// Says whether the elements, last axis fastest, fill memory upwards without a gap; see
    /// [`is_c_contiguous`].
    #[inline]
    #[must_use]
    pub fn is_c_contiguous(&self) -> bool {
        self.facts.row_major || is_c_contiguous(self.shape(), self.strides())
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
        if self.is_empty() { None } else { Some(self.facts.span) }
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

    /// Whether there are elements and they fill memory upwards, last axis fastest; `false` may be wrong for some that do.
    #[inline]
    pub(crate) fn is_known_row_major(&self) -> bool {
        self.facts.row_major
    }

    /// Says whether two different indices reach the same element; `true` may be wrong, see [`has_overlap`].
    #[inline]
    #[must_use]
    pub fn has_overlap(&self) -> bool {
        !self.facts.row_major && has_overlap(self.shape(), self.strides())
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
        // The elements fill memory in another order too, perhaps, but the same elements.
        let mut facts = Facts::NOTHING;
        facts.set_row_major(size)?;
        facts.row_major = contiguity::row_major_size(shape, strides.as_slice()).is_some();
        Ok(Self { shape: Dims::from_slice(shape), strides, facts })
    }

    /// Takes a shape and strides that were derived from those of a layout.
    #[inline]
    fn from_dims(shape: Dims, strides: Dims) -> Option<Self> {
        let facts = Facts::of(shape.as_slice(), strides.as_slice()).ok()?;
        Some(Self { shape, strides, facts })
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layout").field("shape", &self.shape()).field("strides", &self.strides()).finish()
    }
}
