#![allow(
    clippy::arithmetic_side_effects,
    reason = "test arithmetic is checked by the overflow checks of the test profile"
)]

mod packed;
mod refusals;
mod scalars;
mod typed;
mod writing;

use alloc::boxed::Box;
use alloc::vec;
use core::ptr;

use crate::abi::{DLDataType, DLDevice};
use crate::layout::Layout;
use crate::managed::{Descriptor, Fields, Tensor};

/// A writable tensor over a copy of some bytes, which begin at a multiple of 16 but for `misalign` bytes.
fn bytes_at(misalign: usize, bytes: &[u8], dtype: DLDataType, layout: Layout, first: usize, fields: Fields) -> Tensor {
    let mut memory = vec![0_u128; (bytes.len() + misalign).div_ceil(16) + 1];
    let start = memory.as_mut_ptr().cast::<u8>().wrapping_add(misalign);
    // SAFETY: the vector has room for `misalign + bytes.len()` bytes.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
    let data = start.wrapping_add(first).cast();
    let descriptor = Descriptor::new(data, DLDevice::CPU, dtype, layout, fields).unwrap();
    let range = descriptor.byte_range().unwrap();
    let (low, high) = (range.start + isize::try_from(first).unwrap(), range.end + isize::try_from(first).unwrap());
    assert!(low >= 0 && high <= isize::try_from(bytes.len()).unwrap(), "a test describes the bytes it gives");
    // SAFETY: the memory is the owner's, and all elements lie within it.
    unsafe { Tensor::from_owner(memory, descriptor) }.unwrap()
}

/// A row-major tensor of some bytes.
fn dense(bytes: &[u8], dtype: DLDataType, shape: &[i64]) -> Tensor {
    bytes_at(0, bytes, dtype, Layout::c_contiguous(shape).unwrap(), 0, Fields::SHARED)
}

/// A tensor whose address nobody may read.
fn nowhere(device: DLDevice, dtype: DLDataType, shape: &[i64]) -> Tensor {
    let layout = Layout::c_contiguous(shape).unwrap();
    let data = ptr::without_provenance_mut(1 << 24);
    let descriptor = Descriptor::new(data, device, dtype, layout, Fields::SHARED).unwrap();
    // SAFETY: no element is in memory that the host can read, so none is claimed to be readable.
    unsafe { Tensor::from_owner(Box::new(()), descriptor) }.unwrap()
}
