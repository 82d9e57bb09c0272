//! The registers of x86-64: 16 bytes always, 32 where the processor has AVX2.

#![allow(unused_unsafe, reason = "intrinsics without pointers are safe here from Rust 1.87 on, and unsafe before")]
#![allow(
    clippy::cast_ptr_alignment,
    reason = "the intrinsics say which alignment they need, and their callers have it"
)]

use core::arch::x86_64::{
    __m128i, __m256i, _MM_HINT_T1, _mm_loadu_si128, _mm_or_si128, _mm_prefetch, _mm_sfence, _mm_storeu_si128,
    _mm_stream_si128, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8,
    _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64, _mm256_broadcastsi128_si256, _mm256_castsi128_si256,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_inserti128_si256, _mm256_loadu_si256, _mm256_or_si256,
    _mm256_permute4x64_epi64, _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_stream_si256, _mm256_unpackhi_epi8,
    _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi8, _mm256_unpacklo_epi16,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

use super::{Table, Vector};

/// See [`fence`](super::fence).
#[inline]
pub(super) fn fence() {
    // SAFETY: every x86-64 has the instruction.
    unsafe { _mm_sfence() }
}

/// 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct Sse2(__m128i);

impl Vector for Sse2 {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: readable, says the caller.
        Self(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_lanes(from: *const u8, _step: isize) -> Self {
        // SAFETY: the one lane, readable, says the caller.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: writable, says the caller.
        unsafe { _mm_storeu_si128(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut u8, _step: isize) {
        // SAFETY: the one lane, writable, says the caller.
        unsafe { self.store(to) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: writable and aligned, says the caller.
        unsafe { _mm_stream_si128(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn stream_lanes(self, to: *mut u8, _step: isize) {
        // SAFETY: the one lane, writable and aligned, says the caller.
        unsafe { self.stream(to) }
    }

    #[inline(always)]
    fn prefetch(from: *const u8) {
        // SAFETY: reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(from.cast()) }
    }

    #[inline(always)]
    unsafe fn zip<const E: usize>(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        // SAFETY: instructions that every x86-64 has.
        let (low, high) = unsafe {
            match E {
                1 => (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)),
                2 => (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)),
                4 => (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)),
                8 => (_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)),
                _ => (a, b),
            }
        };
        (Self(low), Self(high))
    }

    #[inline(always)]
    unsafe fn shuffle(self, table: &Table) -> Self {
        let mut bytes = super::portable::Portable([0; 16]);
        // SAFETY: an array of 16 bytes, of this function's own.
        unsafe { self.store(bytes.0.as_mut_ptr()) };
        // SAFETY: needs no instruction in particular.
        let moved = unsafe { bytes.shuffle(table) };
        // SAFETY: an array of 16 bytes.
        unsafe { Self::load(moved.0.as_ptr()) }
    }

    #[inline(always)]
    unsafe fn flip(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: an instruction that every x86-64 has.
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }
}

/// 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct Avx2(__m256i);

impl Vector for Avx2 {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: readable, says the caller, who also found AVX2.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_lanes(from: *const u8, step: isize) -> Self {
        // SAFETY: both lanes are readable, says the caller, who also found AVX2.
        Self(unsafe {
            let low = _mm256_castsi128_si256(_mm_loadu_si128(from.cast()));
            _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(from.wrapping_offset(step).cast()))
        })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: writable, says the caller, who also found AVX2.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut u8, step: isize) {
        // SAFETY: both lanes are writable, says the caller, who also found AVX2.
        unsafe {
            _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(self.0));
            _mm_storeu_si128(to.wrapping_offset(step).cast(), _mm256_extracti128_si256::<1>(self.0));
        }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: writable and aligned, says the caller, who also found AVX2.
        unsafe { _mm256_stream_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn stream_lanes(self, to: *mut u8, step: isize) {
        // SAFETY: both lanes are writable and aligned, says the caller, who also found AVX2.
        unsafe {
            _mm_stream_si128(to.cast(), _mm256_castsi256_si128(self.0));
            _mm_stream_si128(to.wrapping_offset(step).cast(), _mm256_extracti128_si256::<1>(self.0));
        }
    }

    #[inline(always)]
    fn prefetch(from: *const u8) {
        // SAFETY: reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(from.cast()) }
    }

    #[inline(always)]
    unsafe fn zip<const E: usize>(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        // SAFETY: the caller found AVX2.
        let (low, high) = unsafe {
            match E {
                1 => (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b)),
                2 => (_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)),
                4 => (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)),
                8 => (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)),
                _ => (a, b),
            }
        };
        (Self(low), Self(high))
    }

    #[inline(always)]
    unsafe fn shuffle(self, table: &Table) -> Self {
        // SAFETY: the table has 16 bytes; the caller found AVX2.
        Self(unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            _mm256_shuffle_epi8(self.0, table)
        })
    }

    #[inline(always)]
    unsafe fn flip(self) -> Self {
        // SAFETY: the caller found AVX2.
        Self(unsafe { _mm256_permute4x64_epi64::<0b01_00_11_10>(self.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller found AVX2.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }
}
