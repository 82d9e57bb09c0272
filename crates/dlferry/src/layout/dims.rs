//! A list of numbers, one for each axis, that needs no allocation for the ranks that occur.

use alloc::boxed::Box;
use core::fmt;
use core::mem::MaybeUninit;

/// Up to this many axes are stored in place.
pub(super) const INLINE: usize = 8;

/// One number for each axis.
///
/// Places that are not used are never written: to clear them would take as long as all the rest.
#[derive(Clone)]
pub(super) struct Dims {
    // Invariant: at most `INLINE`, and so many places from the first on are written.
    len: usize,
    places: [MaybeUninit<i64>; INLINE],
    /// In place of those: more than [`INLINE`] numbers.
    boxed: Option<Box<[i64]>>,
}

impl Dims {
    /// No axes.
    #[inline]
    pub(super) const fn none() -> Self {
        Self { len: 0, places: [MaybeUninit::uninit(); INLINE], boxed: None }
    }

    /// One axis.
    #[inline]
    pub(super) const fn one(value: i64) -> Self {
        let mut this = Self::none();
        // The first of the places.
        let [first, ..] = &mut this.places;
        first.write(value);
        this.len = 1;
        this
    }

    /// Takes the first `len` of `values`, which must have that many.
    #[inline]
    pub(super) fn collect(len: usize, values: impl Iterator<Item = i64>) -> Self {
        let mut this = Self::none();
        if len > INLINE {
            this.boxed = Some(values.take(len).collect());
        } else {
            this.fill(values.take(len));
        }
        this
    }

    /// Copies `values`.
    #[inline]
    pub(super) fn from_slice(values: &[i64]) -> Self {
        Self::collect(values.len(), values.iter().copied())
    }

    /// Makes a list of `len` zeros.
    #[inline]
    pub(super) fn zeros(len: usize) -> Self {
        Self::collect(len, core::iter::repeat(0))
    }

    /// Becomes `values`, of which there are at most [`INLINE`], where it is.
    #[inline]
    pub(super) fn fill(&mut self, values: impl Iterator<Item = i64>) {
        if self.boxed.is_some() {
            self.boxed = None;
        }
        let mut len = 0_usize;
        for (place, value) in self.places.iter_mut().zip(values) {
            place.write(value);
            len = len.wrapping_add(1);
        }
        self.len = len;
    }

    /// The places, for numbers that [`Self::set_len`] counts later. What is in use may be overwritten too.
    #[inline]
    pub(super) fn places(&mut self) -> &mut [MaybeUninit<i64>; INLINE] {
        &mut self.places
    }

    /// Becomes what was written to the first `len` places.
    ///
    /// # Safety
    ///
    /// They are written, and at most [`INLINE`].
    #[inline]
    pub(super) unsafe fn set_len(&mut self, len: usize) {
        if self.boxed.is_some() {
            self.boxed = None;
        }
        self.len = len;
    }

    /// Returns the numbers.
    #[inline]
    pub(super) fn as_slice(&self) -> &[i64] {
        match &self.boxed {
            // SAFETY: so many places are written (invariant).
            None => unsafe { core::slice::from_raw_parts(self.places.as_ptr().cast(), self.len) },
            Some(values) => values,
        }
    }

    /// Returns the numbers, to be changed.
    #[inline]
    pub(super) fn as_mut_slice(&mut self) -> &mut [i64] {
        match &mut self.boxed {
            // SAFETY: so many places are written (invariant).
            None => unsafe { core::slice::from_raw_parts_mut(self.places.as_mut_ptr().cast(), self.len) },
            Some(values) => values,
        }
    }
}

impl PartialEq for Dims {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Dims {}

impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}
