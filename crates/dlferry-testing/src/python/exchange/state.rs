//! What a table knows of itself.
//!
//! The members of a table get no context from their caller, so each table has functions of its own (see
//! [`table`](super::table)), which know the number of their slot here. Slots are never reused: a table lives as long
//! as the process.

use std::ffi::CString;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use dlferry::abi::DLTensor;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::Crafted;

/// How many tables a process may have.
pub(super) const SLOTS: usize = 512;

static STATES: RwLock<Vec<Arc<State>>> = RwLock::new(Vec::new());

/// A member of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Allocator,
    From,
    To,
    Borrow,
    Stream,
}

/// The members, in their order, with the names that the header gives them.
pub(super) const MEMBERS: [(Member, &str); 5] = [
    (Member::Allocator, "managed_tensor_allocator"),
    (Member::From, "managed_tensor_from_py_object_no_sync"),
    (Member::To, "managed_tensor_to_py_object_no_sync"),
    (Member::Borrow, "dltensor_from_py_object_no_sync"),
    (Member::Stream, "current_work_stream"),
];

impl Member {
    /// The member of that name.
    pub(super) fn named(name: &str) -> PyResult<Self> {
        let found = MEMBERS.iter().find(|(_, known)| *known == name).map(|(member, _)| *member);
        found.ok_or_else(|| PyValueError::new_err(format!("the exchange table has no member '{name}'")))
    }
}

/// An exception that a member fails with.
pub(super) struct Failure {
    /// The instance.
    pub(super) error: Py<PyAny>,
    /// Name of its type, for the allocator, which may not touch Python.
    pub(super) kind: CString,
    /// Its text, for the same.
    pub(super) message: CString,
}

/// The tensor that borrows point into; alive for ever, as no caller says when it is done.
#[derive(Clone, Copy)]
pub(super) struct Lent(pub(super) DLTensor);

// SAFETY: the pointers lead to arrays that are never freed nor written.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

/// One table's behaviour and counts.
pub(super) struct State {
    /// What instances of the type export.
    pub(super) recipe: Crafted,
    /// What instances of the type lend.
    pub(super) lent: Lent,
    /// The type; set right after it is made.
    pub(super) class: OnceLock<Py<PyType>>,
    /// Members that fail.
    pub(super) failures: Vec<(Member, Failure)>,
    /// The stream, as a pointer's value.
    pub(super) stream: usize,
    /// This table is of another major, and nobody may call it.
    pub(super) forbidden: bool,
    calls: [AtomicUsize; 5],
    detached: AtomicUsize,
}

impl State {
    pub(super) fn new(
        recipe: &Crafted,
        lent: Lent,
        failures: Vec<(Member, Failure)>,
        stream: usize,
        forbidden: bool,
    ) -> Self {
        Self {
            recipe: recipe.clone(),
            lent,
            class: OnceLock::new(),
            failures,
            stream,
            forbidden,
            calls: Default::default(),
            detached: AtomicUsize::new(0),
        }
    }

    /// Counts a call of `member`.
    pub(super) fn count(&self, member: Member) {
        let counters = MEMBERS.iter().zip(&self.calls);
        for (_, counter) in counters.filter(|((known, _), _)| *known == member) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: a call came from a consumer, so the interpreter is there; needs no attachment.
        if member != Member::Allocator && unsafe { ffi::PyGILState_Check() } == 0 {
            self.detached.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The failure that `member` was told to have.
    pub(super) fn failure(&self, member: Member) -> Option<&Failure> {
        self.failures.iter().find(|(known, _)| *known == member).map(|(_, failure)| failure)
    }

    /// How often each member was called, by name.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&'static str, usize)> {
        MEMBERS.iter().zip(&self.calls).map(|((_, name), count)| (*name, count.load(Ordering::Relaxed)))
    }

    /// How often a member that needs an attached thread was called on one that was not.
    pub(super) fn detached(&self) -> usize {
        self.detached.load(Ordering::Relaxed)
    }
}

/// Gives `state` a slot.
pub(super) fn add(state: Arc<State>) -> PyResult<usize> {
    let mut states = STATES.write().unwrap_or_else(PoisonError::into_inner);
    let slot = states.len();
    if slot >= SLOTS {
        return Err(PyRuntimeError::new_err(format!("a process has room for {SLOTS} exchange tables")));
    }
    states.push(state);
    Ok(slot)
}

/// The state in a slot.
pub(super) fn get(slot: usize) -> Option<Arc<State>> {
    STATES.read().unwrap_or_else(PoisonError::into_inner).get(slot).map(Arc::clone)
}
