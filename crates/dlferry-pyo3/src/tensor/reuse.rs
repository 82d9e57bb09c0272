//! Room for tensor objects, kept when one is freed and taken for the next: most live for one call, and the interpreter takes
//! longer to find room for an object than all checks of an import together.
//!
//! What CPython does for its own tuples and floats: the two functions of the class that allocate and free, and nothing else,
//! are replaced. An object in kept room is what a new one is: zeroed, counted once, seen by the garbage collector.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;

use super::{Tensor, immortal};
use crate::python::RUNS_THREADS_AT_ONCE;

/// Objects whose room is kept, at most.
const MOST: usize = 16;

/// Room of freed objects.
struct Rooms(UnsafeCell<Kept>);

struct Kept {
    count: usize,
    places: [*mut ffi::PyObject; MOST],
}

// SAFETY: looked at while the interpreter's lock is held, by functions that are in use only where there is one.
unsafe impl Sync for Rooms {}

static ROOMS: Rooms = Rooms(UnsafeCell::new(Kept { count: 0, places: [core::ptr::null_mut(); MOST] }));

impl Rooms {
    /// Takes room out; `None` when there is none.
    ///
    /// # Safety
    ///
    /// Attached, and under a global lock.
    #[inline]
    unsafe fn take(&self) -> Option<*mut ffi::PyObject> {
        // SAFETY: under the lock, vouched for by the caller; not kept beyond this function, which calls nothing.
        let kept = unsafe { &mut *self.0.get() };
        let last = kept.count.checked_sub(1)?;
        let room = kept.places.get(last).copied()?;
        kept.count = last;
        Some(room)
    }

    /// Puts room in; `false` when there is enough.
    ///
    /// # Safety
    ///
    /// As [`Self::take`].
    #[inline]
    unsafe fn put(&self, room: *mut ffi::PyObject) -> bool {
        // SAFETY: as in `take`.
        let kept = unsafe { &mut *self.0.get() };
        let Some(place) = kept.places.get_mut(kept.count) else { return false };
        *place = room;
        kept.count = kept.count.wrapping_add(1);
        true
    }
}

/// Has the class keep room, from the first call on.
#[inline]
pub(super) fn install(py: Python<'_>) {
    static ASKED: AtomicBool = AtomicBool::new(false);
    if !ASKED.load(Ordering::Relaxed) {
        ASKED.store(true, Ordering::Relaxed);
        replace(py);
    }
}

#[cold]
fn replace(py: Python<'_>) {
    // Without a global lock two threads would take the same room.
    if RUNS_THREADS_AT_ONCE {
        return immortal::install(py);
    }
    let kind = py.get_type::<Tensor>().as_type_ptr();
    // SAFETY: a class that nothing can be derived from, made by pyo3, which is never freed.
    let alloc = unsafe { (*kind).tp_alloc };
    // SAFETY: as above.
    let free = unsafe { (*kind).tp_free };
    let is_usual = alloc.is_some_and(|alloc| core::ptr::fn_addr_eq(alloc, ffi::PyType_GenericAlloc as ffi::allocfunc))
        && free.is_some_and(|free| core::ptr::fn_addr_eq(free, ffi::PyObject_GC_Del as ffi::freefunc));
    if is_usual {
        // SAFETY: attached; both do for objects of this class what those that were found do.
        unsafe { (*kind).tp_alloc = Some(allocate) };
        // SAFETY: as above.
        unsafe { (*kind).tp_free = Some(free_room) };
    }
}

/// As `PyType_GenericAlloc`, for the class of tensors.
unsafe extern "C" fn allocate(kind: *mut ffi::PyTypeObject, items: ffi::Py_ssize_t) -> *mut ffi::PyObject {
    // SAFETY: attached, for the interpreter calls this; in use under a global lock only.
    let Some(room) = (unsafe { ROOMS.take() }) else {
        // SAFETY: attached; this is what the class had.
        return unsafe { ffi::PyType_GenericAlloc(kind, items) };
    };
    // SAFETY: the class, alive.
    let bytes = unsafe { (*kind).tp_basicsize };
    let bytes = usize::try_from(bytes).unwrap_or(0).saturating_sub(size_of::<ffi::PyObject>());
    // SAFETY: the room is that of an object of this class, which has a fixed size and begins with the head.
    let contents = unsafe { room.add(1) };
    // SAFETY: as above, and nobody else has it.
    unsafe { contents.cast::<u8>().write_bytes(0, bytes) };
    // SAFETY: attached; room for an object of the class, to which it counts a reference.
    let object = unsafe { ffi::PyObject_Init(room, kind) };
    // SAFETY: it has the head of what the collector sees, from which it was taken when it was freed; zeros are no references.
    unsafe { ffi::PyObject_GC_Track(object.cast()) };
    object
}

/// As `PyObject_GC_Del`, for the class of tensors, whose objects the collector does not see any more when they come here.
unsafe extern "C" fn free_room(object: *mut c_void) {
    // SAFETY: attached, for the interpreter calls this; in use under a global lock only.
    if !unsafe { ROOMS.put(object.cast()) } {
        // SAFETY: attached; this is what the class had.
        unsafe { ffi::PyObject_GC_Del(object) };
    }
}
