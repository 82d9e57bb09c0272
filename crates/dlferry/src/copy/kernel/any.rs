//! Elements of any size, at any strides: runs, and whatever no other kernel is for.

use super::simd::Vector;
use super::{Inner, LINE, Pass};

/// Along both axes, blocks of this many elements are copied before the next, where the two sides are dense along
/// different axes.
const BLOCK: usize = 32;

/// Copies elements of the size of `T`, an array of bytes, in blocks.
///
/// # Safety
///
/// As [`Body`](super::Body); `item` is the size of `T`, and no unit is reversed.
pub(super) unsafe fn sized<T: Copy>(to: *mut u8, from: *const u8, inner: &Inner, _pass: &Pass) {
    // SAFETY: vouched for by the caller; bytes have no alignment.
    unsafe { blocks(to, from, inner, |to, from| to.cast::<T>().copy_from_nonoverlapping(from.cast(), 1)) }
}

/// Copies elements of any size, in blocks.
///
/// # Safety
///
/// As [`Body`](super::Body).
pub(super) unsafe fn any(to: *mut u8, from: *const u8, inner: &Inner, pass: &Pass) {
    let (item, unit) = (inner.item, pass.unit);
    // SAFETY: an element of both each time, vouched for by the caller; the bytes just written.
    unsafe {
        blocks(to, from, inner, |to, from| {
            to.copy_from_nonoverlapping(from, item);
            if unit > 1 {
                let bytes = core::slice::from_raw_parts_mut(to, item);
                bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
            }
        });
    }
}

/// Bytes from which a run has enough whole lines to be written past the caches.
pub(super) const RUN: usize = 512;

/// Copies runs of at least [`RUN`] bytes, their whole lines past the caches.
///
/// # Safety
///
/// As [`Body`](super::Body); the processor has the instructions of `V`, and no unit is reversed.
#[inline(always)]
pub(super) unsafe fn runs<V: Vector>(to: *mut u8, from: *const u8, inner: &Inner, _pass: &Pass) {
    let item = inner.item;
    // SAFETY: a run of both sides each time, vouched for by the caller; what is streamed are lines of the target.
    unsafe {
        blocks(to, from, inner, |to, from| {
            let head = to.align_offset(LINE).min(item);
            to.copy_from_nonoverlapping(from, head);
            let end = head + (item - head) / V::BYTES * V::BYTES;
            let mut at = head;
            while at < end {
                V::load(from.wrapping_add(at)).stream(to.wrapping_add(at));
                at += V::BYTES;
            }
            to.wrapping_add(end).copy_from_nonoverlapping(from.wrapping_add(end), item - end);
        });
    }
}

/// Goes through all elements of two axes.
///
/// # Safety
///
/// As [`Body`](super::Body): `copy` is called with every element of both.
#[inline(always)]
unsafe fn blocks(to: *mut u8, from: *const u8, inner: &Inner, copy: impl Fn(*mut u8, *const u8)) {
    let (i, j) = (inner.i, inner.j);
    // Where both sides are densest along `i`, rows are gone through whole.
    let block = if i.from.unsigned_abs() <= j.from.unsigned_abs() { i.n } else { BLOCK };
    let mut start_i = 0;
    while start_i < i.n {
        let stop_i = (start_i + block).min(i.n);
        for at_j in 0..j.n {
            for at_i in start_i..stop_i {
                copy(
                    to.wrapping_offset(at_i as isize * i.to + at_j as isize * j.to),
                    from.wrapping_offset(at_i as isize * i.from + at_j as isize * j.from),
                );
            }
        }
        start_i = stop_i;
    }
}
