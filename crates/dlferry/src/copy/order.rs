use alloc::vec::Vec;

use super::CopyError;
use crate::layout::{Layout, c_strides};

/// Up to this many axes are laid out in place.
const INLINE: usize = 8;

/// In which order a copy's elements lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Row-major: the last axis is the fastest.
    #[default]
    C,
    /// Column-major: the first axis is the fastest.
    F,
    /// As near to the source's own order as there can be without gaps.
    K,
}

impl Order {
    /// Passes on the strides of a layout's elements in this order, without gaps.
    pub(super) fn strides<R>(self, source: &Layout, pass: impl FnOnce(&[i64]) -> R) -> Result<R, CopyError> {
        let mut places = [0; INLINE];
        if let (Self::C, Some(strides)) = (self, places.get_mut(..source.ndim())) {
            // A layout is no larger for being dense: its size is known to fit.
            c_strides(source.shape(), strides);
            return Ok(pass(strides));
        }
        Ok(pass(self.layout(source)?.strides()))
    }

    fn layout(self, source: &Layout) -> Result<Layout, CopyError> {
        Ok(match self {
            Self::C => Layout::c_contiguous(source.shape())?,
            Self::F => Layout::f_contiguous(source.shape())?,
            Self::K => keep(source)?,
        })
    }
}

/// The axes from the slowest to the fastest as in the source, laid out without gaps.
fn keep(source: &Layout) -> Result<Layout, CopyError> {
    let mut axes: Vec<usize> = (0..source.ndim()).collect();
    let stride = |axis: &usize| source.strides().get(*axis).map_or(0, |stride| stride.unsigned_abs());
    axes.sort_by_key(|axis| core::cmp::Reverse(stride(axis)));
    let extents: Vec<i64> = axes.iter().filter_map(|axis| source.shape().get(*axis).copied()).collect();
    let dense = Layout::c_contiguous(&extents)?;
    let mut back: Vec<usize> = (0..axes.len()).collect();
    back.sort_by_key(|place| axes.get(*place).copied());
    match dense.permuted(&back) {
        Some(layout) => Ok(layout),
        None => Ok(Layout::c_contiguous(source.shape())?),
    }
}
