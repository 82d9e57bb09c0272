//! Public failures of slices and references over foreign memory, each under its number.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a panic is how a test fails; overflow is one on the test profile"
)]

use std::ffi::c_void;
use std::ptr;

use dlferry::abi::{DLDataType, DLDevice};
use dlferry::element::Element;
use dlferry::layout::Layout;
use dlferry::managed::{DescribeError, Descriptor, Fields, Tensor};
use dlferry::view::ViewError;

/// A tensor of elements of a type from a byte of a vector on, which it owns.
fn at_byte(offset: usize, count: i64, dtype: DLDataType, bytes: Vec<u8>) -> Tensor {
    let data = bytes.as_ptr().wrapping_add(offset).cast_mut().cast::<c_void>();
    let layout = Layout::c_contiguous(&[count]).unwrap();
    let fields = Fields { read_only: true, ..Fields::SHARED };
    let descriptor = Descriptor::new(data, DLDevice::CPU, dtype, layout, fields).unwrap();
    assert!(offset + descriptor.nbytes() <= bytes.len(), "the test describes memory that it has");
    // SAFETY: the elements lie within the vector, which moves into the tensor and is written by nobody.
    unsafe { Tensor::from_owner(bytes, descriptor) }.unwrap()
}

/// The first offset into the bytes that is not aligned for the type.
fn odd<T>(bytes: &[u8]) -> usize {
    1 + usize::from(bytes.as_ptr().wrapping_add(1).cast::<T>().is_aligned())
}

/// R3.14, R3.15; PyO3/rust-numpy#523: elements are read, slices refused; a slice of nothing is always there.
#[test]
fn b130_misaligned_elements_are_read_and_not_lent() {
    let bytes: Vec<u8> = (0..32).collect();
    let offset = odd::<i64>(&bytes);
    let wanted = i64::from_ne_bytes(bytes[offset..offset + 8].try_into().unwrap());
    let tensor = at_byte(offset, 2, i64::DTYPE, bytes);
    let view = tensor.view().typed::<i64>().unwrap();
    assert_eq!(view.get(&[0]), Some(wanted));
    assert_eq!(view.as_slice(), Err(ViewError::Misaligned { needed: align_of::<i64>() }));
    let bytes = vec![0; 8];
    let empty = at_byte(odd::<f64>(&bytes), 0, f64::DTYPE, bytes);
    assert_eq!(empty.view().typed::<f64>().unwrap().as_slice(), Ok(&[][..]));
}

/// R3.14; pytorch/pytorch#190043: a copy is aligned.
#[test]
fn b131_copy_of_misaligned_elements_is_aligned() {
    let tensor = at_byte(6, 3, DLDataType::C64, (0..32).collect());
    let copy = Tensor::copy_of(tensor.view()).unwrap();
    assert!(copy.descriptor().is_aligned());
    assert_eq!(copy.descriptor().data().addr() % 64, 0);
    assert_eq!(
        tensor.view().scalars().unwrap().collect::<Vec<_>>(),
        copy.view().scalars().unwrap().collect::<Vec<_>>()
    );
}

/// R3.14; huggingface/candle#3965: only whole elements are there to be copied.
#[test]
fn b134_part_of_an_element_is_not_copied() {
    let bytes: Vec<u8> = (0..9).collect();
    let offset = odd::<f32>(&bytes);
    let tensor = at_byte(offset, 1, f32::DTYPE, bytes);
    let copy = Tensor::copy_of(tensor.view()).unwrap();
    assert_eq!((tensor.descriptor().nbytes(), copy.descriptor().nbytes()), (4, 4));
    assert_eq!(copy.view().typed::<f32>().unwrap().to_vec(), tensor.view().typed::<f32>().unwrap().to_vec());
}

/// R3.14; huggingface/candle#3815: the type and the alignment are checked before a slice is given.
#[test]
fn b135_bytes_become_another_type_only_when_checked() {
    let bytes: Vec<u8> = (0..32).collect();
    let offset = odd::<f32>(&bytes);
    let tensor = at_byte(offset, 2, f32::DTYPE, bytes);
    assert!(matches!(tensor.view().typed::<i64>(), Err(ViewError::DType { .. })));
    assert!(matches!(tensor.view().typed::<u8>(), Err(ViewError::DType { .. })));
    assert!(matches!(tensor.view().typed::<f32>().unwrap().as_slice(), Err(ViewError::Misaligned { .. })));
}

/// R3.7; robertknight/rten#1383: the pointer of an empty vector is no multiple of anything.
#[test]
fn b137_empty_vector_is_lent_as_any_type() {
    for dtype in [f32::DTYPE, f64::DTYPE, u8::DTYPE, DLDataType::F16] {
        let tensor = at_byte(0, 0, dtype, Vec::new());
        assert!(tensor.view().scalars().unwrap().next().is_none());
    }
    let tensor = at_byte(0, 0, f64::DTYPE, Vec::new());
    assert_eq!(tensor.view().typed::<f64>().unwrap().as_slice(), Ok(&[][..]));
}

/// R3.7; pykeio/ort#424: nothing at NULL is an empty slice, and something there is refused.
#[test]
fn b138_null_without_elements_is_an_empty_slice() {
    let described = |count| {
        let layout = Layout::c_contiguous(&[count]).unwrap();
        Descriptor::new(ptr::null_mut(), DLDevice::CPU, f32::DTYPE, layout, Fields::SHARED)
    };
    // SAFETY: no elements, so nothing is said about any memory.
    let tensor = unsafe { Tensor::from_owner((), described(0).unwrap()) }.unwrap();
    let view = tensor.view().typed::<f32>().unwrap();
    assert_eq!((view.as_slice(), view.to_vec()), (Ok(&[][..]), vec![]));
    assert!(matches!(described(1), Err(DescribeError::NullData { .. })));
}

/// Decision 5.8; PyO3/rust-numpy#509: every byte but 0 reads as true, and no such byte is lent as a `bool`.
#[test]
fn b110_byte_that_is_no_bool_is_not_lent_as_one() {
    let tensor = at_byte(0, 5, bool::DTYPE, vec![24, 15, 32, 1, 0]);
    let view = tensor.view().typed::<bool>().unwrap();
    assert_eq!(view.to_vec(), [true, true, true, true, false]);
    assert_eq!(view.as_slice(), Err(ViewError::InvalidValue { at: 0 }));
    let sound = at_byte(3, 2, bool::DTYPE, vec![24, 15, 32, 1, 0]);
    assert_eq!(sound.view().typed::<bool>().unwrap().as_slice(), Ok(&[true, false][..]));
}
