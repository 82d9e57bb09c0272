//! The registers of 64-bit ARM, all of which have NEON.

#![allow(unused_unsafe, reason = "intrinsics without pointers are safe here from Rust 1.87 on, and unsafe before")]

use core::arch::aarch64::{
    uint8x16_t, vld1q_u8, vorrq_u8, vqtbl1q_u8, vreinterpretq_u8_u16, vreinterpretq_u8_u32, vreinterpretq_u8_u64,
    vreinterpretq_u16_u8, vreinterpretq_u32_u8, vreinterpretq_u64_u8, vst1q_u8, vzip1q_u8, vzip1q_u16, vzip1q_u32,
    vzip1q_u64, vzip2q_u8, vzip2q_u16, vzip2q_u32, vzip2q_u64,
};

use super::{Table, Vector};

/// 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct Neon(uint8x16_t);

impl Vector for Neon {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: readable, says the caller.
        Self(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    unsafe fn load_lanes(from: *const u8, _step: isize) -> Self {
        // SAFETY: the one lane, readable, says the caller.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: writable, says the caller.
        unsafe { vst1q_u8(to, self.0) }
    }

    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut u8, _step: isize) {
        // SAFETY: the one lane, writable, says the caller.
        unsafe { self.store(to) }
    }

    /// There is no intrinsic for it, and these processors find out by themselves that whole lines are written.
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: writable, says the caller.
        unsafe { self.store(to) }
    }

    #[inline(always)]
    unsafe fn stream_lanes(self, to: *mut u8, step: isize) {
        // SAFETY: writable, says the caller.
        unsafe { self.store_lanes(to, step) }
    }

    #[inline(always)]
    fn prefetch(_from: *const u8) {}

    #[inline(always)]
    unsafe fn zip<const E: usize>(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        // SAFETY: every 64-bit ARM has NEON.
        let (low, high) = unsafe {
            match E {
                1 => (vzip1q_u8(a, b), vzip2q_u8(a, b)),
                2 => {
                    let (a, b) = (vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
                    (vreinterpretq_u8_u16(vzip1q_u16(a, b)), vreinterpretq_u8_u16(vzip2q_u16(a, b)))
                }
                4 => {
                    let (a, b) = (vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b));
                    (vreinterpretq_u8_u32(vzip1q_u32(a, b)), vreinterpretq_u8_u32(vzip2q_u32(a, b)))
                }
                8 => {
                    let (a, b) = (vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b));
                    (vreinterpretq_u8_u64(vzip1q_u64(a, b)), vreinterpretq_u8_u64(vzip2q_u64(a, b)))
                }
                _ => (a, b),
            }
        };
        (Self(low), Self(high))
    }

    #[inline(always)]
    unsafe fn shuffle(self, table: &Table) -> Self {
        // SAFETY: the table has 16 bytes; a place beyond them gives a zero.
        Self(unsafe { vqtbl1q_u8(self.0, vld1q_u8(table.as_ptr())) })
    }

    #[inline(always)]
    unsafe fn flip(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: every 64-bit ARM has NEON.
        Self(unsafe { vorrq_u8(self.0, other.0) })
    }
}
