use super::{Table, Vector};

/// 16 bytes on any machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::copy) struct Portable(pub(in crate::copy) [u8; 16]);

impl Vector for Portable {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: readable, says the caller; an array of bytes has no alignment.
        Self(unsafe { from.cast::<[u8; 16]>().read() })
    }

    #[inline(always)]
    unsafe fn load_lanes(from: *const u8, _step: isize) -> Self {
        // SAFETY: the one lane, readable, says the caller.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: writable, says the caller; an array of bytes has no alignment.
        unsafe { to.cast::<[u8; 16]>().write(self.0) }
    }

    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut u8, _step: isize) {
        // SAFETY: the one lane, writable, says the caller.
        unsafe { self.store(to) }
    }

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
        let (mut low, mut high) = ([0; 16], [0; 16]);
        for at in 0..16 {
            let from = if (at / E) % 2 == 0 { self.0 } else { other.0 };
            let place = at / (2 * E) * E + at % E;
            low[at] = from[place];
            high[at] = from[place + 8 * usize::from(E < 16)];
        }
        (Self(low), Self(high))
    }

    #[inline(always)]
    unsafe fn shuffle(self, table: &Table) -> Self {
        Self(table.map(|from| if from < 128 { self.0[usize::from(from % 16)] } else { 0 }))
    }

    #[inline(always)]
    unsafe fn flip(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] | other.0[at]))
    }
}
