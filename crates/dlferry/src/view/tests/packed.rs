//! Elements of less than a byte, against an oracle that spells the memory out as bits.

use alloc::vec;
use alloc::vec::Vec;

use super::nowhere;
use crate::abi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use crate::element::Scalar;
use crate::layout::Layout;
use crate::managed::{Descriptor, Fields, Tensor};
use crate::view::ViewError;

const DTYPES: [DLDataType; 9] = [
    DLDataType::U1,
    DLDataType::I1,
    DLDataType::U2,
    DLDataType::I2,
    DLDataType::U4,
    DLDataType::I4,
    DLDataType::F4_E2M1FN,
    DLDataType::F6_E2M3FN,
    DLDataType::F6_E3M2FN,
];

/// Bytes in which no two neighbours of any width are alike for long.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[1]
    };
    (0..len).map(|_| next()).collect()
}

/// A tensor over memory that has not a byte more than the elements need, from the lowest to the highest.
fn exact(bytes: &[u8], first: usize, dtype: DLDataType, layout: &Layout, padded: bool) -> Tensor {
    let fields = Fields { padded, ..Fields::SHARED };
    let probe =
        Descriptor::new(core::ptr::without_provenance_mut(1 << 24), DLDevice::CPU, dtype, layout.clone(), fields);
    let range = probe.unwrap().byte_range().unwrap();
    let low = first.checked_add_signed(range.start).unwrap();
    let high = first.checked_add_signed(range.end).unwrap();
    let mut memory = bytes[low..high].to_vec();
    let data = memory.as_mut_ptr().wrapping_add(first - low).cast();
    let descriptor = Descriptor::new(data, DLDevice::CPU, dtype, layout.clone(), fields).unwrap();
    // SAFETY: the vector holds the bytes of all elements and is not touched again.
    unsafe { Tensor::from_owner(memory, descriptor) }.unwrap()
}

/// The bits from `start` on as a number, low bits first (rule R3.17), one at a time.
fn bits_at(bytes: &[u8], start: i64, width: u8) -> u8 {
    (0..width).fold(0, |value, bit| {
        let at = usize::try_from(start + i64::from(bit)).unwrap();
        value | (((bytes[at / 8] >> (at % 8)) & 1) << bit)
    })
}

/// The bits of the elements when each stands at `width` bits from the next.
fn bits(bytes: &[u8], first: usize, dtype: DLDataType, layout: &Layout, width: u8) -> Vec<u8> {
    let origin = i64::try_from(first).unwrap() * 8;
    let starts = layout.offsets().map(|offset| origin + offset * i64::from(width));
    starts.map(|start| bits_at(bytes, start, dtype.bits)).collect()
}

/// What the elements are.
fn oracle(bytes: &[u8], first: usize, dtype: DLDataType, layout: &Layout, width: u8) -> Vec<Scalar> {
    let bits = bits(bytes, first, dtype, layout, width);
    bits.into_iter().map(|bits| Scalar::decode(dtype, &[bits]).unwrap()).collect()
}

fn check(first: usize, shape: &[i64], strides: &[i64]) {
    let bytes = noise(64);
    let layout = Layout::new(shape, strides).unwrap();
    for dtype in DTYPES {
        for padded in [false, true] {
            let width = if padded { 8 } else { dtype.bits };
            let tensor = exact(&bytes, first, dtype, &layout, padded);
            let found: Vec<_> = tensor.view().scalars().unwrap().collect();
            let wanted = oracle(&bytes, first, dtype, &layout, width);
            assert_eq!(found, wanted, "{dtype} {layout:?} padded: {padded}");
            let small = tensor.view().small_bits().unwrap();
            let wanted = bits(&bytes, first, dtype, &layout, width);
            assert_eq!(small.len(), wanted.len());
            let small: Vec<_> = small.take(wanted.len() + 1).collect();
            assert_eq!(small, wanted, "{dtype} {layout:?} padded: {padded}");
        }
    }
}

#[test]
fn packed_elements_are_those_of_the_bit_string() {
    check(0, &[1], &[1]);
    check(0, &[32], &[1]);
    check(3, &[3, 5], &[5, 1]);
    check(3, &[], &[]);
}

#[test]
fn packed_elements_are_found_at_any_stride() {
    check(0, &[9], &[3]);
    check(40, &[17], &[-1]);
    check(40, &[3, 4], &[-5, 1]);
    check(40, &[4, 3], &[1, 4]);
    check(16, &[3, 3], &[0, -2]);
    check(20, &[2, 2, 2], &[-7, 9, -1]);
}

#[test]
fn four_bits_stand_low_half_first() {
    let bytes = [0x10, 0x32];
    let layout = Layout::c_contiguous(&[4]).unwrap();
    let tensor = exact(&bytes, 0, DLDataType::F4_E2M1FN, &layout, false);
    let found: Vec<_> = tensor.view().scalars().unwrap().collect();
    assert_eq!(found, [0.0, 0.5, 1.0, 1.5].map(Scalar::Float));
}

#[test]
fn six_bits_cross_the_borders_of_bytes() {
    // 1.0, 2.0, 4.0, 7.5 as 001000, 010000, 011000, 011111, low bits first.
    let bits = [0b00_1000_u32, 0b01_0000, 0b01_1000, 0b01_1111];
    let word = bits.iter().rev().fold(0_u32, |word, bits| (word << 6) | bits);
    let bytes = &word.to_le_bytes()[..3];
    let tensor = exact(bytes, 0, DLDataType::F6_E2M3FN, &Layout::c_contiguous(&[4]).unwrap(), false);
    let found: Vec<_> = tensor.view().scalars().unwrap().collect();
    assert_eq!(found, [1.0, 2.0, 4.0, 7.5].map(Scalar::Float));
}

#[test]
fn padded_elements_are_not_read_as_packed() {
    let bytes = [0x03, 0x0f, 0xf7];
    let layout = Layout::c_contiguous(&[3]).unwrap();
    let padded = exact(&bytes, 0, DLDataType::I4, &layout, true);
    let found: Vec<_> = padded.view().scalars().unwrap().collect();
    assert_eq!(found, [3, -1, 7].map(Scalar::Int), "the low bits hold the value");
    let packed = exact(&bytes, 0, DLDataType::I4, &layout, false);
    let found: Vec<_> = packed.view().scalars().unwrap().collect();
    assert_eq!(found, [3, 0, -1].map(Scalar::Int));
}

#[test]
fn a_packed_view_of_part_of_a_tensor_reads_that_part() {
    let bytes = noise(16);
    let whole = exact(&bytes, 0, DLDataType::U2, &Layout::c_contiguous(&[64]).unwrap(), false).into_shared();
    let all: Vec<_> = whole.view().scalars().unwrap().collect();
    for first in (0..64).step_by(4) {
        let layout = Layout::c_contiguous(&[4]).unwrap();
        let descriptor = whole.descriptor().view(layout, first).unwrap();
        // SAFETY: four elements of the 64.
        let part = unsafe { whole.with_descriptor(descriptor) };
        let found: Vec<_> = part.view().scalars().unwrap().collect();
        let at = usize::try_from(first).unwrap();
        assert_eq!(found, all[at..at + 4]);
    }
}

#[test]
fn no_packed_elements_are_read_from_no_memory() {
    for dtype in DTYPES {
        let layout = Layout::c_contiguous(&[3, 0]).unwrap();
        let tensor = exact(&[], 0, dtype, &layout, false);
        assert_eq!(tensor.view().scalars().unwrap().collect::<Vec<_>>(), vec![]);
    }
}

#[test]
fn elements_of_whole_bytes_are_no_small_bits() {
    for dtype in [DLDataType::U8, DLDataType::BOOL, DLDataType::F64, DLDataType { lanes: 2, ..DLDataType::U4 }] {
        let tensor = exact(&[0; 16], 0, dtype, &Layout::c_contiguous(&[2]).unwrap(), false);
        assert_eq!(tensor.view().small_bits().map(Iterator::count), Err(ViewError::Opaque { dtype }));
    }
    let device = DLDevice { device_type: DLDeviceType::CUDA, device_id: 0 };
    let tensor = nowhere(device, DLDataType::U4, &[4]);
    assert_eq!(tensor.view().small_bits().map(Iterator::count), Err(ViewError::Device { device }));
}

#[test]
fn elements_without_bits_are_not_read() {
    let dtype = DLDataType { code: DLDataTypeCode::OPAQUE_HANDLE, bits: 0, lanes: 1 };
    let tensor = nowhere(DLDevice::CPU, dtype, &[4]);
    assert_eq!(tensor.view().small_bits().map(Iterator::count), Err(ViewError::Opaque { dtype }));
    assert_eq!(tensor.view().scalars().map(Iterator::count), Err(ViewError::Opaque { dtype }));
}
