use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::Consumer;
use super::counted::Counted;
use crate::abi::{DLManagedTensorVersioned, FLAG_READ_ONLY};
use crate::element::Element;
use crate::export::{Export, Owner, OwnerMut};

/// Reads the elements of a one-dimensional export as a C consumer does.
fn values<T: Element>(consumer: &Consumer<DLManagedTensorVersioned>) -> Vec<T> {
    let tensor = consumer.tensor();
    assert_eq!((tensor.dtype, tensor.ndim, tensor.byte_offset), (T::DTYPE, 1, 0));
    let (shape, strides) = consumer.dims();
    assert_eq!(strides, [1]);
    let first = tensor.data.cast::<T>();
    // SAFETY: what this crate exports is readable as long as the struct lives.
    let read = |at| unsafe { first.wrapping_add(at).read() };
    (0..usize::try_from(shape[0]).unwrap()).map(read).collect()
}

fn exported<O: Owner>(export: Export<O>) -> Consumer<DLManagedTensorVersioned> {
    Consumer(export.into_managed().unwrap())
}

fn is_exported_read_only<O: Owner<Item = i32>>(owner: O) {
    let consumer = exported(Export::read_only(owner));
    assert_eq!(values::<i32>(&consumer), [7, 8, 9]);
    assert_eq!(consumer.fields().flags, FLAG_READ_ONLY);
}

fn is_exported_writable<O: OwnerMut<Item = i32>>(owner: O) {
    let consumer = exported(Export::writable(owner));
    assert_eq!(values::<i32>(&consumer), [7, 8, 9]);
    assert_eq!(consumer.fields().flags, 0);
    let first = consumer.tensor().data.cast::<i32>();
    // SAFETY: exported writable, and nobody else looks.
    unsafe { first.write(70) };
    assert_eq!(values::<i32>(&consumer), [70, 8, 9]);
}

#[test]
fn every_owner_is_exported_as_it_may_be_used() {
    static VALUES: [i32; 3] = [7, 8, 9];
    is_exported_read_only(vec![7, 8, 9]);
    is_exported_read_only(Box::<[i32]>::from([7, 8, 9]));
    is_exported_read_only([7, 8, 9]);
    is_exported_read_only(Arc::<[i32]>::from([7, 8, 9]));
    is_exported_read_only(Arc::new(vec![7, 8, 9]));
    is_exported_read_only(&VALUES[..]);
    is_exported_writable(vec![7, 8, 9]);
    is_exported_writable(Box::<[i32]>::from([7, 8, 9]));
    is_exported_writable([7, 8, 9]);
}

#[test]
fn memory_that_the_owner_points_to_is_not_copied() {
    let vector = vec![1.0_f64, 2.0];
    let address = vector.as_ptr();
    let consumer = exported(Export::writable(vector));
    assert_eq!(consumer.tensor().data.cast_const().cast(), address);

    let shared = Arc::<[f64]>::from([1.0, 2.0]);
    let consumer = exported(Export::read_only(Arc::clone(&shared)));
    assert_eq!(consumer.tensor().data.cast_const().cast(), shared.as_ptr());
    assert_eq!(Arc::strong_count(&shared), 2);
    drop(consumer);
    assert_eq!(Arc::strong_count(&shared), 1);
}

/// Keeps short data inside itself and long data outside, so that some of it moves with it.
enum Small {
    Inside([i32; 4], usize),
    Outside(Vec<i32>),
}

impl Owner for Small {
    type Item = i32;

    fn as_slice(&self) -> &[i32] {
        match self {
            Self::Inside(values, len) => &values[..*len],
            Self::Outside(values) => values,
        }
    }
}

#[test]
fn the_owner_is_borrowed_after_it_is_in_its_final_place() {
    // Moved about on the stack as much as a caller may move them.
    let tensors: Vec<_> = [Small::Inside([7, 8, 9, 0], 3), Small::Outside(vec![7, 8, 9])]
        .map(|owner| Export::read_only(owner).finish().unwrap())
        .into_iter()
        .collect();
    for tensor in tensors {
        let before = tensor.descriptor().data();
        let boxed = Box::new(tensor);
        assert_eq!(boxed.descriptor().data(), before);
        assert_eq!(boxed.view().typed::<i32>().unwrap().to_vec(), [7, 8, 9]);
    }
}

#[test]
fn data_inside_the_owner_lies_in_the_one_allocation() {
    let consumer = exported(Export::writable(Counted::new().0));
    let block = consumer.0.as_ptr().addr();
    let data = consumer.tensor().data.addr();
    assert!(data > block && data < block + 512, "{block:#x} {data:#x}");
    assert_eq!(values::<i32>(&consumer), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn an_owner_keeps_its_alignment() {
    #[repr(align(256))]
    struct Wide([u8; 300]);

    impl Owner for Wide {
        type Item = u8;

        fn as_slice(&self) -> &[u8] {
            &self.0
        }
    }

    for _ in 0..8 {
        let consumer = exported(Export::read_only(Wide([5; 300])));
        assert_eq!(consumer.tensor().data.addr() % 256, 0);
        assert_eq!(values::<u8>(&consumer), [5; 300]);
    }
}

#[test]
fn booleans_that_a_consumer_may_write_come_in_a_vector() {
    let consumer = exported(Export::vec(vec![true, false, true]));
    assert_eq!(consumer.fields().flags, 0);
    let first = consumer.tensor().data.cast::<u8>();
    // SAFETY: exported writable. Byte 2 is no `bool`, and C may write it all the same.
    unsafe { first.write(2) };
    drop(consumer);

    let consumer = exported(Export::read_only([true, false]));
    assert_eq!(values::<bool>(&consumer), [true, false]);
}
