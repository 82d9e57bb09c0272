//! From indices to element offsets.

use core::iter::FusedIterator;

use super::Layout;
use super::dims::Dims;

/// Finds the offset of the element at `index`, `None` when the index is outside the shape or of another rank.
#[inline]
pub(super) fn offset(shape: &[i64], strides: &[i64], index: &[usize]) -> Option<i64> {
    if index.len() != shape.len() {
        return None;
    }
    let mut offset = 0_i64;
    for ((&extent, &stride), &at) in shape.iter().zip(strides).zip(index) {
        let at = i64::try_from(at).ok().filter(|&at| at < extent)?;
        offset = offset.checked_add(at.checked_mul(stride)?)?;
    }
    Some(offset)
}

/// An iterator over the offset of each element, last axis fastest; made by [`Layout::offsets`].
///
/// A step inside a row is one addition. Additions wrap: every offset that is handed out fits, only the one
/// after the last of a row need not.
#[derive(Clone, Debug)]
pub struct Offsets<'a> {
    /// Extents and strides of all axes but the last.
    outer_shape: &'a [i64],
    outer_strides: &'a [i64],
    /// The index of the current row on each outer axis.
    row: Dims,
    /// The offset of the first element of the current row.
    row_start: i64,
    inner_extent: i64,
    inner_stride: i64,
    /// The next offset, if any is left in this row.
    next: i64,
    left_in_row: i64,
    left: usize,
}

impl<'a> Offsets<'a> {
    /// Starts at the first element of `layout`.
    pub(super) fn new(layout: &'a Layout) -> Self {
        let (&inner_extent, outer_shape) = layout.shape().split_last().unwrap_or((&1, &[]));
        let (&inner_stride, outer_strides) = layout.strides().split_last().unwrap_or((&0, &[]));
        Self {
            outer_shape,
            outer_strides,
            row: Dims::zeros(outer_shape.len()),
            row_start: 0,
            inner_extent,
            inner_stride,
            next: 0,
            left_in_row: inner_extent,
            left: layout.size(),
        }
    }

    /// Goes to the first element of the next row, from the last row to the first.
    fn next_row(&mut self) {
        let axes = self.outer_shape.iter().zip(self.outer_strides).zip(self.row.as_mut_slice());
        for ((&extent, &stride), index) in axes.rev() {
            let last = extent.wrapping_sub(1);
            if *index < last {
                *index = index.wrapping_add(1);
                self.row_start = self.row_start.wrapping_add(stride);
                break;
            }
            *index = 0;
            self.row_start = self.row_start.wrapping_sub(last.wrapping_mul(stride));
        }
        self.next = self.row_start;
        self.left_in_row = self.inner_extent;
    }
}

impl Iterator for Offsets<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        self.left = self.left.checked_sub(1)?;
        if self.left_in_row == 0 {
            self.next_row();
        }
        let offset = self.next;
        self.next = offset.wrapping_add(self.inner_stride);
        self.left_in_row = self.left_in_row.wrapping_sub(1);
        Some(offset)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Offsets<'_> {}
impl FusedIterator for Offsets<'_> {}
