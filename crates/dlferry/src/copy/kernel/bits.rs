//! Runs of bits, low bits first (rule R3.17), from any place to any other.

use core::ptr;

use super::signed;

/// One side of a copy: bits are counted from the first bit of a byte.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct To {
    pub(in crate::copy) byte: *mut u8,
    pub(in crate::copy) bit: isize,
}

impl To {
    pub(super) fn after(self, bits: isize) -> Self {
        Self { bit: self.bit + bits, ..self }
    }

    /// The byte that holds the first bit, and how many bits of it come before.
    fn place(self) -> (*mut u8, usize) {
        (self.byte.wrapping_offset(self.bit.div_euclid(8)), self.bit.rem_euclid(8).unsigned_abs())
    }
}

/// The other side.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct From {
    pub(in crate::copy) byte: *const u8,
    pub(in crate::copy) bit: isize,
}

impl From {
    pub(super) fn after(self, bits: isize) -> Self {
        Self { bit: self.bit + bits, ..self }
    }

    fn place(self) -> (*const u8, usize) {
        (self.byte.wrapping_offset(self.bit.div_euclid(8)), self.bit.rem_euclid(8).unsigned_abs())
    }
}

/// Copies bits that lie one after another. Bytes of the target that have other bits, too, are read first, and written with
/// these as they were.
///
/// # Safety
///
/// Every byte that holds a bit of the run is readable in the source and writable in the target; no byte of one is one of
/// the other.
pub(super) unsafe fn run(mut to: To, mut from: From, count: usize) {
    let mut left = count;
    while left > 0 {
        let (to_byte, past) = to.place();
        let (from_byte, from_past) = from.place();
        let moved = if past == 0 && left >= 8 {
            // SAFETY: as many whole bytes of the target, and the bits for them.
            unsafe { bytes(to_byte, from_byte, from_past, left / 8) };
            left / 8 * 8
        } else {
            let some = left.min(8 - past);
            // SAFETY: bits of the run.
            let value = unsafe { few(from_byte, from_past, some) };
            // SAFETY: bits of one byte of the target.
            unsafe { set(to_byte, past, value, some) };
            some
        };
        left -= moved;
        (to, from) = (to.after(signed(moved)), from.after(signed(moved)));
    }
}

/// Copies whole bytes of the target from bits that begin `past` a byte.
///
/// # Safety
///
/// As [`run`].
unsafe fn bytes(to: *mut u8, from: *const u8, past: usize, count: usize) {
    if past == 0 {
        // SAFETY: as many bytes, vouched for by the caller.
        return unsafe { ptr::copy_nonoverlapping(from, to, count) };
    }
    // Each byte of the target takes bits from the next of the source, too: for 8 there are 9.
    let words = count / 8;
    for at in 0..words {
        let from = from.wrapping_add(at * 8);
        // SAFETY: the first 8 of them; bytes have no alignment.
        let low = u64::from_le_bytes(unsafe { from.cast::<[u8; 8]>().read() });
        // SAFETY: the last 8 of them.
        let high = u64::from_le_bytes(unsafe { from.wrapping_add(1).cast::<[u8; 8]>().read() });
        let word = (low >> past | high << (8 - past)).to_le_bytes();
        // SAFETY: 8 bytes of the target.
        unsafe { to.wrapping_add(at * 8).cast::<[u8; 8]>().write(word) };
    }
    for at in words * 8..count {
        // SAFETY: the bits of a byte of the target.
        let value = unsafe { few(from.wrapping_add(at), past, 8) };
        // SAFETY: a byte of the target.
        unsafe { to.wrapping_add(at).write(value) };
    }
}

/// Reads up to 8 bits; those above them are anything.
///
/// # Safety
///
/// The bytes with those bits are readable.
#[inline(always)]
unsafe fn few(from: *const u8, past: usize, count: usize) -> u8 {
    // SAFETY: a byte with one of the bits.
    let low = unsafe { from.read() } >> past;
    if past + count <= 8 {
        return low;
    }
    // SAFETY: the bits go on in the next byte.
    low | unsafe { from.wrapping_add(1).read() } << (8 - past)
}

/// Writes up to 8 bits into a byte, of which the other bits stay.
///
/// # Safety
///
/// The byte is readable and writable.
#[inline(always)]
unsafe fn set(to: *mut u8, past: usize, value: u8, count: usize) {
    let mask = (u8::MAX >> (8 - count)) << past;
    // SAFETY: vouched for by the caller.
    let kept = unsafe { to.read() } & !mask;
    // SAFETY: as above.
    unsafe { to.write(kept | (value << past & mask)) };
}

/// Reads an element of less than 8 bits, which lies a whole number of such elements from the beginning of a byte.
///
/// # Safety
///
/// The bytes with its bits are readable.
#[inline(always)]
pub(super) unsafe fn get(from: From, width: usize) -> u8 {
    let (byte, past) = from.place();
    // Elements of 1, 2 and 4 bits are within a byte.
    let count = if 8 % width == 0 { 0 } else { width };
    // SAFETY: vouched for by the caller.
    unsafe { few(byte, past, count) & (u8::MAX >> (8 - width)) }
}

/// Writes an element of less than 8 bits, which lies as one that is read; the bits around it stay.
///
/// # Safety
///
/// The bytes with its bits are readable and writable.
#[inline(always)]
pub(super) unsafe fn put(to: To, value: u8, width: usize) {
    let (byte, past) = to.place();
    let first = if 8 % width == 0 { width } else { width.min(8 - past) };
    // SAFETY: vouched for by the caller.
    unsafe { set(byte, past, value, first) };
    if first < width {
        // SAFETY: the bits go on in the next byte.
        unsafe { set(byte.wrapping_add(1), 0, value >> first, width - first) };
    }
}
