//! Owners whose end is counted.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::export::{Owner, OwnerMut};

/// How often an owner was dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Drops(Arc<AtomicUsize>);

impl Drops {
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Six numbers that lie inside the owner, so that they move when it does.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) values: [i32; 6],
    drops: Drops,
}

impl Counted {
    pub(super) fn new() -> (Self, Drops) {
        let drops = Drops::default();
        (Self { values: [0, 1, 2, 3, 4, 5], drops: drops.clone() }, drops)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.drops.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Owner for Counted {
    type Item = i32;

    fn as_slice(&self) -> &[i32] {
        &self.values
    }
}

impl OwnerMut for Counted {
    fn as_mut_slice(&mut self) -> &mut [i32] {
        &mut self.values
    }
}
