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
        match (self, u8::try_from(values.len())) {
            (Self::Inline { len, places }, Ok(short)) if values.len() <= INLINE => {
                *len = short;
                // Unused places stay zero, as they must.
                let mut values = values.iter();
                for place in places {
                    *place = values.next().copied().unwrap_or(0);
                }
            }
            (this, _) => *this = Self::from_slice(values),
        }
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
