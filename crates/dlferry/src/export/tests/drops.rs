extern crate std;

use alloc::vec;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use super::counted::{Counted, Drops};
use super::{Consumer, Struct};
use crate::abi::{DLManagedTensor, DLManagedTensorVersioned};
use crate::export::{Export, Owner};
use crate::layout::Layout;
use crate::managed::Tensor;

fn counted() -> (Export<Counted>, Drops) {
    let (owner, drops) = Counted::new();
    (Export::writable(owner), drops)
}

/// A deleter that is called on a thread that has never seen the tensor.
fn delete_elsewhere<S: Struct>(consumer: Consumer<S>) {
    std::thread::spawn(move || {
        let consumer = consumer;
        drop(consumer);
    })
    .join()
    .unwrap();
}

#[test]
fn an_export_that_is_not_finished_drops_its_owner_once() {
    let (export, drops) = counted();
    drop(export);
    assert_eq!(drops.count(), 1);
}

#[test]
fn a_refused_export_drops_its_owner_once() {
    let beyond = || Layout::c_contiguous(&[7]).unwrap();
    let (export, drops) = counted();
    assert!(export.layout(beyond(), 0).finish().is_err());
    assert_eq!(drops.count(), 1);

    let (export, drops) = counted();
    assert!(export.shape(&[-1]).finish().is_err());
    assert_eq!(drops.count(), 1);

    let (export, drops) = counted();
    assert!(export.layout(beyond(), 0).into_managed::<DLManagedTensor>().is_err());
    assert_eq!(drops.count(), 1);

    let (owner, drops) = Counted::new();
    assert!(Export::read_only(owner).into_managed::<DLManagedTensor>().is_err());
    assert_eq!(drops.count(), 1);

    let (export, drops) = counted();
    let repeated = Layout::new(&[3, 6], &[0, 1]).unwrap();
    assert!(export.layout(repeated, 0).into_managed::<DLManagedTensor>().is_err());
    assert_eq!(drops.count(), 1);
}

#[test]
fn a_dropped_tensor_drops_its_owner_once() {
    let (export, drops) = counted();
    let tensor = export.finish().unwrap();
    assert_eq!(drops.count(), 0);
    drop(tensor);
    assert_eq!(drops.count(), 1);
}

#[test]
fn a_tensor_that_cannot_be_handed_on_drops_its_owner_once() {
    let (owner, drops) = Counted::new();
    let tensor = Export::read_only(owner).finish().unwrap();
    assert!(tensor.into_managed::<DLManagedTensor>().is_err());
    assert_eq!(drops.count(), 1);
}

#[test]
fn the_deleter_drops_the_owner_once_on_any_thread() {
    fn check<S: Struct>() {
        let (export, drops) = counted();
        delete_elsewhere(Consumer(export.into_managed::<S>().unwrap()));
        assert_eq!(drops.count(), 1);

        let (export, drops) = counted();
        delete_elsewhere(Consumer(export.finish().unwrap().into_managed::<S>().unwrap()));
        assert_eq!(drops.count(), 1);
    }
    check::<DLManagedTensor>();
    check::<DLManagedTensorVersioned>();
}

#[test]
fn memory_that_is_no_slice_is_freed_with_its_owner() {
    let (owner, drops) = Counted::new();
    let layout = Layout::c_contiguous(&[0]).unwrap();
    let whole = Export::writable(vec![0_u8]).finish().unwrap();
    let descriptor = whole.descriptor().view(layout, 0).unwrap();
    // SAFETY: the descriptor describes no memory.
    let tensor = unsafe { Tensor::from_owner(owner, descriptor) }.unwrap();
    assert_eq!(drops.count(), 0);
    drop(tensor);
    assert_eq!(drops.count(), 1);
}

/// Panics when it is asked for its elements.
struct Shy(Counted);

impl Owner for Shy {
    type Item = i32;

    fn as_slice(&self) -> &[i32] {
        panic!("{} elements, none of which are shown", self.0.values.len())
    }
}

#[test]
fn an_owner_that_panics_when_it_is_borrowed_is_dropped_once() {
    let (owner, drops) = Counted::new();
    let export = Export::read_only(Shy(owner));
    assert!(catch_unwind(AssertUnwindSafe(|| export.finish().map(drop))).is_err());
    assert_eq!(drops.count(), 1);
}

/// Panics when it is dropped. With a payload that takes no memory, for it is left behind.
#[cfg(feature = "std")]
struct Bomb<P: Default + Send + 'static>(Counted, core::marker::PhantomData<fn() -> P>);

#[cfg(feature = "std")]
impl<P: Default + Send + 'static> Drop for Bomb<P> {
    fn drop(&mut self) {
        std::panic::panic_any(P::default());
    }
}

#[cfg(feature = "std")]
impl<P: Default + Send + 'static> Owner for Bomb<P> {
    type Item = i32;

    fn as_slice(&self) -> &[i32] {
        &self.0.values
    }
}

#[cfg(feature = "std")]
fn panic_of_the_owner_is_contained<P: Default + Send + 'static>() {
    let bomb = || {
        let (owner, drops) = Counted::new();
        (Export::read_only(Bomb::<P>(owner, core::marker::PhantomData)), drops)
    };
    let (export, drops) = bomb();
    drop(export.finish().unwrap());
    assert_eq!(drops.count(), 1, "what the owner holds is dropped all the same");

    let (export, drops) = bomb();
    delete_elsewhere(Consumer(export.into_managed::<DLManagedTensorVersioned>().unwrap()));
    assert_eq!(drops.count(), 1);

    let (export, drops) = bomb();
    assert!(export.shape(&[7]).finish().is_err());
    assert_eq!(drops.count(), 1);
}

#[cfg(feature = "std")]
#[test]
fn a_panic_in_the_owners_drop_does_not_leave_the_deleter() {
    panic_of_the_owner_is_contained::<()>();
}

#[cfg(feature = "std")]
#[test]
fn a_panic_whose_payload_panics_when_dropped_does_not_leave_the_deleter() {
    #[derive(Default)]
    struct Again;

    impl Drop for Again {
        fn drop(&mut self) {
            panic!("the payload of a panic was dropped");
        }
    }

    // What does leave is kept from who runs the tests, whom it would end without a word.
    if let Err(payload) = catch_unwind(panic_of_the_owner_is_contained::<Again>) {
        let _leaked = core::mem::ManuallyDrop::new(payload);
        panic!("a panic left an owner's release, or an assertion failed");
    }
}
