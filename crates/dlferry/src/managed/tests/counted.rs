//! The counter under every tensor: its value is dropped once, by the last reference, on whichever thread.

extern crate std;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Barrier;

use crate::managed::counted::Counted;

/// A value that counts how often it was dropped.
#[derive(Debug)]
struct Told(Arc<AtomicUsize>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn told() -> (Counted<Told>, Arc<AtomicUsize>) {
    let drops = Arc::new(AtomicUsize::new(0));
    (Counted::new(Told(Arc::clone(&drops))), drops)
}

#[test]
fn the_value_is_dropped_once_with_the_last_reference() {
    for order in 0..6 {
        let (first, drops) = told();
        let mut all = Vec::from([first.clone(), first.clone(), first]);
        all.swap(0, order % 3);
        all.swap(1, 1 + order % 2);
        while let Some(reference) = all.pop() {
            assert_eq!(drops.load(Ordering::SeqCst), 0);
            assert_eq!(reference.is_sole(), all.is_empty());
            drop(reference);
        }
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn the_value_comes_out_of_the_only_reference() {
    let (first, drops) = told();
    let second = first.clone();
    let first = first.into_sole().expect_err("there are two");
    drop(second);
    let value = first.into_sole().expect("there is one");
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(value);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn the_only_reference_may_change_the_value() {
    let mut counted = Counted::new(1);
    // SAFETY: the only reference.
    *unsafe { counted.sole_mut() } += 1;
    let other = counted.clone();
    drop(counted);
    assert_eq!(*other, 2);
}

#[test]
fn the_value_is_made_where_it_stays() {
    let mut place = core::ptr::null();
    let write = |at: *mut [u64; 40]| {
        place = at.cast_const();
        // SAFETY: room for the value.
        unsafe { at.write([7; 40]) };
    };
    // SAFETY: the value is written.
    let counted = unsafe { Counted::made(write) };
    assert!(core::ptr::eq(place, &raw const *counted));
    assert_eq!(*counted, [7; 40]);
    assert_eq!(counted.into_sole().ok(), Some([7; 40]));
}

#[test]
fn a_value_that_was_never_made_is_not_dropped() {
    let (told, drops) = told();
    let made = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        // SAFETY: it does not return.
        unsafe { Counted::made(|_: *mut Told| panic!("not today")) }
    }));
    assert!(made.is_err());
    drop(told);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn values_of_any_size_and_alignment_have_their_place() {
    #[repr(align(256))]
    struct Wide(u8);

    let wide = Counted::new(Wide(9));
    assert_eq!((&raw const *wide).addr() % 256, 0);
    assert_eq!(wide.clone().0, 9);
    assert_eq!(wide.into_sole().ok().map(|wide| wide.0), Some(9));
    let nothing = Counted::new(());
    assert!(!nothing.clone().is_sole());
    assert!(nothing.into_sole().is_ok());
}

#[test]
fn many_threads_drop_the_value_once() {
    for _ in 0..200 {
        let (first, drops) = told();
        let start = Arc::new(Barrier::new(4));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let (own, start) = (first.clone(), Arc::clone(&start));
                std::thread::spawn(move || {
                    start.wait();
                    for _ in 0..20 {
                        drop(own.clone());
                    }
                    drop(own);
                })
            })
            .collect();
        drop(first);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn whoever_is_last_sees_what_the_others_did() {
    /// A number that its references write in turn, each before it lets go, and nobody guards.
    struct Unguarded {
        turn: AtomicUsize,
        sum: UnsafeCell<usize>,
        seen: Arc<AtomicUsize>,
    }
    // SAFETY: each thread writes in its own turn only.
    unsafe impl Sync for Unguarded {}
    impl Drop for Unguarded {
        fn drop(&mut self) {
            self.seen.store(*self.sum.get_mut(), Ordering::SeqCst);
        }
    }

    for _ in 0..200 {
        let seen = Arc::new(AtomicUsize::new(0));
        let value = Unguarded { turn: AtomicUsize::new(0), sum: UnsafeCell::new(0), seen: Arc::clone(&seen) };
        let first = Counted::new(value);
        let threads: Vec<_> = (0..3)
            .map(|turn| {
                let own = first.clone();
                std::thread::spawn(move || {
                    while own.turn.load(Ordering::Acquire) != turn {
                        std::thread::yield_now();
                    }
                    // SAFETY: this thread's turn; the writes before are seen.
                    unsafe { *own.sum.get() += turn + 1 };
                    own.turn.store(turn + 1, Ordering::Release);
                })
            })
            .collect();
        drop(first);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(seen.load(Ordering::SeqCst), 6);
    }
}
