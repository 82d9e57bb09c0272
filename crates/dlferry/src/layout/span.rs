//! From where to where the elements reach.

use core::ops::Range;

use super::LayoutError;

/// The offsets of the lowest and the highest element, counted in elements from the first; both are elements.
///
/// The first element is the one whose index is zero on each axis; so `lowest` is never above zero and
/// `highest` never below. The distance between them fits in `i64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The offset of the lowest element, zero or negative.
    pub lowest: i64,
    /// The offset of the highest element, zero or positive.
    pub highest: i64,
}

impl Span {
    /// The span of a single element.
    pub(super) const ONE: Self = Self { lowest: 0, highest: 0 };

    /// Returns the bytes that elements of `bits` bits occupy, relative to the address of the first.
    ///
    /// Elements that are no whole number of bytes are packed: the range begins with the byte that holds the
    /// lowest bit and ends with the byte that holds the highest.
    ///
    /// # Errors
    ///
    /// [`LayoutError::ByteOverflow`] when an end of the range or its length does not fit in `isize`.
    #[inline]
    pub fn byte_range(self, bits: u32) -> Result<Range<isize>, LayoutError> {
        if let Some(range) = self.whole_bytes(bits) {
            return Ok(range);
        }
        // 64 bits times 32 bits stays far below 128. The shift rounds down, also below zero.
        let bit = |offset: i128| offset.saturating_mul(i128::from(bits));
        let start = bit(i128::from(self.lowest)) >> 3;
        let end = bit(i128::from(self.highest).saturating_add(1)).saturating_add(7) >> 3;
        match (isize::try_from(start), isize::try_from(end)) {
            (Ok(start), Ok(end)) if end.checked_sub(start).is_some() => Ok(start..end),
            _ => Err(LayoutError::ByteOverflow { bits }),
        }
    }

    /// The range of elements of whole bytes, when it fits; what does not is left to [`Self::byte_range`].
    #[inline]
    fn whole_bytes(self, bits: u32) -> Option<Range<isize>> {
        if bits % 8 != 0 {
            return None;
        }
        let bytes = i64::from(bits >> 3);
        let start = isize::try_from(self.lowest.checked_mul(bytes)?).ok()?;
        let end = isize::try_from(self.highest.checked_add(1)?.checked_mul(bytes)?).ok()?;
        end.checked_sub(start).is_some().then_some(start..end)
    }
}

/// Finds the span of the elements, `None` when there are none.
///
/// Extents are taken to be zero or more, as [`element_count`](super::element_count) checks. The strides of
/// axes of extent 1, and every stride of an empty tensor, are not looked at.
///
/// # Errors
///
/// [`LayoutError::SpanOverflow`] when an offset or the distance from lowest to highest does not fit in `i64`.
#[inline]
pub fn span(shape: &[i64], strides: &[i64]) -> Result<Option<Span>, LayoutError> {
    if shape.contains(&0) { Ok(None) } else { span_of_some(shape, strides).map(Some) }
}

/// Finds the span of a tensor that is known to have elements.
#[inline]
pub(super) fn span_of_some(shape: &[i64], strides: &[i64]) -> Result<Span, LayoutError> {
    let Span { mut lowest, mut highest } = Span::ONE;
    let mut overflows = false;
    for (&extent, &stride) in shape.iter().zip(strides) {
        if extent > 1 {
            let (reach, too_far) = extent.wrapping_sub(1).overflowing_mul(stride);
            let (low, too_low) = lowest.overflowing_add(reach.min(0));
            let (high, too_high) = highest.overflowing_add(reach.max(0));
            (lowest, highest) = (low, high);
            overflows |= too_far | too_low | too_high;
        }
    }
    if overflows || highest.checked_sub(lowest).is_none() {
        return Err(LayoutError::SpanOverflow);
    }
    Ok(Span { lowest, highest })
}
