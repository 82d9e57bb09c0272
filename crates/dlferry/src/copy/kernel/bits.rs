//! Packed elements below a byte, low bits first (rule R3.17): bits at any place, moved up to a byte at a time.

use core::ptr;

use super::{Axis, signed};

/// One side of a copy: bits are counted from the first bit of a byte.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct To {
    pub(in crate::copy) byte: *mut u8,
    pub(in crate::copy) bit: isize,
}

/// The other side.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct From {
    pub(in crate::copy) byte: *const u8,
    pub(in crate::copy) bit: isize,
}

/// Copies elements of `width` bits along some axes, strides in bits.
///
/// # Safety
///
/// Every byte that holds a bit of an element is readable in the source and writable in the target; no byte of one is one
/// of the other.
pub(in crate::copy) unsafe fn elements(to: To, from: From, axes: &[Axis], width: usize) {
    let Some((axis, faster)) = axes.split_first() else {
        // SAFETY: the bits of an element, vouched for by the caller.
        return unsafe { run(to, from, width) };
    };
    if faster.is_empty() && axis.to == signed(width) && axis.from == signed(width) {
        // SAFETY: elements without gaps are as good as one of all their bits.
        return unsafe { run(to, from, width * axis.n) };
    }
    for at in 0..signed(axis.n) {
        let to = To { bit: to.bit + at * axis.to, ..to };
        let from = From { bit: from.bit + at * axis.from, ..from };
        // SAFETY: elements of the axis, vouched for by the caller.
        unsafe { elements(to, from, faster, width) };
    }
}

/// Copies bits that lie one after another.
///
/// # Safety
///
/// As [`elements`].
unsafe fn run(mut to: To, mut from: From, count: usize) {
    let mut left = count;
    while left > 0 {
        let past = to.bit.rem_euclid(8).unsigned_abs();
        let (to_byte, from_byte) =
            (to.byte.wrapping_offset(to.bit.div_euclid(8)), from.byte.wrapping_offset(from.bit.div_euclid(8)));
        let from_past = from.bit.rem_euclid(8).unsigned_abs();
        let moved = if past == 0 && left >= 8 {
            // SAFETY: as many whole bytes of the target, and the bits for them.
            unsafe { bytes(to_byte, from_byte, from_past, left / 8) };
            left / 8 * 8
        } else {
            let some = left.min(8 - past);
            // SAFETY: bits of one byte of the target.
            unsafe { part(to_byte, past, from_byte, from_past, some) };
            some
        };
        left -= moved;
        to.bit += signed(moved);
        from.bit += signed(moved);
    }
}

/// Copies whole bytes of the target from bits that begin `past` a byte.
///
/// # Safety
///
/// As [`elements`].
unsafe fn bytes(to: *mut u8, from: *const u8, past: usize, count: usize) {
    if past == 0 {
        // SAFETY: as many bytes, vouched for by the caller.
        return unsafe { ptr::copy_nonoverlapping(from, to, count) };
    }
    // SAFETY: the first byte has bits of the run.
    let mut low = unsafe { from.read() };
    for at in 0..count {
        // SAFETY: each byte of the target takes bits from the next of the source, too.
        let high = unsafe { from.wrapping_add(at + 1).read() };
        // SAFETY: a byte of the target.
        unsafe { to.wrapping_add(at).write(low >> past | high << (8 - past)) };
        low = high;
    }
}

/// Copies up to 8 bits into a byte of the target, of which the other bits stay.
///
/// # Safety
///
/// As [`elements`].
unsafe fn part(to: *mut u8, past: usize, from: *const u8, from_past: usize, count: usize) {
    // SAFETY: a byte with a bit of the run.
    let mut value = unsafe { from.read() } >> from_past;
    if from_past + count > 8 {
        // SAFETY: the bits go on in the next byte.
        value |= unsafe { from.wrapping_add(1).read() } << (8 - from_past);
    }
    let mask = (u8::MAX >> (8 - count)) << past;
    // SAFETY: a byte of the target.
    let kept = unsafe { to.read() } & !mask;
    // SAFETY: as above.
    unsafe { to.write(kept | (value << past & mask)) };
}
