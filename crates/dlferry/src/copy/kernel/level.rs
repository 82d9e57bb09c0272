/// The instructions that a copy uses. Every level gives the same bytes.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// None in particular.
    Portable,
    /// 16 bytes at once, on every x86-64.
    Sse2,
    /// 32 bytes at once, on x86-64 with AVX2.
    Avx2,
    /// 16 bytes at once, on every 64-bit ARM.
    Neon,
}

impl Level {
    /// All levels, from the slowest to the fastest.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Sse2, Self::Avx2, Self::Neon];

    /// Whether this processor has the instructions.
    ///
    /// Without the feature `std` the crate cannot ask the processor, and what it was compiled for counts.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Sse2 => cfg!(target_arch = "x86_64"),
            Self::Avx2 => has_avx2(),
            Self::Neon => cfg!(target_arch = "aarch64"),
        }
    }

    /// The fastest level that this processor has.
    #[must_use]
    pub fn best() -> Self {
        if cfg!(target_arch = "aarch64") {
            Self::Neon
        } else if has_avx2() {
            Self::Avx2
        } else if cfg!(target_arch = "x86_64") {
            Self::Sse2
        } else {
            Self::Portable
        }
    }

    /// Whether bytes can be moved within 16 of them by one instruction.
    pub(in crate::copy) fn has_shuffle(self) -> bool {
        matches!(self, Self::Avx2 | Self::Neon)
    }
}

fn has_avx2() -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    let found = std::is_x86_feature_detected!("avx2");
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    let found = cfg!(all(target_arch = "x86_64", target_feature = "avx2"));
    found
}
