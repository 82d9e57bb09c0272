//! The atomics of the counter: those of the core library; in one test those that loom plays all orders of.

#[cfg(not(all(loom, test)))]
pub(super) use core::sync::atomic::{AtomicUsize, Ordering, fence};
#[cfg(all(loom, test))]
pub(super) use loom::sync::atomic::{AtomicUsize, Ordering, fence};
