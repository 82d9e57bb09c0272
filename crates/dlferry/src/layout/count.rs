//! How many elements a shape has.

use super::LayoutError;

/// Counts the elements of a shape.
///
/// One extent of zero makes the count zero, however large the others are: an empty tensor never overflows.
///
/// # Errors
///
/// [`LayoutError::NegativeExtent`] for an extent below zero, also beside an extent of zero, and
/// [`LayoutError::SizeOverflow`] when the count does not fit in `isize`.
#[inline]
pub fn element_count(shape: &[i64]) -> Result<usize, LayoutError> {
    let mut count = 1_i64;
    let mut is_empty = false;
    let mut overflows = false;
    for (axis, &extent) in shape.iter().enumerate() {
        if extent < 0 {
            return Err(LayoutError::NegativeExtent { axis, extent });
        }
        let (product, overflow) = count.overflowing_mul(extent);
        count = product;
        is_empty |= extent == 0;
        overflows |= overflow;
    }
    if is_empty {
        return Ok(0);
    }
    // `isize` is the narrower on 32-bit machines; what fits there and is not negative fits in `usize`.
    match isize::try_from(count).map(usize::try_from) {
        Ok(Ok(count)) if !overflows => Ok(count),
        _ => Err(LayoutError::SizeOverflow),
    }
}
