//! All borrows of a process: blocks of records, and the rule by which one is refused.
//!
//! # Why no overlap is missed
//!
//! Who borrows does three things, in this order: it *publishes* its record; it passes a *fence*; it *looks* at the records
//! of the others. Take two that overlap, one of them at least exclusive. Fences are passed one after another, so one of the
//! two passes its own second. All that the other did before its fence is visible to what this one does after: it
//! looks, finds the other's record, and is refused. (An exclusive borrow also counts itself before its fence. Who borrows
//! shared looks at the count first, and when that is zero at nothing else.)
//!
//! Of two that ask at the same moment, each may see the other and both be refused; nor does a borrow that is about to be
//! refused look any different from one that stands. Both can only happen to threads that would otherwise race for the
//! memory.
//!
//! Under a global interpreter lock, borrows begin and end while it is held. Then all this happens one after the other
//! anyway, and neither the fence nor an atomic addition is needed.
//!
//! # Why what was written is seen
//!
//! A borrow ends with a store that releases. Who borrows the same memory later has looked at that record, or at what was
//! stored after it, with a load that acquires; or has read a count that was lowered after it.

use core::ptr;

use super::record::{Kind, Record};
use super::region::Region;
use super::sync::{AtomicPtr, AtomicUsize, Ordering, fence};

/// Records in one block.
pub(super) const RECORDS: usize = 16;

/// The major version of what lies in memory here; modules that know another one keep a registry of their own.
pub(super) const VERSION: usize = 1;

/// The records of one thread, or of all threads of a module when the interpreter lets one run at a time. Never freed.
#[repr(C, align(64))]
#[derive(Debug)]
pub(super) struct Block {
    /// The block that was there before; set once, before the block is seen.
    next: AtomicPtr<Block>,
    /// 1 while some thread takes records of this block.
    claimed: AtomicUsize,
    /// From here on all records are free.
    top: AtomicUsize,
    records: [Record; RECORDS],
}

impl Block {
    /// A block that somebody has claimed.
    pub(super) fn claimed() -> Self {
        Self {
            next: AtomicPtr::new(ptr::null_mut()),
            claimed: AtomicUsize::new(1),
            top: AtomicUsize::new(0),
            records: core::array::from_fn(|_| Record::new()),
        }
    }

    /// Claims the block, if nobody else has.
    pub(super) fn claim(&self) -> bool {
        self.claimed.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Lets others claim the block. Records that are in use stay so.
    pub(super) fn unclaim(&self) {
        self.claimed.store(0, Ordering::Release);
    }

    /// Reserves a record, for whoever has claimed the block; `None` when all are in use.
    #[inline]
    pub(super) fn reserve(&self) -> Option<(usize, &Record)> {
        let mut top = self.top.load(Ordering::Relaxed);
        // Borrows mostly end in the reverse order. A record that is given back while one above it is in use waits for
        // that one.
        while let Some(below) = top.checked_sub(1) {
            if !self.records.get(below).is_some_and(Record::is_free) {
                break;
            }
            top = below;
        }
        if let Some(record) = self.records.get(top) {
            self.top.store(top.wrapping_add(1), Ordering::Release);
            record.reserve();
            return Some((top, record));
        }
        let (at, record) = self.records.iter().enumerate().find(|(_, record)| record.is_free())?;
        record.reserve();
        Some((at, record))
    }

    /// All records, free or not.
    pub(super) fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }

    /// The records that may be in use.
    fn in_use(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().take(self.top.load(Ordering::Acquire))
    }
}

/// The registry: what modules share through a capsule. Lives as long as the process.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Registry {
    /// [`VERSION`].
    pub(super) version: usize,
    /// Bytes of this structure; later versions may append to it.
    pub(super) size: usize,
    /// 1 when threads run at the same time, so that the fence is needed.
    is_concurrent: usize,
    /// Exclusive borrows that stand or are about to be looked at; never fewer than stand.
    pub(super) exclusives: AtomicUsize,
    /// The newest block.
    blocks: AtomicPtr<Block>,
}

impl Registry {
    pub(super) fn new(is_concurrent: bool) -> Self {
        Self {
            version: VERSION,
            size: size_of::<Self>(),
            is_concurrent: usize::from(is_concurrent),
            exclusives: AtomicUsize::new(0),
            blocks: AtomicPtr::new(ptr::null_mut()),
        }
    }

    #[inline]
    pub(super) fn is_concurrent(&self) -> bool {
        self.is_concurrent != 0
    }

    /// Adds a block, for good.
    pub(super) fn add(&self, block: &'static Block) {
        let new = ptr::from_ref(block).cast_mut();
        let mut newest = self.blocks.load(Ordering::Relaxed);
        loop {
            block.next.store(newest, Ordering::Relaxed);
            match self.blocks.compare_exchange(newest, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(found) => newest = found,
            }
        }
    }

    /// Borrows a region through a record that was reserved.
    ///
    /// # Errors
    ///
    /// How the overlapping memory is borrowed; the record is then reserved as before.
    #[inline]
    pub(super) fn borrow(&self, record: &Record, region: &Region, kind: Kind) -> Result<(), Kind> {
        if kind == Kind::Exclusive {
            self.count(1);
        }
        record.publish(region, kind);
        if self.is_concurrent() {
            fence(Ordering::SeqCst);
        }
        if kind == Kind::Shared && self.exclusives.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        match self.conflict(record, region, kind) {
            None => Ok(()),
            Some(found) => {
                record.withdraw();
                self.forget(kind);
                Err(found)
            }
        }
    }

    /// Ends a borrow, or gives a record back that was only reserved.
    #[inline]
    pub(super) fn release(&self, record: &Record) {
        let kind = record.kind();
        record.free();
        if let Some(kind) = kind {
            self.forget(kind);
        }
    }

    /// Counts an exclusive borrow no longer; comes after it was withdrawn.
    #[inline]
    fn forget(&self, kind: Kind) {
        if kind == Kind::Exclusive {
            self.count(usize::MAX);
        }
    }

    /// Adds to the number of exclusive borrows; `usize::MAX` takes one away.
    #[inline]
    fn count(&self, change: usize) {
        if self.is_concurrent() {
            self.exclusives.fetch_add(change, Ordering::AcqRel);
        } else {
            let count = self.exclusives.load(Ordering::Relaxed);
            self.exclusives.store(count.wrapping_add(change), Ordering::Relaxed);
        }
    }

    /// Another borrow that excludes this one.
    fn conflict(&self, own: &Record, region: &Region, kind: Kind) -> Option<Kind> {
        let mut next = self.blocks.load(Ordering::Acquire);
        // SAFETY: blocks are never freed, and were whole before they were added.
        while let Some(block) = unsafe { next.as_ref() } {
            for record in block.in_use() {
                if ptr::eq(record, own) {
                    continue;
                }
                let Some((other, taken)) = record.read() else { continue };
                if (kind == Kind::Exclusive || other == Kind::Exclusive) && region.may_meet(&taken) {
                    return Some(other);
                }
            }
            next = block.next.load(Ordering::Relaxed);
        }
        None
    }
}
