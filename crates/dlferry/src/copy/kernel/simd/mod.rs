//! Registers of 16 bytes, one or two side by side, and the four things that the kernels do with them.

#[cfg(target_arch = "aarch64")]
pub(in crate::copy) mod neon;
pub(in crate::copy) mod portable;
#[cfg(target_arch = "x86_64")]
pub(in crate::copy) mod x86;

/// Where each byte of a lane comes from; 128 and above for a zero.
pub(in crate::copy) type Table = [u8; 16];

/// One or more lanes of 16 bytes.
///
/// All functions need the instructions of the type: who calls one has found that the processor has them. Those with
/// pointers read or write [`Self::BYTES`] bytes there, at any alignment unless said otherwise.
pub(in crate::copy) trait Vector: Copy {
    /// Lanes of 16 bytes.
    const LANES: usize;

    /// Bytes of all lanes.
    const BYTES: usize = Self::LANES * 16;

    /// Reads consecutive bytes.
    unsafe fn load(from: *const u8) -> Self;

    /// Reads 16 bytes for each lane, `step` bytes from those for the one before.
    unsafe fn load_lanes(from: *const u8, step: isize) -> Self;

    /// Writes consecutive bytes.
    unsafe fn store(self, to: *mut u8);

    /// Writes the 16 bytes of each lane, `step` bytes from those of the one before.
    unsafe fn store_lanes(self, to: *mut u8, step: isize);

    /// Writes consecutive bytes past the caches, to an address that is a multiple of [`Self::BYTES`].
    unsafe fn stream(self, to: *mut u8);

    /// Writes the 16 bytes of each lane past the caches, `step` bytes from those of the one before, to multiples of 16.
    unsafe fn stream_lanes(self, to: *mut u8, step: isize);

    /// Says that a line will be read soon; at any address.
    fn prefetch(from: *const u8);

    /// Takes elements of `E` bytes from both in turn: those of the lower halves of the lanes, and those of the upper.
    unsafe fn zip<const E: usize>(self, other: Self) -> (Self, Self);

    /// Moves bytes within each lane.
    unsafe fn shuffle(self, table: &Table) -> Self;

    /// Puts the lanes in the opposite order.
    unsafe fn flip(self) -> Self;

    /// The bits of both.
    unsafe fn or(self, other: Self) -> Self;
}

/// Waits until what was streamed can be seen by others, as all other writes can.
#[inline]
pub(in crate::copy) fn fence() {
    #[cfg(target_arch = "x86_64")]
    x86::fence();
}
