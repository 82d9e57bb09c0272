//! Public failures of owners that were dropped too early, too late or never, each under its number.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a panic is how a test fails; overflow is one on the test profile"
)]

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dlferry::abi::{DLManagedTensor, DLManagedTensorVersioned};
use dlferry::export::{Export, Owner, OwnerMut};
use dlferry::managed::Tensor;

/// Elements that count how often they were dropped.
struct Counted(Vec<u64>, Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

impl Owner for Counted {
    type Item = u64;

    fn as_slice(&self) -> &[u64] {
        &self.0
    }
}

impl OwnerMut for Counted {
    fn as_mut_slice(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

/// Decision 5.6; wjakob/nanobind#488: the data moves into the export, so nothing can drop it; borrowed data does not
/// compile (`compile_fail/borrowed_data_is_not_exported.rs`).
#[test]
fn b009_export_owns_its_data() {
    let make = || {
        let numbers: Vec<u64> = (0..50_000).collect();
        Export::writable(numbers).finish().unwrap()
    };
    let tensor = make();
    let other: Vec<u64> = vec![u64::MAX; 50_000];
    assert_eq!(tensor.view().typed::<u64>().unwrap().get(&[49_999]), Some(49_999));
    drop(other);
}

/// R2.2; PyO3/rust-numpy#68: a vector that was given away is dropped with its tensor, on either path, once.
#[test]
fn b035_vector_is_dropped_with_its_tensor() {
    let drops = Arc::new(AtomicUsize::new(0));
    let counted = || Counted(vec![1; 1000], Arc::clone(&drops));
    for round in 0..100 {
        let before = 3 * round;
        drop(Export::writable(counted()).finish().unwrap());
        assert_eq!(drops.load(Ordering::SeqCst), before + 1);
        let managed: NonNull<DLManagedTensorVersioned> = Export::writable(counted()).into_managed().unwrap();
        // SAFETY: just made, and handed to nobody else.
        drop(unsafe { Tensor::from_raw_versioned(managed) }.unwrap());
        let managed: NonNull<DLManagedTensor> = Export::writable(counted()).into_managed().unwrap();
        // SAFETY: just made, and handed to nobody else.
        drop(unsafe { Tensor::from_raw_unversioned(managed) }.unwrap());
        assert_eq!(drops.load(Ordering::SeqCst), before + 3);
    }
    assert!(Export::writable(counted()).shape(&[1001]).finish().is_err());
    assert_eq!(drops.load(Ordering::SeqCst), 301, "a refused export drops its owner too");
}

/// R2.7; PyO3/pyo3#6064: what is known of a tensor was copied, and does not change with the struct it came from.
#[test]
fn b019_description_does_not_borrow_from_the_struct() {
    let mut managed: NonNull<DLManagedTensorVersioned> = Export::writable(vec![1.5_f32, 2.5]).into_managed().unwrap();
    // SAFETY: just made, and handed to nobody else.
    let tensor = unsafe { Tensor::from_raw_versioned(managed) }.unwrap();
    // SAFETY: the struct is alive until the tensor is dropped, and nobody reads it meanwhile.
    let shape = unsafe { managed.as_mut() }.dl_tensor.shape;
    // SAFETY: one axis; nobody else looks.
    unsafe { shape.write(1 << 40) };
    assert_eq!(tensor.descriptor().shape(), [2]);
    assert_eq!(tensor.view().typed::<f32>().unwrap().to_vec(), [1.5, 2.5]);
}
