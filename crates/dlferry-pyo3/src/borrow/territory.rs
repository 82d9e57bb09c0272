//! In which parts of memory a thread borrows, so that who borrows elsewhere need not look at what it borrows.
//!
//! A record is written with each borrow, and each look at it by another thread takes it out of the cache of the one that writes
//! it. So the records of a thread have a *territory* in front of them: a bit for each piece of memory, many pieces to a bit. It
//! grows before a record is published and shrinks only now and then, when none is in use; a thread that goes on with the same
//! arrays never writes it, and others look at it for nothing.
//!
//! Two regions with a byte in common have a piece in common, and so a bit.

use super::region::Region;
use super::sync::{AtomicUsize, Ordering};

/// Words of a territory, which fill a line of the cache; one where all orders are played.
const WORDS: usize = if cfg!(all(loom, test)) { 1 } else { 8 };

/// The bits of a territory.
pub(super) const BITS: usize = WORDS.wrapping_mul(WORD);

const WORD: usize = {
    // As `usize::BITS`, which is not a `usize`.
    size_of::<usize>().wrapping_mul(8)
};

/// A piece is 4 KiB.
const PIECE: u32 = 12;

/// Pieces that lie one after another have bits that do, within 64 MiB: what one allocation of most allocators spans.
const STRETCH: u32 = 14;

/// The bits of one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Footprint {
    /// Of a word, and of the one that follows it.
    Few { word: usize, masks: [usize; 2] },
    /// Of a region that is so large that looking at records takes no time beside its use.
    All,
}

impl Footprint {
    /// The bits of the pieces between the first and the last byte.
    #[inline]
    pub(super) fn of(region: &Region) -> Self {
        let first = region.low >> PIECE;
        let more = (region.high.wrapping_sub(1) >> PIECE).wrapping_sub(first);
        let stretch = first >> STRETCH;
        if more >= WORD || first.wrapping_add(more) >> STRETCH != stretch {
            return Self::All;
        }
        // Allocators begin a stretch for each thread, and all of them with small arrays.
        let place = stretch.wrapping_mul(0x9E37_79B1) >> 16;
        let bit = first.wrapping_add(place) % BITS;
        let ones = usize::MAX >> WORD.wrapping_sub(1).wrapping_sub(more);
        let shift = bit % WORD;
        // In two steps, for a word cannot be moved by its length.
        let over = (ones >> 1) >> WORD.wrapping_sub(1).wrapping_sub(shift);
        Self::Few { word: bit / WORD, masks: [ones << shift, over] }
    }

    /// How many bits there are.
    fn count(self) -> usize {
        match self {
            Self::Few { masks: [first, second], .. } => {
                let ones = first.count_ones().saturating_add(second.count_ones());
                usize::try_from(ones).unwrap_or(BITS)
            }
            Self::All => BITS,
        }
    }
}

/// The parts of memory in which records of a block lie, or lay.
#[repr(C, align(64))]
#[derive(Debug)]
pub(super) struct Territory {
    words: [AtomicUsize; WORDS],
}

impl Territory {
    pub(super) fn new() -> Self {
        Self { words: core::array::from_fn(|_| AtomicUsize::new(0)) }
    }

    /// Which of the bits of a word are there; behind the last word is the first.
    #[inline]
    fn common(&self, word: usize, mask: usize) -> usize {
        let word = self.words.get(word).or(self.words.first());
        word.map_or(0, |word| word.load(Ordering::Acquire) & mask)
    }

    /// Whether all bits are there.
    #[inline]
    pub(super) fn has(&self, footprint: Footprint) -> bool {
        match footprint {
            Footprint::Few { word, masks: [first, second] } => {
                self.common(word, first) == first
                    && (second == 0 || self.common(word.wrapping_add(1), second) == second)
            }
            Footprint::All => self.words.iter().all(|word| word.load(Ordering::Acquire) == usize::MAX),
        }
    }

    /// Whether any bit is there.
    #[inline]
    pub(super) fn meets(&self, footprint: Footprint) -> bool {
        match footprint {
            Footprint::Few { word, masks: [first, second] } => {
                self.common(word, first) != 0 || (second != 0 && self.common(word.wrapping_add(1), second) != 0)
            }
            Footprint::All => self.words.iter().any(|word| word.load(Ordering::Acquire) != 0),
        }
    }

    /// Adds the bits, and says how many.
    pub(super) fn add(&self, footprint: Footprint) -> usize {
        let (from, [first, second]) = match footprint {
            Footprint::Few { word, masks } => (word, masks),
            Footprint::All => (0, [usize::MAX; 2]),
        };
        let masks = core::iter::once(first).chain(core::iter::repeat(second));
        let count = if footprint == Footprint::All { WORDS } else { 2 };
        for (word, mask) in self.words.iter().cycle().skip(from).zip(masks).take(count) {
            word.fetch_or(mask, Ordering::AcqRel);
        }
        footprint.count()
    }

    /// Takes all bits away; comes after the borrows that they were for.
    pub(super) fn clear(&self) {
        for word in &self.words {
            word.store(0, Ordering::Release);
        }
    }
}
