//! Another shape for the same elements in the same order.

use super::Layout;
use super::count::element_count;
use super::dims::Dims;

impl Layout {
    /// Reads the elements, last axis fastest, as a tensor of another shape, `None` when that takes a copy.
    ///
    /// The first element stays the first. `None` also for a shape of another size or with a negative extent:
    /// an extent of -1 is for the caller to work out.
    ///
    /// ```
    /// # use dlferry::layout::{Layout, LayoutError};
    /// let every_other_column = Layout::new(&[4, 3], &[6, 2])?;
    /// let flat = every_other_column.reshaped(&[12]).expect("the rows follow each other evenly");
    /// assert_eq!(flat.strides(), [2]);
    /// let left_half = Layout::new(&[4, 3], &[6, 1])?;
    /// assert_eq!(left_half.reshaped(&[12]), None);
    /// # Ok::<(), LayoutError>(())
    /// ```
    #[must_use]
    pub fn reshaped(&self, shape: &[i64]) -> Option<Self> {
        if element_count(shape).ok()? != self.size() {
            return None;
        }
        if self.is_empty() {
            return Self::c_contiguous(shape).ok();
        }
        let mut strides = Dims::zeros(shape.len());
        split_runs(self, shape, strides.as_mut_slice())?;
        Self::from_dims(Dims::from_slice(shape), strides)
    }
}

/// Joins axes to the longest runs of evenly spaced elements and splits these anew, from the fastest axis to
/// the slowest.
///
/// Each run must be split without a rest: an axis that went over the end of a run would change its stride
/// there.
fn split_runs(from: &Layout, shape: &[i64], strides: &mut [i64]) -> Option<()> {
    let mut places = strides.iter_mut().zip(shape).rev().peekable();
    let mut axes = from.shape().iter().zip(from.strides()).rev().filter(|(extent, _)| **extent != 1).peekable();
    while let Some((&extent, &base)) = axes.next() {
        let mut run = extent;
        while let Some((&extent, _)) = axes.next_if(|(_, stride)| run.checked_mul(base) == Some(**stride)) {
            run = run.checked_mul(extent)?;
        }
        let mut done = 1_i64;
        while let Some((stride, &extent)) = places.next_if(|(_, extent)| **extent == 1 || done < run) {
            // Saturates only on an axis of extent 1 that leads a run, where the stride carries no meaning.
            *stride = done.saturating_mul(base);
            done = done.checked_mul(extent)?;
        }
        if done != run {
            return None;
        }
    }
    // Sizes are equal, so what is left has extent 1: all of it when the size is 1, else nothing.
    places.for_each(|(stride, _)| *stride = 1);
    Some(())
}
