extern crate std;

use alloc::vec::Vec;
use core::cell::Cell;
use core::mem::forget;
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::thread_local;

use super::Consumer;
use super::counted::{Counted, Drops};
use crate::abi::DLManagedTensorVersioned;
use crate::export::{Export, Last, Owner, Release};
use crate::layout::Layout;

thread_local! {
    /// How often this thread was asked to release something.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn asked() -> usize {
    ASKED.get()
}

struct Elsewhere;

impl Release for Elsewhere {
    fn release<O: Send>(last: Last<'_, O>) {
        ASKED.set(ASKED.get() + 1);
        thread::scope(|scope| scope.spawn(|| drop(last)).join().unwrap());
    }
}

struct Never;

impl Release for Never {
    #[allow(clippy::mem_forget, reason = "what a release may do at worst")]
    fn release<O: Send>(last: Last<'_, O>) {
        forget(last);
    }
}

/// Tells on which thread it was dropped.
struct Told(std::sync::mpsc::Sender<ThreadId>, Counted);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.send(thread::current().id()).unwrap();
    }
}

impl Owner for Told {
    type Item = i32;

    fn as_slice(&self) -> &[i32] {
        &self.1.values
    }
}

#[test]
fn an_owner_is_released_once_as_its_export_says() {
    let (sender, told) = std::sync::mpsc::channel();
    let (counted, drops) = Counted::new();
    let tensor = Export::read_only(Told(sender, counted)).finish_releasing::<Elsewhere>().unwrap();
    let before = asked();
    drop(Consumer(tensor.into_managed::<DLManagedTensorVersioned>().unwrap()));
    assert_eq!(asked(), before + 1);
    assert_ne!(told.recv().unwrap(), thread::current().id());
    assert!(told.recv().is_err(), "dropped once, and with what it held");
    assert_eq!(drops.count(), 1);
}

#[test]
fn an_owner_that_is_refused_is_released_as_well() {
    let layouts = [Layout::c_contiguous(&[-1]), Layout::c_contiguous(&[7])];
    for layout in layouts {
        let (counted, drops) = Counted::new();
        let before = asked();
        let export = Export::read_only(counted);
        let export = match layout {
            Ok(layout) => export.layout(layout, 0),
            Err(_) => export.shape(&[-1]),
        };
        assert!(export.finish_releasing::<Elsewhere>().is_err());
        assert_eq!((asked(), drops.count()), (before + 1, 1));
    }
}

#[test]
fn an_owner_that_is_not_released_is_leaked_and_its_block_freed() {
    // What a leaked owner holds is kept where LeakSanitizer finds it: that one is meant.
    static HELD: Mutex<Vec<Drops>> = Mutex::new(Vec::new());
    let (counted, drops) = Counted::new();
    drop(Export::read_only(counted).finish_releasing::<Never>().unwrap());
    assert_eq!(drops.count(), 0);
    HELD.lock().unwrap().push(drops);
}
