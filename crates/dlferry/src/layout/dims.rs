//! A list of numbers, one for each axis, that needs no allocation for the ranks that occur.

use alloc::boxed::Box;

/// Up to this many axes are stored in place.
pub(super) const INLINE: usize = 8;

/// One number for each axis.
///
/// At most [`INLINE`] axes are always in place and the unused places always zero, so derived equality is
/// equality of the lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Dims {
    /// The first `len` of `places`.
    Inline { len: u8, places: [i64; INLINE] },
    /// More than [`INLINE`] numbers.
    Boxed(Box<[i64]>),
}

impl Dims {
    /// Takes the first `len` of `values`, which must have that many.
    #[inline]
    pub(super) fn collect(len: usize, values: impl Iterator<Item = i64>) -> Self {
        match u8::try_from(len) {
            Ok(short) if len <= INLINE => {
                let mut places = [0; INLINE];
                for (place, value) in places.iter_mut().take(len).zip(values) {
                    *place = value;
                }
                Self::Inline { len: short, places }
            }
            _ => Self::Boxed(values.take(len).collect()),
        }
    }

    /// Copies `values`.
    #[inline]
    pub(super) fn from_slice(values: &[i64]) -> Self {
        Self::collect(values.len(), values.iter().copied())
    }

    /// Becomes a copy of `values`, where it is.
    #[inline]
    pub(super) fn refill(&mut self, values: &[i64]) {
        match self.resize(values.len()) {
            Some(places) => places.copy_from_slice(values),
            None => *self = Self::from_slice(values),
        }
    }

    /// Becomes a list of `len` numbers, to be written; `None`, and unchanged, when they are too many to be in place.
    #[inline]
    pub(super) fn resize(&mut self, len: usize) -> Option<&mut [i64]> {
        let short = u8::try_from(len).ok().filter(|_| len <= INLINE)?;
        if let Self::Boxed(_) = self {
            *self = Self::zeros(0);
        }
        let Self::Inline { len: old, places } = self else { return None };
        let (used, unused) = places.split_at_mut_checked(len)?;
        // Unused places are zero, as they must be; of those behind the old length that is known.
        let now_unused = usize::from(*old).saturating_sub(len);
        unused.iter_mut().take(now_unused).for_each(|place| *place = 0);
        *old = short;
        Some(used)
    }

    /// Makes a list of `len` zeros.
    #[inline]
    pub(super) fn zeros(len: usize) -> Self {
        Self::collect(len, core::iter::repeat(0))
    }

    /// Returns the numbers.
    #[inline]
    pub(super) fn as_slice(&self) -> &[i64] {
        match self {
            Self::Inline { len, places } => places.get(..usize::from(*len)).unwrap_or(places),
            Self::Boxed(values) => values,
        }
    }

    /// Returns the numbers, to be changed.
    #[inline]
    pub(super) fn as_mut_slice(&mut self) -> &mut [i64] {
        match self {
            Self::Inline { len, places } => {
                let len = usize::from(*len).min(INLINE);
                places.split_at_mut_checked(len).map_or(&mut [], |(used, _)| used)
            }
            Self::Boxed(values) => values,
        }
    }
}
