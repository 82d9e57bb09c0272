#![allow(
    clippy::arithmetic_side_effects,
    reason = "test arithmetic is checked by the overflow checks of the test profile"
)]

use std::ptr::NonNull;
use std::thread;

use dlferry::abi::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLManagedTensorVersioned, DLPackVersion, DLTensor,
};

use super::*;

fn fields(recipe: &Crafted) -> (DLManagedTensorVersioned, NonNull<DLManagedTensorVersioned>) {
    let (managed, _) = recipe.build_versioned();
    // SAFETY: just built, not deleted.
    (unsafe { managed.read() }, managed)
}

fn delete(managed: NonNull<DLManagedTensorVersioned>) {
    // SAFETY: the tests delete only what is not freed.
    let deleter = unsafe { managed.read() }.deleter.expect("a deleter");
    // SAFETY: as above.
    unsafe { deleter(managed.as_ptr()) };
}

fn axes(pointer: *mut i64, len: usize) -> Vec<i64> {
    assert!(!pointer.is_null());
    let read = |axis| {
        // SAFETY: the caller knows the length of the array that the recipe wrote.
        unsafe { pointer.wrapping_add(axis).read() }
    };
    (0..len).map(read).collect()
}

#[test]
fn plain_recipe_is_a_compact_row_of_bytes() {
    let recipe = Crafted::new(&[1, 2, 3]);
    let (found, managed) = fields(&recipe);
    let DLTensor { data, device, ndim, dtype, shape, strides, byte_offset } = found.dl_tensor;
    assert_eq!(found.version, DLPackVersion { major: 1, minor: 3 });
    assert_eq!((found.flags, ndim, byte_offset), (0, 1, 0));
    assert_eq!(device, DLDevice::CPU);
    assert_eq!(dtype, DLDataType { code: DLDataTypeCode::UINT, bits: 8, lanes: 1 });
    assert_eq!((axes(shape, 1), axes(strides, 1)), (vec![3], vec![1]));
    assert_eq!(data.addr() % 64, 0);
    assert_eq!(data, recipe.data());
    assert_eq!(recipe.read(), [1, 2, 3]);
    delete(managed);
}

#[test]
fn every_field_may_be_anything() {
    let recipe = Crafted::new(&[0; 8])
        .dtype(DLDataType { code: DLDataTypeCode(200), bits: 7, lanes: 9 })
        .device(DLDevice { device_type: DLDeviceType(-3), device_id: 99 })
        .shape([-1, 5])
        .strides([i64::MIN, i64::MAX])
        .byte_offset(u64::MAX)
        .flags(1 << 40)
        .version(9, 0);
    let (found, managed) = fields(&recipe);
    assert_eq!(found.version, DLPackVersion { major: 9, minor: 0 });
    assert_eq!(found.flags, 1 << 40);
    assert_eq!(found.dl_tensor.device.device_type.0, -3);
    assert_eq!(found.dl_tensor.dtype, DLDataType { code: DLDataTypeCode(200), bits: 7, lanes: 9 });
    assert_eq!(axes(found.dl_tensor.shape, 2), [-1, 5]);
    assert_eq!(axes(found.dl_tensor.strides, 2), [i64::MIN, i64::MAX]);
    assert_eq!(found.dl_tensor.byte_offset, u64::MAX);
    delete(managed);
}

#[test]
fn pointers_may_be_null() {
    let recipe = Crafted::new(&[0; 8]).null_shape().null_strides().null_data();
    let (found, managed) = fields(&recipe);
    assert!(found.dl_tensor.data.is_null() && found.dl_tensor.shape.is_null());
    assert!(found.dl_tensor.strides.is_null());
    assert_eq!(found.dl_tensor.ndim, 0);
    delete(managed);
    let (found, managed) = fields(&Crafted::new(&[]).address(0x1234));
    assert_eq!(found.dl_tensor.data.addr(), 0x1234);
    delete(managed);
    let (found, _) = fields(&Crafted::new(&[]).null_deleter());
    assert!(found.deleter.is_none());
}

#[test]
fn ndim_is_free_of_the_shape_and_short_arrays_are_filled_with_ones() {
    for (ndim, readable) in [(-1, 1), (i32::MIN, 1), (0, 1), (1, 1), (3, 3), (65, 65), (i32::MAX, 4096)] {
        let (found, managed) = fields(&Crafted::new(&[0; 4]).shape([4]).ndim(ndim));
        assert_eq!(found.dl_tensor.ndim, ndim);
        let shape = axes(found.dl_tensor.shape, readable);
        assert_eq!(shape[0], 4);
        assert!(shape[1..].iter().all(|&extent| extent == 1));
        delete(managed);
    }
}

#[test]
fn misalignment_is_exact() {
    for bytes in 0..64 {
        let recipe = Crafted::new(&[7; 16]).misalign(bytes);
        assert_eq!(recipe.data().addr() % 64, bytes);
        assert_eq!(recipe.read(), [7; 16]);
    }
}

#[test]
fn unversioned_struct_has_its_own_layout() {
    let (managed, record) = Crafted::new(&[5; 6]).shape([2, 3]).strides([3, 1]).build_unversioned();
    // SAFETY: just built.
    let found = unsafe { managed.read() };
    assert_eq!(found.dl_tensor.ndim, 2);
    assert_eq!(axes(found.dl_tensor.shape, 2), [2, 3]);
    // SAFETY: deleted once.
    unsafe { found.deleter.unwrap()(managed.as_ptr()) };
    assert_eq!(record.count(), 1);
}

#[test]
fn tensors_of_a_recipe_share_memory_and_record() {
    let recipe = Crafted::new(&[1, 2]);
    let (first, one) = fields(&recipe);
    let (second, two) = fields(&recipe.clone());
    assert_eq!(first.dl_tensor.data, second.dl_tensor.data);
    assert_ne!(one, two);
    // SAFETY: the memory is alive and 2 bytes long.
    unsafe { first.dl_tensor.data.cast::<u8>().write(9) };
    delete(one);
    assert_eq!(recipe.read(), [9, 2]);
    delete(two);
    assert_eq!(recipe.record().count(), 2);
}

#[test]
fn deleter_records_thread_and_absent_interpreter() {
    struct Sent(NonNull<DLManagedTensorVersioned>);
    // SAFETY: the deleter may run on any thread.
    unsafe impl Send for Sent {}

    let (managed, record) = Crafted::new(&[0; 4]).build_versioned();
    let sent = Sent(managed);
    let other = thread::spawn(move || {
        let sent = sent;
        delete(sent.0);
        thread_id()
    });
    let other = other.join().unwrap();
    assert_ne!(other, thread_id());
    assert_eq!(record.calls(), [Call { thread: other, interpreter: Interpreter::Absent, original: true }]);
}

#[test]
fn deleter_notices_a_copied_struct() {
    let recipe = Crafted::new(&[0; 4]).leak();
    let (mut copy, _) = fields(&recipe);
    // SAFETY: the copy is readable and its holder is alive.
    unsafe { copy.deleter.unwrap()(&raw mut copy) };
    assert!(!recipe.record().calls()[0].original);
}

#[test]
fn kept_tensor_counts_a_second_deletion() {
    let recipe = Crafted::new(&[3; 4]).leak();
    let (_, managed) = fields(&recipe);
    delete(managed);
    delete(managed);
    assert_eq!(recipe.record().count(), 2);
    // SAFETY: kept by `leak`.
    let after = unsafe { managed.read() };
    assert_eq!(axes(after.dl_tensor.shape, 1), [4]);
    assert_eq!(recipe.read(), [3; 4]);
}

#[test]
fn poisoned_tensor_shows_its_use_and_counts_a_second_deletion() {
    let recipe = Crafted::new(&[3; 4]).poison();
    let (_, managed) = fields(&recipe);
    // SAFETY: not deleted yet.
    let shape = unsafe { managed.read() }.dl_tensor.shape;
    delete(managed);
    // SAFETY: kept by `poison`.
    let after = unsafe { managed.read() };
    let word = u64::from_ne_bytes([0xDD; 8]);
    assert_eq!(after.flags, word);
    assert_eq!(after.dl_tensor.byte_offset, word);
    assert_eq!(axes(shape, 1), [i64::from_ne_bytes([0xDD; 8])]);
    assert_eq!(recipe.read(), [0xDD; 4]);
    delete(managed);
    assert_eq!(recipe.record().count(), 2);
}
