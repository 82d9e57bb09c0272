//! All borrows of a process: blocks of records, and the rule by which one is refused.
//!
//! # Why no overlap is missed
//!
//! Who borrows does three things, in this order: it *publishes* its record, behind the territory of its block; it passes a
//! *fence*; it *looks* at the others. Take two that overlap, one of them at least exclusive. Fences are passed one after another,
//! so one of the two passes its own second. All that the other did before its fence is visible to what this one does after: it
//! looks, finds that the other's territory has a bit of its own, looks at the other's records, finds that one, and is refused.
//! (A block in which somebody borrows exclusively is counted before its territory grows. Who borrows shared looks at the count
//! first, and when that is zero at nothing else.)
//!
//! A territory that has grown stays so until whoever has claimed the block finds all its records free. Then nobody else can
//! reserve one, so that nobody relies on what is taken away.
//!
//! Of two that ask at the same moment, each may see the other and both be refused; nor does a borrow that is about to be
//! refused look any different from one that stands. Both can only happen to threads that would otherwise race for the
//! memory.
//!
//! Under a global interpreter lock, borrows begin and end while it is held. Then all this happens one after the other
//! anyway, and there is no need of the fence, of territories, or of an atomic addition: what is counted are the borrows.
//!
//! # Why what was written is seen
//!
//! A borrow ends with a store that releases. Who borrows the same memory later has looked at that record, or at what was
//! stored after it, with a load that acquires: at another state of the record, at the end of those in use, at a territory
//! that was cleared, or at a count that was lowered after it.
//!
//! # Why threads are not in each other's way
//!
//! With each borrow a thread writes its own record, and nothing else. What others look at, as long as they borrow elsewhere, lies
//! on other lines of the cache and is written now and then.

use core::ptr;

use super::record::{Kind, Record};
use super::region::Region;
use super::sync::{AtomicPtr, AtomicUsize, Ordering, fence};
use super::territory::{BITS, Footprint, Territory};

/// Records in one block; few where all orders are played.
pub(super) const RECORDS: usize = if cfg!(all(loom, test)) { 2 } else { 16 };

/// The major version of what lies in memory here; modules that know another one keep a registry of their own.
pub(super) const VERSION: usize = 2;

/// Bits that are added to the territories of a block until they are made anew.
const WORN: usize = BITS / 4;

/// The records of one thread, or of all threads of a module when the interpreter lets one run at a time. Never freed.
#[repr(C, align(128))]
#[derive(Debug)]
pub(super) struct Block {
    /// The block that was there before; set once, before the block is seen.
    next: AtomicPtr<Block>,
    /// 1 while some thread takes records of this block.
    claimed: AtomicUsize,
    /// 1 while the block is among those that are counted for their exclusive borrows.
    counted: AtomicUsize,
    /// Where records are borrowed for reading.
    reads: Territory,
    /// Where records are borrowed for writing.
    writes: Territory,
    hot: Hot,
    records: [Record; RECORDS],
}

/// What is written often; others do not look at it for nothing.
#[repr(C, align(128))]
#[derive(Debug)]
struct Hot {
    /// From here on all records are free.
    top: AtomicUsize,
    /// Bits that were added to the territories.
    added: AtomicUsize,
}

impl Block {
    /// A block that somebody has claimed.
    pub(super) fn claimed() -> Self {
        Self {
            next: AtomicPtr::new(ptr::null_mut()),
            claimed: AtomicUsize::new(1),
            counted: AtomicUsize::new(0),
            reads: Territory::new(),
            writes: Territory::new(),
            hot: Hot { top: AtomicUsize::new(0), added: AtomicUsize::new(0) },
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
        let mut top = self.hot.top.load(Ordering::Relaxed);
        // Borrows mostly end in the reverse order. A record that is given back while one above it is in use waits for
        // that one.
        while let Some(below) = top.checked_sub(1) {
            if !self.records.get(below).is_some_and(Record::is_free) {
                break;
            }
            top = below;
        }
        if let Some(record) = self.records.get(top) {
            self.hot.top.store(top.wrapping_add(1), Ordering::Release);
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

    /// Whether the territories have grown so much that they say little.
    #[inline]
    pub(super) fn is_worn(&self) -> bool {
        self.hot.added.load(Ordering::Relaxed) >= WORN
    }

    /// Whether there may be a borrow that excludes one of this footprint.
    #[inline]
    fn may_exclude(&self, footprint: Footprint, kind: Kind) -> bool {
        self.writes.meets(footprint) || (kind == Kind::Exclusive && self.reads.meets(footprint))
    }

    /// The records that may be in use.
    fn in_use(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().take(self.hot.top.load(Ordering::Acquire))
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
    /// Blocks that have a territory of exclusive borrows, each perhaps twice; under a global lock, exclusive borrows.
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
        for record in block.records() {
            record.settle(block);
        }
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
        self.borrow_with(record, record, region, kind)
    }

    /// The same for who has borrowed through another record already, which may overlap: both are one user's.
    ///
    /// # Errors
    ///
    /// As there.
    #[inline]
    pub(super) fn borrow_with(&self, record: &Record, own: &Record, region: &Region, kind: Kind) -> Result<(), Kind> {
        // Apart is what most borrows under a global lock do not need, and given what it needs by value: so they can keep what
        // they borrow in registers.
        if self.is_concurrent() {
            return self.borrow_beside_others(record, own, *region, kind);
        }
        self.count(kind, 1);
        record.publish(region, kind);
        if self.all_read(kind) { Ok(()) } else { self.look_at_all(record, own, *region, kind) }
    }

    #[inline(never)]
    fn look_at_all(&self, record: &Record, own: &Record, region: Region, kind: Kind) -> Result<(), Kind> {
        self.look([record, own], &region, kind, |_| true)
    }

    /// As [`Self::borrow_with`], where threads run at the same time.
    #[inline(never)]
    fn borrow_beside_others(&self, record: &Record, own: &Record, region: Region, kind: Kind) -> Result<(), Kind> {
        let footprint = Footprint::of(&region);
        self.enter(record, footprint, kind);
        record.publish(&region, kind);
        fence(Ordering::SeqCst);
        if self.all_read(kind) {
            return Ok(());
        }
        self.look([record, own], &region, kind, |block| block.may_exclude(footprint, kind))
    }

    /// Whether this borrow and all others are for reading.
    #[inline]
    fn all_read(&self, kind: Kind) -> bool {
        kind == Kind::Shared && self.exclusives.load(Ordering::Acquire) == 0
    }

    /// Looks at the borrows of the blocks that matter, and withdraws that of the first of one's own where one excludes it.
    #[inline]
    fn look(
        &self,
        own: [&Record; 2],
        region: &Region,
        kind: Kind,
        matters: impl Fn(&Block) -> bool,
    ) -> Result<(), Kind> {
        match self.conflict(own, region, kind, matters) {
            None => Ok(()),
            Some(found) => {
                own[0].withdraw();
                self.count(kind, usize::MAX);
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
            self.count(kind, usize::MAX);
        }
    }

    /// Adds to the number of exclusive borrows under a global lock, before one is published or after it was withdrawn;
    /// `usize::MAX` takes one away.
    #[inline]
    fn count(&self, kind: Kind, change: usize) {
        if kind == Kind::Exclusive && !self.is_concurrent() {
            let count = self.exclusives.load(Ordering::Relaxed);
            self.exclusives.store(count.wrapping_add(change), Ordering::Relaxed);
        }
    }

    /// Sees to it that the block's territory has a region; comes before that is published.
    #[inline]
    fn enter(&self, record: &Record, footprint: Footprint, kind: Kind) {
        let Some(block) = record.home() else { return };
        let territory = match kind {
            Kind::Shared => &block.reads,
            Kind::Exclusive => &block.writes,
        };
        if !territory.has(footprint) {
            self.widen(block, territory, footprint, kind);
        }
    }

    #[cold]
    fn widen(&self, block: &Block, territory: &Territory, footprint: Footprint, kind: Kind) {
        if kind == Kind::Exclusive && block.counted.load(Ordering::Acquire) == 0 {
            self.exclusives.fetch_add(1, Ordering::AcqRel);
            // Who finds the block counted relies on it, so that it is counted first.
            if block.counted.swap(1, Ordering::AcqRel) == 1 {
                self.exclusives.fetch_sub(1, Ordering::AcqRel);
            }
        }
        let added = territory.add(footprint);
        block.hot.added.fetch_add(added, Ordering::Relaxed);
    }

    /// Begins the territories of a block anew, for whoever has claimed it, unless a record is in use.
    #[cold]
    pub(super) fn renew(&self, block: &Block) {
        if !block.records().all(Record::is_free) {
            return;
        }
        block.reads.clear();
        block.writes.clear();
        block.hot.added.store(0, Ordering::Relaxed);
        if block.counted.swap(0, Ordering::AcqRel) == 1 {
            self.exclusives.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Another borrow that excludes this one.
    fn conflict(
        &self,
        own: [&Record; 2],
        region: &Region,
        kind: Kind,
        matters: impl Fn(&Block) -> bool,
    ) -> Option<Kind> {
        let mut next = self.blocks.load(Ordering::Acquire);
        // SAFETY: blocks are never freed, and were whole before they were added.
        while let Some(block) = unsafe { next.as_ref() } {
            next = block.next.load(Ordering::Relaxed);
            if !matters(block) {
                continue;
            }
            for record in block.in_use() {
                if own.iter().any(|own| ptr::eq(record, *own)) {
                    continue;
                }
                let Some((other, taken)) = record.read() else { continue };
                if (kind == Kind::Exclusive || other == Kind::Exclusive) && region.may_meet(&taken) {
                    return Some(other);
                }
            }
        }
        None
    }
}
