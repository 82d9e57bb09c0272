//! Extents and strides as `ndarray` wants them. Arithmetic alone: no pointer is touched here.

use ::ndarray::{Dimension, Shape, ShapeBuilder, StrideShape};
use alloc::vec::Vec;

use crate::view::ViewError;

/// What makes an array view of an address, beside the address.
///
/// `ndarray` is given strides that are not negative; the axes that run backwards are turned round afterwards.
pub(super) struct Parts<D> {
    pub(super) shape: StrideShape<D>,
    /// From the first element to the one at the lowest address, in elements; 0 or less.
    pub(super) lowest: isize,
    /// The axes that run backwards.
    pub(super) reversed: Vec<usize>,
}

/// Takes extents and strides of a layout: as many of one as of the other, none negative, and no further apart than
/// fits an `isize` in bytes.
///
/// Where there are elements, that is all that `ndarray` asks of an array's shape. Where there are none, it asks the same
/// of the extents other than zero.
pub(super) fn parts<D: Dimension>(shape: &[i64], strides: &[i64], item: usize) -> Result<Parts<D>, ViewError> {
    let found = shape.len();
    let mut extents = D::zeros(D::NDIM.unwrap_or(found));
    if extents.ndim() != found {
        return Err(ViewError::Rank { wanted: extents.ndim(), found });
    }
    let mut steps = extents.clone();
    for (place, extent) in extents.slice_mut().iter_mut().zip(shape) {
        *place = usize::try_from(*extent).map_err(|_| ViewError::Extents)?;
    }
    if shape.contains(&0) {
        check_empty(extents.slice(), item)?;
        let shape = Shape::from(extents);
        return Ok(Parts { shape: shape.into(), lowest: 0, reversed: Vec::new() });
    }
    let mut lowest = 0_isize;
    let mut reversed = Vec::new();
    for (axis, (place, (extent, stride))) in steps.slice_mut().iter_mut().zip(shape.iter().zip(strides)).enumerate() {
        // The stride of an axis without a second element means nothing, and may be any number.
        if *extent == 1 {
            *place = 1;
            continue;
        }
        *place = usize::try_from(stride.unsigned_abs()).map_err(|_| ViewError::Extents)?;
        if *stride < 0 {
            let reach = extent.checked_sub(1).and_then(|last| last.checked_mul(*stride));
            let reach = reach.and_then(|reach| isize::try_from(reach).ok());
            lowest = reach.and_then(|reach| lowest.checked_add(reach)).ok_or(ViewError::Extents)?;
            reversed.push(axis);
        }
    }
    Ok(Parts { shape: extents.strides(steps), lowest, reversed })
}

/// The extents other than zero are those of an array that could be in memory.
fn check_empty(extents: &[usize], item: usize) -> Result<(), ViewError> {
    let mut bytes = isize::try_from(item).ok();
    for extent in extents.iter().filter(|extent| **extent != 0) {
        bytes = bytes.and_then(|bytes| bytes.checked_mul(isize::try_from(*extent).ok()?));
    }
    bytes.map(drop).ok_or(ViewError::Extents)
}

/// Whether elements of one axis lie between those of another, so that `ndarray` takes them for overlapping, which they
/// need not be: it looks whether each stride is beyond all that the smaller ones reach.
pub(super) fn is_interleaved(shape: &[i64], strides: &[i64]) -> bool {
    if shape.contains(&0) {
        return false;
    }
    let axes = shape.iter().zip(strides).filter(|(extent, _)| **extent > 1);
    let mut axes: Vec<_> = axes.map(|(extent, stride)| (stride.unsigned_abs(), extent.unsigned_abs())).collect();
    axes.sort_unstable();
    let mut reach = 0_u64;
    axes.iter().any(|(stride, extent)| {
        let inside = *stride <= reach;
        reach = reach.saturating_add(extent.saturating_sub(1).saturating_mul(*stride));
        inside
    })
}
