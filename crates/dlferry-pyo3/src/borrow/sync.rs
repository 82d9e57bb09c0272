//! The atomics of the registry: those of the standard library, or those that loom plays all orders of.

#[cfg(not(loom))]
pub(super) use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};
#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};
