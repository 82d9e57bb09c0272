//! Copies of tensors at random layouts, against an oracle that copies bit by bit.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a panic is how a test fails, also in the helpers of a test; overflow is one on the test profile"
)]

mod common;

use common::{Case, Rng};
use dlferry::abi::{DLDataType, DLDevice};
use dlferry::copy::Memory;
use dlferry::layout::Layout;
use dlferry::managed::{Descriptor, Fields, Tensor};

const ROUNDS: usize = 150;

/// A tensor over memory that has not a byte more than its elements need, and the memory.
fn tensor(rng: &mut Rng, case: &Case, dtype: DLDataType, padded: bool) -> (Tensor, Vec<u8>, usize) {
    let bits = if padded { 8 } else { usize::try_from(dtype.item_bits()).unwrap() };
    // A first element inside a byte cannot be described: whole bytes come before it.
    let before = (case.first * bits).div_ceil(8);
    let after = ((case.len - case.first.min(case.len)) * bits).div_ceil(8);
    let misalign = usize::try_from(rng.next() % 9).unwrap();
    let mut memory = rng.bytes(misalign + before + after);
    let bytes = memory[misalign..].to_vec();
    let data = memory.as_mut_ptr().wrapping_add(misalign + before).cast();
    let fields = Fields { padded, read_only: rng.next() % 2 == 0, ..Fields::SHARED };
    let descriptor = Descriptor::new(data, DLDevice::CPU, dtype, case.layout(), fields).unwrap();
    // SAFETY: all elements lie in the vector, which is not touched again.
    let tensor = unsafe { Tensor::from_owner(memory, descriptor) }.unwrap();
    (tensor, bytes, before)
}

fn bit(bytes: &[u8], at: i64) -> u8 {
    let at = usize::try_from(at).unwrap();
    (bytes[at / 8] >> (at % 8)) & 1
}

fn check(seed: u64, dtype: DLDataType, padded: bool) {
    let mut rng = Rng::new(seed);
    for _ in 0..ROUNDS {
        let case = Case::random(&mut rng);
        let (source, memory, before) = tensor(&mut rng, &case, dtype, padded);
        let copy = Tensor::copy_of(source.view()).unwrap();
        let made = copy.descriptor();
        assert_eq!((made.dtype(), made.device(), made.shape()), (dtype, DLDevice::CPU, &case.shape[..]));
        assert_eq!(made.strides(), Layout::c_contiguous(&case.shape).unwrap().strides());
        assert_eq!(made.fields(), Fields { padded, copied: Some(true), ..Fields::SHARED });
        assert_eq!(made.data().addr() % Memory::ALIGNMENT, 0);
        let first = made.data().cast::<u8>();
        // SAFETY: the copy owns as many bytes.
        let read = |at| unsafe { first.wrapping_add(at).read() };
        let bytes: Vec<u8> = (0..made.nbytes()).map(read).collect();
        let width = if padded { 8 } else { i64::from(dtype.item_bits()) };
        let origin = i64::try_from(before).unwrap() * 8;
        for (number, offset) in (0..).zip(&case.offsets) {
            for at in 0..width {
                assert_eq!(
                    bit(&bytes, number * width + at),
                    bit(&memory, origin + offset * width + at),
                    "bit {at} of element {number} of {dtype}: {case:?}"
                );
            }
        }
    }
}

#[test]
fn elements_of_whole_bytes_are_copied() {
    let lanes = |lanes, dtype: DLDataType| DLDataType { lanes, ..dtype };
    let dtypes = [
        DLDataType::U8,
        DLDataType::BF16,
        lanes(3, DLDataType::U8),
        DLDataType::F32,
        lanes(3, DLDataType::U16),
        DLDataType::F64,
        lanes(3, DLDataType::F32),
        DLDataType::C128,
        lanes(3, DLDataType::F64),
        lanes(2, DLDataType::I4),
    ];
    for (seed, dtype) in (1..).zip(dtypes) {
        check(seed, dtype, false);
    }
}

#[test]
fn packed_elements_are_copied() {
    let odd = DLDataType { lanes: 3, ..DLDataType::U4 };
    let dtypes = [DLDataType::U1, DLDataType::I2, DLDataType::U4, DLDataType::F4_E2M1FN, DLDataType::F6_E3M2FN, odd];
    for (seed, dtype) in (20..).zip(dtypes) {
        check(seed, dtype, false);
    }
}

#[test]
fn padded_elements_are_copied() {
    for (seed, dtype) in (40..).zip([DLDataType::U1, DLDataType::I4, DLDataType::F6_E2M3FN]) {
        check(seed, dtype, true);
    }
}
