//! Elements of any size, at any strides: runs, and whatever no other kernel is for.

use super::ahead::{Ahead, TOGETHER};
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

/// The same for a run that is copied by itself.
pub(super) const LONG_RUN: usize = 16 << 20;

/// Copies runs of at least [`RUN`] bytes, their whole lines past the caches.
///
/// # Safety
///
/// As [`Body`](super::Body); the processor has the instructions of `V`, and no unit is reversed.
#[inline(always)]
pub(super) unsafe fn runs<V: Vector>(to: *mut u8, from: *const u8, inner: &Inner, _pass: &Pass) {
    let item = inner.item;
    // Those that `blocks` goes through one after another.
    let rows = match (inner.i.n, inner.j.n) {
        (1, n) => (n, inner.j.from),
        (n, _) => (n.min(block(inner)), inner.i.from),
    };
    let mut ahead = Ahead::<V, TOGETHER>::rows(from, rows, item, true);
    let mut row = 0;
    // SAFETY: a run of both sides each time, vouched for by the caller; what is streamed are lines of the target.
    unsafe {
        blocks(to, from, inner, |to, from| {
            let head = to.align_offset(LINE).min(item);
            to.copy_from_nonoverlapping(from, head);
            let end = head + (item - head) / LINE * LINE;
            if row == rows.0 {
                (row, ahead) = (0, Ahead::rows(from, rows, item, true));
            }
            ahead.begin(row);
            row += 1;
            let mut at = head;
            while at < end {
                ahead.read(1);
                for part in 0..LINE / V::BYTES {
                    let at = at + part * V::BYTES;
                    V::load(from.wrapping_add(at)).stream(to.wrapping_add(at));
                }
                at += LINE;
            }
            to.wrapping_add(end).copy_from_nonoverlapping(from.wrapping_add(end), item - end);
        });
    }
}

/// As many elements along `i` as are copied before the next along `j`: where both sides are densest along `i`, all.
fn block(inner: &Inner) -> usize {
    if inner.i.from.unsigned_abs() <= inner.j.from.unsigned_abs() { inner.i.n } else { BLOCK }
}

/// Goes through all elements of two axes.
///
/// # Safety
///
/// As [`Body`](super::Body): `copy` is called with every element of both.
#[inline(always)]
unsafe fn blocks(to: *mut u8, from: *const u8, inner: &Inner, mut copy: impl FnMut(*mut u8, *const u8)) {
    let (i, j) = (inner.i, inner.j);
    let block = block(inner);
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
