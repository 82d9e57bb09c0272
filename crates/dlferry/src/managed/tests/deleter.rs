extern crate std;

use alloc::vec::Vec;
use core::ptr;

use super::craft::{Kind, Spec, compact};
use crate::abi::{DLManagedTensor, DLManagedTensorVersioned};
use crate::managed::{Handle, SharedTensor, Tensor};

fn refused() -> Spec {
    compact(&[-1])
}

#[test]
fn the_deleter_runs_once_when_the_tensor_is_refused() {
    fn check<S: Kind>() {
        let (tensor, log) = refused().import::<S>();
        assert_eq!(log.calls(), 1);
        drop(tensor);
        assert_eq!(log.calls(), 1);
    }
    check::<DLManagedTensor>();
    check::<DLManagedTensorVersioned>();
}

#[test]
fn the_deleter_runs_once_when_the_tensor_is_dropped() {
    fn check<S: Kind>() {
        let (tensor, log) = compact(&[2]).import::<S>();
        assert_eq!(log.calls(), 0);
        drop(tensor);
        assert_eq!(log.calls(), 1);
    }
    check::<DLManagedTensor>();
    check::<DLManagedTensorVersioned>();
}

#[test]
fn the_deleter_gets_the_address_of_the_original_struct() {
    fn check<S: Kind>(spec: &Spec) {
        let (managed, log) = spec.make::<S>();
        // SAFETY: just made and handed to nobody else.
        drop(unsafe { S::import(managed) });
        assert_eq!(log.address(), managed.as_ptr().cast());
    }
    for spec in [compact(&[2]), refused()] {
        check::<DLManagedTensor>(&spec);
        check::<DLManagedTensorVersioned>(&spec);
    }
}

#[test]
fn a_null_deleter_is_not_called() {
    let (managed, log) = compact(&[2]).make::<DLManagedTensorVersioned>();
    for shape in [2, -1] {
        // SAFETY: just made; the vector of the extents has one element.
        let mut copy = unsafe { *managed.as_ptr() };
        let mut extent = shape;
        copy.dl_tensor.shape = &raw mut extent;
        copy.deleter = None;
        // SAFETY: the struct on the stack outlives the tensor, and no element is read.
        let tensor = unsafe { Tensor::from_raw_versioned(ptr::NonNull::from(&mut copy)) };
        assert_eq!(tensor.is_ok(), shape == 2);
        let mut old = DLManagedTensor { dl_tensor: copy.dl_tensor, manager_ctx: ptr::null_mut(), deleter: None };
        // SAFETY: as above.
        let old = unsafe { Tensor::from_raw_unversioned(ptr::NonNull::from(&mut old)) };
        assert_eq!(old.is_ok(), shape == 2);
    }
    assert_eq!(log.calls(), 0);
    // SAFETY: made above and handed to nobody else.
    drop(unsafe { Handle::versioned(managed) });
    assert_eq!(log.calls(), 1);
}

#[test]
fn a_tensor_may_be_dropped_on_another_thread() {
    let (tensor, log) = compact(&[2]).import::<DLManagedTensorVersioned>();
    let tensor = tensor.unwrap();
    std::thread::spawn(move || drop(tensor)).join().unwrap();
    assert_eq!(log.calls(), 1);
}

#[test]
fn taking_a_tensor_apart_keeps_its_memory() {
    let (tensor, log) = compact(&[2]).import::<DLManagedTensorVersioned>();
    let (handle, descriptor) = tensor.unwrap().into_parts();
    drop(descriptor.clone());
    assert_eq!(log.calls(), 0);
    // SAFETY: the two parts of one tensor.
    let tensor = unsafe { Tensor::from_parts(handle, descriptor) };
    assert_eq!(tensor.descriptor().shape(), [2]);
    drop(tensor);
    assert_eq!(log.calls(), 1);
}

#[test]
fn the_last_of_the_shared_tensors_deletes() {
    let (tensor, log) = compact(&[2]).import::<DLManagedTensorVersioned>();
    let first = tensor.unwrap().into_shared();
    let mut all: Vec<SharedTensor> = (0..4).map(|_| first.clone()).collect();
    all.push(first.to_read_only());
    // SAFETY: the same descriptor.
    all.push(unsafe { first.with_descriptor(first.descriptor().clone()) });
    drop(first);
    let threads: Vec<_> = all
        .into_iter()
        .map(|shared| {
            std::thread::spawn(move || {
                assert_eq!(shared.descriptor().shape(), [2]);
                drop(shared);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(log.calls(), 1);
}

#[test]
fn a_description_of_a_description_keeps_the_memory() {
    let (tensor, log) = compact(&[2]).import::<DLManagedTensorVersioned>();
    let mut shared = tensor.unwrap().into_shared();
    for _ in 0..4 {
        // SAFETY: the same descriptor. What it was taken from is dropped here.
        shared = unsafe { shared.with_descriptor(shared.descriptor().clone()) }.to_read_only();
        assert_eq!((log.calls(), shared.descriptor().shape()), (0, &[2][..]));
    }
    assert!(shared.descriptor().is_read_only());
    drop(shared);
    assert_eq!(log.calls(), 1);
}

#[test]
fn read_only_is_said_of_one_tensor_and_not_of_its_siblings() {
    let (tensor, _log) = compact(&[2]).import::<DLManagedTensorVersioned>();
    let shared = tensor.unwrap().into_shared();
    assert!(shared.to_read_only().descriptor().is_read_only());
    assert!(!shared.descriptor().is_read_only());
    let (tensor, _log) = compact(&[2]).import::<DLManagedTensorVersioned>();
    assert!(tensor.unwrap().into_read_only().descriptor().is_read_only());
}

#[test]
fn a_struct_that_changes_after_the_import_changes_nothing() {
    let (managed, log) = compact(&[2, 3]).make::<DLManagedTensorVersioned>();
    // SAFETY: just made and handed to nobody else.
    let tensor = unsafe { Tensor::from_raw_versioned(managed) }.unwrap();
    // SAFETY: the struct lives until the tensor is dropped.
    let inside = unsafe { &mut (*managed.as_ptr()).dl_tensor };
    // SAFETY: two extents were made.
    unsafe { inside.shape.write(1 << 40) };
    inside.ndim = 9;
    inside.data = ptr::null_mut();
    assert_eq!(tensor.descriptor().shape(), [2, 3]);
    assert!(!tensor.descriptor().data().is_null());
    drop(tensor);
    assert_eq!(log.calls(), 1);
}
