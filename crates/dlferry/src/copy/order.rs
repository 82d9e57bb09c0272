use alloc::vec::Vec;

use super::CopyError;
use crate::layout::Layout;

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
    pub(super) fn layout(self, source: &Layout) -> Result<Layout, CopyError> {
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
