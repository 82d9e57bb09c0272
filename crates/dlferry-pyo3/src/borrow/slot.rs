//! Places for borrows: each a record that all modules see, and beside it what this module knows of the memory.
//!
//! What is borrowed is described where it stays, for moving a description costs more than making one. So a view is as
//! small as a pointer, and is handed on in a register.

use core::cell::{Cell, UnsafeCell};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use dlferry::managed::{Descriptor, SharedTensor};
use pyo3::prelude::*;

use super::record::{Kind, Record};
use super::region::Region;
use super::registry::{Block, RECORDS, Registry};
use crate::tensor::Source;

/// Memory that is borrowed: what it is, and what keeps it alive.
pub(crate) struct Body {
    pub(crate) descriptor: Descriptor,
    /// The object that it was taken of, twice: NumPy resizes an array to which there are two references, those of a variable and
    /// of the call.
    pub(crate) object: Option<[Py<PyAny>; 2]>,
    /// What keeps the memory beside the object.
    pub(crate) keep: Option<(SharedTensor, Source)>,
}

/// What goes with one record.
struct Place {
    registry: &'static Registry,
    /// The record at the same place of the block; set once, before the frame is seen.
    record: Cell<Option<&'static Record>>,
    // Accessed by the slot that has reserved the record.
    body: UnsafeCell<Body>,
}

/// A block and the places that go with its records. Never freed.
#[repr(C)]
struct Frame {
    block: Block,
    places: [Place; RECORDS],
    /// The frame that this module made before; set once, before the frame is seen.
    next: AtomicPtr<Frame>,
}

// SAFETY: the block is made of atomics. A body is accessed through the one slot that has reserved its record, and what it
// holds may be sent. The references to records are written before the frame is shared, and only read after.
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
            frame.renew();
            frame.block.unclaim();
        }
    }
}

/// A record that this value alone holds, and the body that goes with it. Freed on drop.
pub(crate) struct Slot<'py> {
    // Invariant: this slot has reserved the record of the place.
    place: &'static Place,
    py: Python<'py>,
}

impl<'py> Slot<'py> {
    /// Reserves a record. That the thread is attached while the slot lives is what lets records of one block do for all
    /// threads where one runs at a time.
    #[inline]
    pub(crate) fn reserve(py: Python<'py>, registry: &'static Registry) -> Self {
        let current = if registry.is_concurrent() {
            let own = OWN.try_with(|own| own.0.get()).ok().flatten();
            if let Some(frame) = own.filter(|frame| frame.block.is_worn()) {
                frame.renew();
            }
            own
        } else {
            // SAFETY: a frame that is never freed, or NULL.
            unsafe { CURRENT.load(Ordering::Relaxed).as_ref() }
        };
        let place = match current.and_then(Frame::reserve) {
            Some(place) => place,
            None => Frame::reserve_elsewhere(registry, current),
        };
        Self { place, py }
    }

    /// What is borrowed, or will be.
    #[inline]
    pub(crate) fn body(&self) -> &Body {
        // SAFETY: reserved by this slot, and `&self` excludes `body_mut` (invariant).
        unsafe { &*self.place.body.get() }
    }

    #[inline]
    pub(crate) fn body_mut(&mut self) -> &mut Body {
        // SAFETY: reserved by this slot, and `&mut self` is the only access (invariant).
        unsafe { &mut *self.place.body.get() }
    }

    /// Borrows what the body describes, until the slot is dropped. Nothing is borrowed of a tensor without elements.
    ///
    /// # Errors
    ///
    /// How memory that it overlaps is borrowed.
    #[inline]
    pub(crate) fn borrow(&mut self, kind: Kind) -> Result<(), Kind> {
        match Region::of(&self.body().descriptor) {
            Some(region) => self.place.registry.borrow(self.place.record(), &region, kind),
            None => Ok(()),
        }
    }

    /// The same for elements that follow one another from the first on; this many bytes, which the memory has and which are
    /// more than none.
    ///
    /// # Errors
    ///
    /// How memory that it overlaps is borrowed.
    #[inline]
    pub(crate) fn borrow_solid(&mut self, bytes: usize, kind: Kind) -> Result<(), Kind> {
        let region = Region::solid(self.body().descriptor.data().addr(), bytes);
        self.place.registry.borrow(self.place.record(), &region, kind)
    }

    /// Borrows some bytes, whatever the body describes, until the slot is dropped. They may overlap those of `own`, which the
    /// same user has.
    ///
    /// # Errors
    ///
    /// How memory that it overlaps is borrowed.
    #[inline]
    pub(super) fn borrow_region(&mut self, region: &Region, kind: Kind, own: Option<&Self>) -> Result<(), Kind> {
        let own = own.unwrap_or(self).place.record();
        self.place.registry.borrow_with(self.place.record(), own, region, kind)
    }

    #[inline]
    pub(crate) fn py(&self) -> Python<'py> {
        self.py
    }
}

impl Place {
    #[inline]
    fn record(&self) -> &'static Record {
        match self.record.get() {
            Some(record) => record,
            None => unreachable!("set before the frame is seen"),
        }
    }
}

impl Drop for Slot<'_> {
    #[inline]
    fn drop(&mut self) {
        // What keeps the memory may run any code when it goes, code that borrows too; it goes when the record is free, and
        // the memory last, so that nobody else has it while it is still registered.
        let body = self.body_mut();
        let (keep, object) = (body.keep.take(), body.object.take());
        self.place.registry.release(self.place.record());
        drop(keep);
        drop(object.map(|object| object.map(|one| one.into_bound(self.py))));
    }
}

impl Frame {
    #[inline]
    fn reserve(&'static self) -> Option<&'static Place> {
        // There are as many places as records.
        self.places.get(self.block.reserve()?.0)
    }

    /// Begins the territories of the block anew where that may be; called by whoever has claimed it.
    #[cold]
    fn renew(&self) {
        if let Some(place) = self.places.first() {
            place.registry.renew(&self.block);
        }
    }

    /// Reserves a record of another frame than the present one, which is full, or missing; a new one if it must be.
    #[cold]
    fn reserve_elsewhere(registry: &'static Registry, current: Option<&'static Self>) -> &'static Place {
        if let Some(frame) = current {
            frame.block.unclaim();
        }
        let (frame, place) = Self::find().unwrap_or_else(|| Self::make(registry));
        if registry.is_concurrent() {
            if OWN.try_with(|own| own.0.set(Some(frame))).is_err() {
                // The thread is about to end; it holds the record without the claim.
                frame.block.unclaim();
            }
        } else {
            CURRENT.store(ptr::from_ref(frame).cast_mut(), Ordering::Relaxed);
        }
        place
    }

    /// A frame of this module that nobody has claimed, and a place of it that is free.
    fn find() -> Option<(&'static Self, &'static Place)> {
        let mut next = FRAMES.load(Ordering::Acquire);
        // SAFETY: frames are never freed, and were whole before they were added.
        while let Some(frame) = unsafe { next.as_ref() } {
            if frame.block.claim() {
                match frame.reserve() {
                    Some(place) => return Some((frame, place)),
                    None => frame.block.unclaim(),
                }
            }
            next = frame.next.load(Ordering::Relaxed);
        }
        None
    }

    fn make(registry: &'static Registry) -> (&'static Self, &'static Place) {
        let place = || Place {
            registry,
            record: Cell::new(None),
            body: UnsafeCell::new(Body { descriptor: Descriptor::blank(), object: None, keep: None }),
        };
        let frame: &'static Self = Box::leak(Box::new(Self {
            block: Block::claimed(),
            places: core::array::from_fn(|_| place()),
            next: AtomicPtr::new(ptr::null_mut()),
        }));
        for (place, record) in frame.places.iter().zip(frame.block.records()) {
            place.record.set(Some(record));
        }
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
        match frame.reserve() {
            Some(place) => (frame, place),
            None => unreachable!("all records of a new block are free"),
        }
    }
}
