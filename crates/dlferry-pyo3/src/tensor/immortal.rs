//! The class of tensors, in interpreters without a global lock: not counted.
//!
//! Each object counts a reference to its class. There, CPython counts those of its own objects for each thread alone; what frees
//! an object of an extension, though, takes the reference back where all threads do, and so two threads that make tensors wait for
//! one line of the cache: they get no further than one. Objects that the interpreter knows to be immortal are not counted at all.
//! The class is: pyo3 keeps it for as long as the process lives. From 3.13 on CPython does the same to the classes of Python
//! programs, and has no public function for it before 3.15.

use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::Tensor;

/// The head of an object without a global lock, up to what is needed, as the headers of 3.13 and 3.14 have it.
#[repr(C)]
struct Head {
    /// The thread that counts in `local`.
    thread: usize,
    _flags: u32,
    local: AtomicU32,
    _shared: isize,
    _class: *mut ffi::PyTypeObject,
}

/// What `local` is of an immortal object.
const IMMORTAL: u32 = u32::MAX;

/// Whether this is a build for such an interpreter: objects have a longer head.
const IS_FREE_THREADED: bool = size_of::<ffi::PyObject>() == size_of::<Head>();

/// Has the class not counted any more, where it would be counted by many threads.
pub(super) fn install(py: Python<'_>) {
    if IS_FREE_THREADED && matches!(py.version_info().minor, 13 | 14) {
        make(&py.get_type::<Tensor>());
    }
}

fn make(class: &Bound<'_, PyAny>) {
    let py = class.py();
    let (none, new) = (py.None().into_bound(py), PyList::empty(py).into_any());
    // That these are as they should be shows that the head is.
    if count(&none) != IMMORTAL || count(&new) != 1 {
        return;
    }
    // Nobody but the thread that it belongs to writes the count of an object: that of a new one is this thread.
    if thread(class) == thread(&new) {
        // SAFETY: see `IS_FREE_THREADED`; an atomic.
        unsafe { &(*head(class)).local }.store(IMMORTAL, Ordering::Relaxed);
    }
}

fn head(object: &Bound<'_, PyAny>) -> *const Head {
    object.as_ptr().cast_const().cast()
}

fn count(object: &Bound<'_, PyAny>) -> u32 {
    // SAFETY: see `IS_FREE_THREADED`; a living object, and an atomic.
    unsafe { &(*head(object)).local }.load(Ordering::Relaxed)
}

fn thread(object: &Bound<'_, PyAny>) -> usize {
    // SAFETY: see `IS_FREE_THREADED`; a living object.
    let place = unsafe { &raw const (*head(object)).thread };
    // SAFETY: as above; the interpreter writes it as an atomic.
    unsafe { ptr::read_volatile(place) }
}
