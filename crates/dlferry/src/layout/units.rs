//! Strides in bytes, as all but DLPack count them.

use alloc::vec::Vec;

use super::dims::INLINE;
use super::{Layout, LayoutError};

impl Layout {
    /// Takes a shape and strides in bytes, of elements of `item` bytes.
    ///
    /// Where a stride carries no meaning, on an axis of extent 1 or without elements, it need not be a whole number of
    /// elements, and is rounded down.
    ///
    /// # Errors
    ///
    /// [`LayoutError::PartialStride`] for elements at other distances, or of no bytes; else as [`Self::new`].
    pub fn from_bytes(shape: &[i64], strides: &[i64], item: usize) -> Result<Self, LayoutError> {
        let partial = |bytes: i64| LayoutError::PartialStride { bytes, item };
        // Wider than either, so that an element of more bytes than a stride can have is told from the largest stride.
        let unit = i128::try_from(item).unwrap_or(i128::MAX);
        let is_empty = shape.contains(&0);
        // An extent beyond the last stride is found by `new`.
        let extents = shape.iter().copied().chain(core::iter::repeat(1));
        let elements = strides.iter().zip(extents).map(|(&bytes, extent)| {
            let wide = i128::from(bytes);
            let rest = wide.checked_rem_euclid(unit).ok_or_else(|| partial(bytes))?;
            if rest != 0 && extent > 1 && !is_empty {
                return Err(partial(bytes));
            }
            wide.checked_div_euclid(unit)
                .and_then(|elements| i64::try_from(elements).ok())
                .ok_or_else(|| partial(bytes))
        });
        Self::new(shape, &elements.collect::<Result<Vec<_>, _>>()?)
    }

    /// Like [`Self::fill_bytes`], for elements that fill memory upwards, last axis fastest; gives their bytes. `None` for all
    /// others, and for more axes than are in place: then this layout is of no use.
    #[inline]
    pub(crate) fn fill_row_major(&mut self, shape: &[i64], strides: &[i64], item: usize) -> Option<i64> {
        let ndim = shape.len();
        if ndim > INLINE || ndim != strides.len() || item == 0 {
            return None;
        }
        let (mut size, mut bytes) = (1_i64, i64::try_from(item).ok()?);
        let extents = self.shape.places().get_mut(..ndim)?;
        let steps = self.strides.places().get_mut(..ndim)?;
        for (((to, step), &extent), &stride) in extents.iter_mut().zip(steps).zip(shape).zip(strides).rev() {
            if stride != bytes || extent < 1 {
                return None;
            }
            to.write(extent);
            step.write(size);
            size = size.checked_mul(extent)?;
            bytes = bytes.checked_mul(extent)?;
        }
        self.facts.set_row_major(usize::try_from(size).ok()?).ok()?;
        // SAFETY: as many were written above.
        unsafe { self.shape.set_len(ndim) };
        // SAFETY: as above.
        unsafe { self.strides.set_len(ndim) };
        Some(bytes)
    }

    /// Becomes what [`Self::from_bytes`] makes, where it is. Of no use to anybody when they are refused.
    #[inline]
    pub(crate) fn fill_bytes(&mut self, shape: &[i64], strides: &[i64], item: usize) -> Result<(), LayoutError> {
        if self.fill_row_major(shape, strides, item).is_some() {
            return Ok(());
        }
        if shape.len() > INLINE || shape.len() != strides.len() || !item.is_power_of_two() {
            *self = Self::from_bytes(shape, strides, item)?;
            return Ok(());
        }
        let bits = item.trailing_zeros();
        let within = 1_i64.wrapping_shl(bits).wrapping_sub(1);
        if strides.iter().any(|bytes| bytes & within != 0) {
            *self = Self::from_bytes(shape, strides, item)?;
            return Ok(());
        }
        self.shape.fill(shape.iter().copied());
        self.strides.fill(strides.iter().map(|bytes| bytes.wrapping_shr(bits)));
        self.facts.set(self.shape.as_slice(), self.strides.as_slice())
    }
}
