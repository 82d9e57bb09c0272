//! Layouts of parts and other arrangements of the same elements.
//!
//! A view of an empty tensor is empty. Where a view begins elsewhere, the offset of its first element comes
//! with it, counted in elements from the first of the original; it is 0 for an empty view.

use super::contiguity::row_major_size;
use super::dims::Dims;
use super::{Facts, Layout};

impl Layout {
    /// Fixes the index on one axis, which disappears, and gives the offset of the new first element.
    ///
    /// `None` when there is no such axis or the index is outside of it.
    #[must_use]
    pub fn index_axis(&self, axis: usize, index: usize) -> Option<(Self, i64)> {
        let (extent, stride) = self.axis(axis)?;
        let index = i64::try_from(index).ok().filter(|&index| index < extent)?;
        self.removed(axis)?.starting_at(index, stride)
    }

    /// Picks `len` indices of one axis, from `start` on each `step`-th, and gives the offset of the new first
    /// element.
    ///
    /// `step` may be negative. `None` when there is no such axis, when `step` is zero or when a picked index
    /// is outside of the axis; with `len` zero nothing is picked and any `start` will do.
    #[must_use]
    pub fn slice_axis(&self, axis: usize, start: usize, len: usize, step: i64) -> Option<(Self, i64)> {
        let (extent, stride) = self.axis(axis)?;
        let len = i64::try_from(len).ok()?;
        let start = if len == 0 { 0 } else { i64::try_from(start).ok()? };
        // The reach of the steps only matters when there is more than one index.
        let end = if len > 1 { start.checked_add(step.checked_mul(len.checked_sub(1)?)?)? } else { start };
        if step == 0 || (len > 0 && !(start < extent && (0..extent).contains(&end))) {
            return None;
        }
        let mut view = self.clone();
        *view.shape.as_mut_slice().get_mut(axis)? = len;
        // Saturates only where strides carry no meaning: on an axis of extent 1 or in an empty tensor.
        *view.strides.as_mut_slice().get_mut(axis)? = stride.saturating_mul(step);
        Self::from_dims(view.shape, view.strides)?.starting_at(start, stride)
    }

    /// Puts the axes in another order: axis `i` of the result is axis `axes[i]` of this layout.
    ///
    /// `None` unless `axes` names each axis once.
    #[must_use]
    pub fn permuted(&self, axes: &[usize]) -> Option<Self> {
        if axes.len() != self.ndim() || !(0..self.ndim()).all(|axis| axes.contains(&axis)) {
            return None;
        }
        let pick =
            |from: &[i64]| Dims::collect(axes.len(), axes.iter().map(|&axis| from.get(axis).copied().unwrap_or(0)));
        Self::from_dims(pick(self.shape()), pick(self.strides()))
    }

    /// Puts the axes in reverse order.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let reverse = |from: &[i64]| Dims::collect(from.len(), from.iter().rev().copied());
        let (shape, strides) = (reverse(self.shape()), reverse(self.strides()));
        // The same elements, so all that is true of them as a set stays true.
        let row_major = row_major_size(shape.as_slice(), strides.as_slice()).is_some();
        Self { shape, strides, facts: Facts { row_major, ..self.facts } }
    }

    /// Inserts an axis of extent 1 before axis `at`, or as the last one; `None` when `at` is beyond that.
    ///
    /// The stride of the new axis carries no meaning; it is the one that keeps a row-major layout row-major
    /// to the letter.
    #[must_use]
    pub fn with_axis(&self, at: usize) -> Option<Self> {
        // Beyond the last axis there is nothing to follow, and further beyond no place to insert anything.
        let stride = self.axis(at).map_or(1, |(extent, stride)| stride.saturating_mul(extent.max(1)));
        let insert = |from: &[i64], value: i64| {
            let (before, after) = from.split_at_checked(at)?;
            let values = before.iter().copied().chain([value]).chain(after.iter().copied());
            Some(Dims::collect(from.len().checked_add(1)?, values))
        };
        Self::from_dims(insert(self.shape(), 1)?, insert(self.strides(), stride)?)
    }

    /// Drops an axis of extent 1; `None` when there is no such axis or its extent is another.
    #[must_use]
    pub fn without_axis(&self, axis: usize) -> Option<Self> {
        self.axis(axis).filter(|&(extent, _)| extent == 1)?;
        self.removed(axis)
    }

    /// Repeats axes of extent 1, and the whole along new leading axes, until the shape is `shape`.
    ///
    /// Repeated axes have stride 0. `None` when an axis of another extent would have to change, or when the
    /// result would not be a layout.
    #[must_use]
    pub fn broadcast_to(&self, shape: &[i64]) -> Option<Self> {
        let mut strides = Dims::zeros(shape.len());
        let added = shape.len().checked_sub(self.ndim())?;
        let places = strides.as_mut_slice().iter_mut().zip(shape).skip(added);
        for ((place, &wanted), (&extent, &stride)) in places.zip(self.shape().iter().zip(self.strides())) {
            if wanted == extent {
                *place = stride;
            } else if extent != 1 {
                return None;
            }
        }
        Self::from_dims(Dims::from_slice(shape), strides)
    }

    /// Returns extent and stride of an axis.
    fn axis(&self, axis: usize) -> Option<(i64, i64)> {
        Some((*self.shape().get(axis)?, *self.strides().get(axis)?))
    }

    /// Leaves out an axis, as if its index were zero.
    fn removed(&self, axis: usize) -> Option<Self> {
        let remove = |from: &[i64]| {
            let (before, after) = from.split_at_checked(axis)?;
            let values = before.iter().chain(after.iter().skip(1)).copied();
            Some(Dims::collect(from.len().checked_sub(1)?, values))
        };
        Self::from_dims(remove(self.shape())?, remove(self.strides())?)
    }

    /// Adds the offset that `index` on an axis of stride `stride` leads to.
    fn starting_at(self, index: i64, stride: i64) -> Option<(Self, i64)> {
        let offset = if self.is_empty() { 0 } else { index.checked_mul(stride)? };
        Some((self, offset))
    }
}
