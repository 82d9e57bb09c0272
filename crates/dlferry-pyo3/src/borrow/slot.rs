//! Places for borrows: each a record that all modules see, and beside it what this module knows of the memory.
//!
//! What is borrowed is described where it stays, for moving a description costs more than making one. So a view is as
//! small as a few pointers.

use core::cell::{Cell, UnsafeCell};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};

use dlferry::managed::{Descriptor, SharedTensor};

use super::record::{Kind, Record};
use super::region::Region;
use super::registry::{Block, RECORDS, Registry};
use crate::tensor::Source;

/// Memory that is borrowed: what it is, and what keeps it alive beside the object that it was taken of.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) descriptor: Descriptor,
    pub(crate) keep: Option<(SharedTensor, Source)>,
}

/// A block and the bodies to its records. Never freed.
#[repr(C)]
struct Frame {
    block: Block,
    // Each is accessed by the slot that has reserved the record at the same place.
    bodies: [UnsafeCell<Body>; RECORDS],
    /// The frame that this module made before; set once, before the frame is seen.
    next: AtomicPtr<Frame>,
}

// SAFETY: the block is made of atomics. A body is accessed through the one slot that has reserved its record, and what it
// holds may be sent.
unsafe impl Sync for Frame {}

/// All frames of this module, the newest first.
static FRAMES: AtomicPtr<Frame> = AtomicPtr::new(ptr::null_mut());

/// The frame in use, when one thread runs at a time.
static CURRENT: AtomicPtr<Frame> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// The frame in use by this thread, when several run at a time.
    static OWN: Own = const { Own(Cell::new(None)) };
}

/// A claim on a frame, given up when the thread ends.
struct Own(Cell<Option<&'static Frame>>);

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(frame) = self.0.get() {
            frame.block.unclaim();
        }
    }
}

/// A record that this value alone holds, and the body that goes with it. Freed on drop.
#[derive(Debug)]
pub(crate) struct Slot {
    registry: &'static Registry,
    record: &'static Record,
    // Invariant: the body beside `record`, which this slot has reserved.
    body: NonNull<Body>,
}

impl Slot {
    /// Reserves a record. The caller is attached to the interpreter, and stays so while the slot lives.
    #[inline]
    pub(crate) fn reserve(registry: &'static Registry) -> Self {
        let current = if registry.is_concurrent() {
            OWN.try_with(|own| own.0.get()).ok().flatten()
        } else {
            // SAFETY: a frame that is never freed, or NULL.
            unsafe { CURRENT.load(Ordering::Relaxed).as_ref() }
        };
        match current.and_then(|frame| frame.reserve(registry)) {
            Some(slot) => slot,
            None => Self::reserve_elsewhere(registry, current),
        }
    }

    /// Reserves a record of another frame than the present one, which is full, or missing; a new one if it must be.
    #[cold]
    fn reserve_elsewhere(registry: &'static Registry, current: Option<&'static Frame>) -> Self {
        if let Some(frame) = current {
            frame.block.unclaim();
        }
        let (frame, slot) = Frame::find(registry).unwrap_or_else(|| Frame::make(registry));
        if registry.is_concurrent() {
            if OWN.try_with(|own| own.0.set(Some(frame))).is_err() {
                // The thread is about to end; it holds the record without the claim.
                frame.block.unclaim();
            }
        } else {
            CURRENT.store(ptr::from_ref(frame).cast_mut(), Ordering::Relaxed);
        }
        slot
    }

    /// What is borrowed, or will be.
    #[inline]
    pub(crate) fn body(&self) -> &Body {
        // SAFETY: reserved by this slot, and `&self` excludes `body_mut` (invariant).
        unsafe { self.body.as_ref() }
    }

    #[inline]
    pub(crate) fn body_mut(&mut self) -> &mut Body {
        // SAFETY: reserved by this slot, and `&mut self` is the only access (invariant).
        unsafe { self.body.as_mut() }
    }

    /// Borrows what the body describes, until the slot is dropped. Nothing is borrowed of a tensor without elements.
    ///
    /// # Errors
    ///
    /// How memory that it overlaps is borrowed.
    #[inline]
    pub(crate) fn borrow(&mut self, kind: Kind) -> Result<(), Kind> {
        match Region::of(&self.body().descriptor) {
            Some(region) => self.registry.borrow(self.record, &region, kind),
            None => Ok(()),
        }
    }
}

impl Drop for Slot {
    #[inline]
    fn drop(&mut self) {
        // What keeps the memory may run any code when it goes, code that borrows too; it goes when the record is free, and
        // the memory last, so that nobody else has it while it is still registered.
        let keep = self.body_mut().keep.take();
        self.registry.release(self.record);
        drop(keep);
    }
}

impl Frame {
    #[inline]
    fn reserve(&'static self, registry: &'static Registry) -> Option<Slot> {
        let (at, record) = self.block.reserve()?;
        // There are as many bodies as records.
        let body = NonNull::new(self.bodies.get(at)?.get())?;
        Some(Slot { registry, record, body })
    }

    /// A frame of this module that nobody has claimed, and a record of it that is free.
    fn find(registry: &'static Registry) -> Option<(&'static Self, Slot)> {
        let mut next = FRAMES.load(Ordering::Acquire);
        // SAFETY: frames are never freed, and were whole before they were added.
        while let Some(frame) = unsafe { next.as_ref() } {
            if frame.block.claim() {
                match frame.reserve(registry) {
                    Some(slot) => return Some((frame, slot)),
                    None => frame.block.unclaim(),
                }
            }
            next = frame.next.load(Ordering::Relaxed);
        }
        None
    }

    fn make(registry: &'static Registry) -> (&'static Self, Slot) {
        let body = || UnsafeCell::new(Body { descriptor: Descriptor::blank(), keep: None });
        let frame = Box::new(Self {
            block: Block::claimed(),
            bodies: core::array::from_fn(|_| body()),
            next: AtomicPtr::new(ptr::null_mut()),
        });
        let frame: &'static Self = Box::leak(frame);
        registry.add(&frame.block);
        let mut newest = FRAMES.load(Ordering::Relaxed);
        loop {
            frame.next.store(newest, Ordering::Relaxed);
            let new = ptr::from_ref(frame).cast_mut();
            match FRAMES.compare_exchange(newest, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => break,
                Err(found) => newest = found,
            }
        }
        match frame.reserve(registry) {
            Some(slot) => (frame, slot),
            None => unreachable!("all records of a new block are free"),
        }
    }
}
