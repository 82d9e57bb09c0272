extern crate std;

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::Mutex;

use super::Consumer;
use super::counted::Counted;
use crate::abi::{DLManagedTensor, DLManagedTensorVersioned, FLAG_IS_COPIED, FLAG_READ_ONLY};
use crate::export::{Export, ExportError};
use crate::managed::{SharedTensor, Tensor};

/// Takes over what another consumer holds.
fn taken(consumer: Consumer<DLManagedTensorVersioned>) -> Tensor {
    let managed = core::mem::ManuallyDrop::new(consumer).0;
    // SAFETY: the consumer owned the struct and hands it over; nobody else looks at the memory.
    unsafe { Tensor::from_raw_versioned(managed) }.unwrap()
}

fn exported(tensor: Tensor) -> Consumer<DLManagedTensorVersioned> {
    Consumer(tensor.into_managed().unwrap())
}

#[test]
fn flags_survive_every_hop() {
    let cases = [
        (Export::writable(Counted::new().0), 0),
        (Export::read_only(Counted::new().0), FLAG_READ_ONLY),
        (Export::writable(Counted::new().0).copied(), FLAG_IS_COPIED),
        (Export::read_only(Counted::new().0).copied(), FLAG_READ_ONLY | FLAG_IS_COPIED),
    ];
    for (export, flags) in cases {
        let mut tensor = export.finish().unwrap();
        let data = tensor.descriptor().data();
        for _ in 0..4 {
            let consumer = exported(tensor);
            assert_eq!(consumer.fields().flags, flags);
            tensor = taken(consumer);
            assert_eq!(tensor.descriptor().data(), data, "shared, not copied");
        }
        assert_eq!(tensor.view().typed::<i32>().unwrap().to_vec(), [0, 1, 2, 3, 4, 5]);
    }
}

#[test]
fn the_owner_outlives_all_hops_and_is_dropped_once() {
    let (owner, drops) = Counted::new();
    let mut tensor = Export::writable(owner).finish().unwrap();
    for _ in 0..4 {
        tensor = taken(exported(tensor));
        assert_eq!(drops.count(), 0);
    }
    drop(exported(tensor));
    assert_eq!(drops.count(), 1);
}

/// Keeps the tensor of the hop before, and tells when it goes.
struct Hop {
    number: usize,
    gone: Arc<Mutex<Vec<usize>>>,
    _before: Option<Tensor>,
}

impl Drop for Hop {
    fn drop(&mut self) {
        self.gone.lock().unwrap().push(self.number);
    }
}

#[test]
fn hops_end_from_the_last_to_the_first() {
    let gone = Arc::default();
    let memory = Export::read_only(Counted::new().0).finish().unwrap();
    let descriptor = memory.descriptor().clone();
    let mut tensor = memory;
    for number in 1..=4 {
        let owner = Hop { number, gone: Arc::clone(&gone), _before: Some(tensor) };
        // SAFETY: the first tensor owns the memory, and every hop keeps the one before.
        let hop = unsafe { Tensor::from_owner(owner, descriptor.clone()) }.unwrap();
        tensor = taken(exported(hop));
    }
    assert!(gone.lock().unwrap().is_empty());
    assert_eq!(tensor.view().typed::<i32>().unwrap().get(&[5]), Some(5));
    drop(tensor);
    assert_eq!(*gone.lock().unwrap(), [4, 3, 2, 1]);
}

fn shared(export: Export<Counted>) -> SharedTensor {
    export.finish().unwrap().into_shared()
}

#[test]
fn a_shared_tensor_is_not_said_to_be_a_private_copy() {
    let copied = shared(Export::writable(Counted::new().0).copied());
    assert_eq!(copied.descriptor().copied(), Some(true));
    let consumer = Consumer::<DLManagedTensorVersioned>(copied.to_managed().unwrap());
    assert_eq!(consumer.fields().flags, 0);
    let consumer = Consumer::<DLManagedTensorVersioned>(copied.to_read_only().to_managed().unwrap());
    assert_eq!(consumer.fields().flags, FLAG_READ_ONLY);
    // Nor when the reference goes with the struct: there may be others.
    let consumer = Consumer::<DLManagedTensorVersioned>(copied.to_read_only().into_managed().unwrap());
    assert_eq!(consumer.fields().flags, FLAG_READ_ONLY);
    let consumer = Consumer::<DLManagedTensorVersioned>(copied.into_managed().unwrap());
    assert_eq!(consumer.fields().flags, 0);
}

#[test]
fn a_reference_that_goes_with_the_struct_goes_with_its_deleter() {
    let (owner, drops) = Counted::new();
    let whole = shared(Export::writable(owner));
    let consumer = Consumer::<DLManagedTensorVersioned>(whole.into_managed().unwrap());
    let tensor = taken(consumer);
    assert_eq!((tensor.view().typed::<i32>().unwrap().get(&[5]), drops.count()), (Some(5), 0));
    drop(tensor);
    assert_eq!(drops.count(), 1);

    let (owner, drops) = Counted::new();
    let refused = shared(Export::read_only(owner)).into_managed::<DLManagedTensor>();
    assert_eq!((refused.unwrap_err(), drops.count()), (ExportError::ReadOnlyUnversioned, 1));
}

#[test]
fn parts_that_were_never_a_tensor_are_exported_as_one_is() {
    let (owner, drops) = Counted::new();
    let (handle, descriptor) = Export::read_only(owner).copied().finish().unwrap().into_parts();
    // SAFETY: the two parts of one tensor.
    let consumer = Consumer::<DLManagedTensorVersioned>(unsafe { descriptor.to_managed_with(handle) }.unwrap());
    assert_eq!(consumer.fields().flags, FLAG_READ_ONLY | FLAG_IS_COPIED);
    let (handle, descriptor) = taken(consumer).into_parts();
    assert_eq!((descriptor.shape(), drops.count()), (&[6][..], 0));
    // SAFETY: as above.
    let refused = unsafe { descriptor.to_managed_with::<DLManagedTensor>(handle) };
    assert_eq!((refused.unwrap_err(), drops.count()), (ExportError::ReadOnlyUnversioned, 1));
}

#[test]
fn a_shared_tensor_stays_read_only_through_every_hop() {
    let mut tensor = Export::read_only(Counted::new().0).copied().finish().unwrap();
    for _ in 0..4 {
        let consumer = Consumer::<DLManagedTensorVersioned>(tensor.into_shared().to_managed().unwrap());
        assert_eq!(consumer.fields().flags, FLAG_READ_ONLY);
        tensor = taken(consumer);
    }
}

#[test]
fn what_a_shared_tensor_exported_lives_on_without_it() {
    let (owner, drops) = Counted::new();
    let whole = shared(Export::writable(owner));
    let consumers = [(); 3].map(|()| Consumer::<DLManagedTensorVersioned>(whole.to_managed().unwrap()));
    let unversioned = Consumer::<DLManagedTensor>(whole.to_managed().unwrap());
    drop(whole);
    for consumer in consumers {
        assert_eq!(taken(consumer).view().typed::<i32>().unwrap().to_vec(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(drops.count(), 0);
    }
    drop(unversioned);
    assert_eq!(drops.count(), 1);
}

#[test]
fn a_part_of_a_shared_tensor_keeps_the_whole_alive() {
    let (owner, drops) = Counted::new();
    let whole = shared(Export::writable(owner));
    let layout = crate::layout::Layout::new(&[2], &[-2]).unwrap();
    let descriptor = whole.descriptor().view(layout, 4).unwrap();
    // SAFETY: elements 4 and 2 of six.
    let part = unsafe { whole.with_descriptor(descriptor) };
    drop(whole);
    let consumer = Consumer::<DLManagedTensorVersioned>(part.to_managed().unwrap());
    drop(part);
    assert_eq!(taken(consumer).view().typed::<i32>().unwrap().to_vec(), [4, 2]);
    assert_eq!(drops.count(), 1);
}
