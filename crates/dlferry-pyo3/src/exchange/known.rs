//! Which types have an exchange table, remembered.
//!
//! Looking for an attribute that a type lacks costs more than all the rest of some imports. CPython numbers each state of
//! a type, never twice, for a cache of its own; with that number the answer for a type can be kept until the type
//! changes. A table lives as long as the process (rule E1), so a kept one cannot dangle.

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;

use super::Table;

use crate::once::Once;

/// Types that are remembered, by each thread for itself.
const SLOTS: usize = 8;

/// What is known of one type in one state.
#[derive(Clone, Copy)]
struct Known {
    state: State,
    table: Option<Table>,
}

/// What is remembered of a type.
pub(super) enum Memory {
    /// What was found before: a table, or that there is none.
    Found(Option<Table>),
    Nothing,
}

/// A type, and the number of its state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    kind: usize,
    version: u32,
}

thread_local! {
    static KNOWN: [Cell<Option<Known>>; SLOTS] = const { [const { Cell::new(None) }; SLOTS] };
}

impl State {
    /// The state of an object's type; `None` when it has no number at present.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> Option<Self> {
        let kind = object.get_type_ptr();
        // SAFETY: the type of a living object.
        let version = unsafe { &raw mut (*kind).tp_version_tag };
        // SAFETY: aligned, alive with its type; without a global lock the interpreter writes it as an atomic too.
        let version = unsafe { AtomicU32::from_ptr(version) }.load(Ordering::Relaxed);
        let is_valid = version != 0 && (is_zeroed_on_change(object.py()) || has_valid_flag(kind));
        is_valid.then(|| Self { kind: kind.addr(), version })
    }

    fn slot<R>(self, action: impl FnOnce(&Cell<Option<Known>>) -> R) -> Option<R> {
        // Types are aligned to 16 bytes at least.
        let slot = (self.kind >> 4) % SLOTS;
        KNOWN.try_with(|known| known.get(slot).map(action)).ok().flatten()
    }

    /// What was found for this state before.
    pub(super) fn recall(self) -> Memory {
        match self.slot(Cell::get).flatten() {
            Some(known) if known.state == self => Memory::Found(known.table),
            _ => Memory::Nothing,
        }
    }

    pub(super) fn remember(self, table: Option<Table>) {
        let _kept = self.slot(|slot| slot.set(Some(Known { state: self, table })));
    }
}

/// From 3.13 on the number of a type that changes becomes 0.
fn is_zeroed_on_change(py: Python<'_>) -> bool {
    static ZEROED: Once<bool> = Once::new();
    *ZEROED.get_or_init(py, || py.version_info() >= (3, 13))
}

/// Before, a flag says whether the number still counts.
fn has_valid_flag(kind: *mut ffi::PyTypeObject) -> bool {
    const VALID_VERSION_TAG: core::ffi::c_ulong = 1 << 19;
    // SAFETY: attached; the type of a living object.
    let flags = unsafe { ffi::PyType_GetFlags(kind) };
    flags & VALID_VERSION_TAG != 0
}
