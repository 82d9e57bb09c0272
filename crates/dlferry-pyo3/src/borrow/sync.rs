//! The atomics of the registry: those of the standard library; in one test those that loom plays all orders of.

#[cfg(not(all(loom, test)))]
pub(super) use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};
#[cfg(all(loom, test))]
pub(super) use loom::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};
