//! One borrow, in memory that is never freed.

use core::ptr;
// Written before others see the record, and never again: there are no orders of that to play.
use core::sync::atomic::AtomicPtr;

use super::region::{COMBS, Comb, Region};
use super::registry::Block;
use super::sync::{AtomicUsize, Ordering, fence};

/// How memory is borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// For reading, by any number.
    Shared,
    /// For writing, by one.
    Exclusive,
}

/// Nobody's.
const FREE: usize = 0;
/// Somebody's, who has not borrowed yet; its region means nothing.
const RESERVED: usize = 1;
const SHARED: usize = 2;
const EXCLUSIVE: usize = 3;
/// The bits of the state that say which of these.
const KIND: usize = 3;
/// What is added each time that a region is written, so that a reader sees that it was.
const NEXT: usize = 4;

/// A borrow: its state, and the region that goes with it.
///
/// Only who has reserved a record writes it; anybody may read it at any time. The state is a sequence lock: a reader that
/// finds the same state before and after it has read the region has read the region of that state.
#[repr(C, align(128))]
#[derive(Debug)]
pub(crate) struct Record {
    pub(super) state: AtomicUsize,
    space: AtomicUsize,
    low: AtomicUsize,
    high: AtomicUsize,
    /// Step and width of each comb.
    combs: [[AtomicUsize; 2]; COMBS],
    /// The block that it is a record of.
    home: AtomicPtr<Block>,
}

impl Record {
    pub(super) fn new() -> Self {
        let zero = || AtomicUsize::new(0);
        Self {
            state: zero(),
            space: zero(),
            low: zero(),
            high: zero(),
            combs: [[zero(), zero()], [zero(), zero()]],
            home: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Says of which block it is a record; once, before others see it.
    pub(super) fn settle(&self, home: &'static Block) {
        self.home.store(ptr::from_ref(home).cast_mut(), Ordering::Relaxed);
    }

    /// The block that it is a record of; `None` before that is in the registry.
    #[inline]
    pub(super) fn home(&self) -> Option<&'static Block> {
        // SAFETY: a block, which is never freed, or NULL.
        unsafe { self.home.load(Ordering::Relaxed).as_ref() }
    }

    #[inline]
    pub(super) fn is_free(&self) -> bool {
        self.state.load(Ordering::Acquire) & KIND == FREE
    }

    /// Takes a free record; called by one thread at a time for the records of a block.
    #[inline]
    pub(super) fn reserve(&self) {
        let state = self.state.load(Ordering::Relaxed);
        // Who sees this sees also what was done under the borrow before, which ended earlier.
        self.state.store(state & !KIND | RESERVED, Ordering::Release);
    }

    /// Lets everybody see what is borrowed; whether it may be is seen afterwards.
    #[inline]
    pub(super) fn publish(&self, region: &Region, kind: Kind) {
        let reserved = self.state.load(Ordering::Relaxed);
        // Who reads any of what follows reads at least the reserved state behind it.
        fence(Ordering::Release);
        self.space.store(region.space, Ordering::Relaxed);
        self.low.store(region.low, Ordering::Relaxed);
        self.high.store(region.high, Ordering::Relaxed);
        for ([step, width], comb) in self.combs.iter().zip(&region.combs) {
            step.store(comb.step, Ordering::Relaxed);
            width.store(comb.width, Ordering::Relaxed);
        }
        let kind = match kind {
            Kind::Shared => SHARED,
            Kind::Exclusive => EXCLUSIVE,
        };
        self.state.store((reserved & !KIND).wrapping_add(NEXT) | kind, Ordering::Release);
    }

    /// What is borrowed through this record at present.
    #[inline]
    pub(super) fn read(&self) -> Option<(Kind, Region)> {
        loop {
            let state = self.state.load(Ordering::Acquire);
            let kind = match state & KIND {
                SHARED => Kind::Shared,
                EXCLUSIVE => Kind::Exclusive,
                _ => return None,
            };
            let mut region = Region {
                space: self.space.load(Ordering::Relaxed),
                low: self.low.load(Ordering::Relaxed),
                high: self.high.load(Ordering::Relaxed),
                combs: [Comb::default(); COMBS],
            };
            for ([step, width], comb) in self.combs.iter().zip(&mut region.combs) {
                comb.step = step.load(Ordering::Relaxed);
                comb.width = width.load(Ordering::Relaxed);
            }
            fence(Ordering::Acquire);
            if self.state.load(Ordering::Relaxed) == state {
                return Some((kind, region));
            }
        }
    }

    /// How the record is borrowed at present, for its own holder.
    #[inline]
    pub(super) fn kind(&self) -> Option<Kind> {
        match self.state.load(Ordering::Relaxed) & KIND {
            SHARED => Some(Kind::Shared),
            EXCLUSIVE => Some(Kind::Exclusive),
            _ => None,
        }
    }

    /// Ends the borrow and keeps the record.
    #[inline]
    pub(super) fn withdraw(&self) {
        let state = self.state.load(Ordering::Relaxed);
        self.state.store(state & !KIND | RESERVED, Ordering::Release);
    }

    /// Ends the borrow, if there is one, and gives the record back.
    #[inline]
    pub(super) fn free(&self) {
        let state = self.state.load(Ordering::Relaxed);
        self.state.store(state & !KIND | FREE, Ordering::Release);
    }
}
