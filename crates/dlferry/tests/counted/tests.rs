//! The counter of a tensor's references: its file, compiled once more, on the atomics that loom plays all orders of.
//!
//! `make loom` runs these; elsewhere there is nothing here, and `managed::tests::counted` counts with real threads.

#![cfg(loom)]
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "the file is written for another place")]

extern crate alloc;

#[path = "../../src/managed/counted.rs"]
mod counted;
#[path = "../../src/managed/sync.rs"]
mod sync;

use counted::Counted;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

/// A value whose reads and whose end loom sees: two of them at once, one of them the end, fail the model.
struct Value {
    number: UnsafeCell<usize>,
    ended: Arc<AtomicUsize>,
}

// SAFETY: only read through shared references; loom says where that is not so.
unsafe impl Sync for Value {}

impl Value {
    fn new(ended: &Arc<AtomicUsize>) -> Self {
        Self { number: UnsafeCell::new(7), ended: ended.clone() }
    }

    fn read(&self) -> usize {
        // SAFETY: nobody writes while there are references, or loom fails the model.
        self.number.with(|number| unsafe { *number })
    }

    fn write(&mut self, value: usize) {
        // SAFETY: exclusive.
        self.number.with_mut(|number| unsafe { *number = value });
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.write(0);
        // Relaxed: counts only.
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// Plays `action` in all orders, however often threads take turns.
fn in_all_orders(action: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = None;
    model.check(action);
}

/// The same, for what is done with a first reference; the value ends once.
fn ends_once(action: impl Fn(Counted<Value>) + Sync + Send + 'static) {
    in_all_orders(move || {
        let ended = Arc::new(AtomicUsize::new(0));
        action(Counted::new(Value::new(&ended)));
        assert_eq!(ended.load(Ordering::Relaxed), 1, "the value ends once");
    });
}

#[test]
fn references_are_read_and_dropped_on_three_threads() {
    ends_once(|first| {
        let threads = [first.clone(), first.clone()].map(|reference| {
            thread::spawn(move || {
                assert_eq!(reference.read(), 7);
                drop(reference);
            })
        });
        assert_eq!(first.read(), 7);
        drop(first);
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn a_reference_is_made_while_another_goes() {
    ends_once(|first| {
        let second = first.clone();
        let thread = thread::spawn(move || drop(second));
        let third = first.clone();
        drop(first);
        assert_eq!(third.read(), 7);
        drop(third);
        thread.join().unwrap();
    });
}

#[test]
fn at_most_one_of_two_takes_the_value_out() {
    ends_once(|first| {
        let second = first.clone();
        let thread = thread::spawn(move || second.into_sole().is_ok_and(|value| value.read() == 7));
        let here = first.into_sole().is_ok_and(|value| value.read() == 7);
        assert!(!(thread.join().unwrap() && here), "the value was taken out twice");
    });
}

#[test]
fn whoever_is_alone_writes_after_all_that_others_read() {
    ends_once(|mut first| {
        let second = first.clone();
        let thread = thread::spawn(move || assert_eq!(second.read(), 7));
        if first.is_sole() {
            // SAFETY: just found.
            unsafe { first.sole_mut() }.write(9);
        }
        thread.join().unwrap();
        assert!(first.is_sole());
    });
}

#[test]
fn a_value_made_in_its_place_is_read_elsewhere() {
    in_all_orders(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        // SAFETY: within the room that is lent.
        let write = |place: *mut Value| unsafe { place.write(Value::new(&ended)) };
        // SAFETY: the value is written.
        let first = unsafe { Counted::made(write) };
        let second = first.clone();
        let thread = thread::spawn(move || assert_eq!(second.read(), 7));
        drop(first);
        thread.join().unwrap();
        assert_eq!(ended.load(Ordering::Relaxed), 1);
    });
}
