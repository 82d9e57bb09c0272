use super::simd::Vector;
use super::simd::portable::Portable;
#[cfg(target_arch = "x86_64")]
use super::simd::x86::{Avx2, Sse2};
use super::{Body, Inner, Level, Pass, any, mix, plane, row};

/// Which loop a copy takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::copy) enum Kernel {
    /// Elements of 1, 2, 4, 8 or 16 bytes, both sides densest along `i`.
    Rows,
    /// The same sizes, dense along `i` in the target and along `j` in the source.
    Plane,
    /// Interleaved channels to planes: a plane with few `j`.
    Split,
    /// Planes to interleaved channels: a plane with few `i`.
    Join,
    /// Anything, in blocks.
    Any,
}

/// The function of a kernel.
pub(in crate::copy) fn body(kernel: Kernel, level: Level, inner: &Inner, pass: &Pass) -> Body {
    // A single run is what `memcpy` is made for, but for looking ahead.
    let shortest = if inner.i.n.max(inner.j.n) > 1 { any::RUN } else { any::LONG_RUN };
    let is_runs = inner.item >= shortest && pass.unit == 1;
    if kernel == Kernel::Any && pass.streams && is_runs {
        return match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::runs,
            #[cfg(target_arch = "x86_64")]
            Level::Sse2 => any::runs::<Sse2>,
            #[cfg(target_arch = "aarch64")]
            Level::Neon => any::runs::<super::simd::neon::Neon>,
            _ => any::runs::<Portable>,
        };
    }
    if kernel == Kernel::Any || !inner.item.is_power_of_two() || inner.item > 16 {
        return sized(inner.item, pass);
    }
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::body(kernel, inner, pass.streams),
        #[cfg(target_arch = "x86_64")]
        Level::Sse2 => of::<Sse2>(kernel, inner, pass.streams),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => of::<super::simd::neon::Neon>(kernel, inner, pass.streams),
        _ => of::<Portable>(kernel, inner, pass.streams),
    }
}

/// A macro, for the functions with instructions of their own have to be named where they are chosen.
macro_rules! choose {
    ($kernel:expr, $inner:expr, $streams:expr, $vector:ty, $rows:ident, $plane:ident, $split:ident, $join:ident) => {{
        macro_rules! channels {
            ($name:ident, $count:expr) => {
                match ($inner.item, $count) {
                    (1, 2) => $name::<$vector, 1, 2>,
                    (1, 3) => $name::<$vector, 1, 3>,
                    (1, _) => $name::<$vector, 1, 4>,
                    (2, 2) => $name::<$vector, 2, 2>,
                    (2, 3) => $name::<$vector, 2, 3>,
                    (2, _) => $name::<$vector, 2, 4>,
                    (4, 2) => $name::<$vector, 4, 2>,
                    (4, 3) => $name::<$vector, 4, 3>,
                    (4, _) => $name::<$vector, 4, 4>,
                    (_, 2) => $name::<$vector, 8, 2>,
                    (_, 3) => $name::<$vector, 8, 3>,
                    _ => $name::<$vector, 8, 4>,
                }
            };
        }
        macro_rules! planes {
            ($past:literal) => {
                match $inner.item {
                    1 => $plane::<$vector, 1, 16, $past>,
                    2 => $plane::<$vector, 2, 8, $past>,
                    4 => $plane::<$vector, 4, 4, $past>,
                    8 => $plane::<$vector, 8, 2, $past>,
                    _ => $plane::<$vector, 16, 1, $past>,
                }
            };
        }
        let body: Body = match ($kernel, $inner.item) {
            (Kernel::Split, _) => channels!($split, $inner.j.n),
            (Kernel::Join, _) => channels!($join, $inner.i.n),
            (Kernel::Plane, _) if $streams => planes!(true),
            (Kernel::Plane, _) => planes!(false),
            (_, 1) => $rows::<$vector, 1>,
            (_, 2) => $rows::<$vector, 2>,
            (_, 4) => $rows::<$vector, 4>,
            (_, 8) => $rows::<$vector, 8>,
            _ => $rows::<$vector, 16>,
        };
        body
    }};
}

fn of<V: Vector>(kernel: Kernel, inner: &Inner, streams: bool) -> Body {
    use mix::{join, split};
    use plane::plane;
    use row::rows;
    choose!(kernel, inner, streams, V, rows, plane, split, join)
}

/// The kernels compiled for a processor that has AVX2.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Avx2, Body, Inner, Kernel, Pass, Vector, any, mix, plane, row};

    pub(super) fn body(kernel: Kernel, inner: &Inner, streams: bool) -> Body {
        choose!(kernel, inner, streams, Avx2, rows, plane, split, join)
    }

    /// # Safety
    ///
    /// As the kernel; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn runs(to: *mut u8, from: *const u8, inner: &Inner, pass: &Pass) {
        // SAFETY: vouched for by the caller.
        unsafe { any::runs::<Avx2>(to, from, inner, pass) }
    }

    /// # Safety
    ///
    /// As the kernel; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn rows<V: Vector, const E: usize>(to: *mut u8, from: *const u8, inner: &Inner, pass: &Pass) {
        // SAFETY: vouched for by the caller.
        unsafe { row::rows::<V, E>(to, from, inner, pass) }
    }

    /// # Safety
    ///
    /// As the kernel; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn plane<V: Vector, const E: usize, const N: usize, const PAST: bool>(
        to: *mut u8,
        from: *const u8,
        inner: &Inner,
        pass: &Pass,
    ) {
        // SAFETY: vouched for by the caller.
        unsafe { plane::plane::<V, E, N, PAST>(to, from, inner, pass) }
    }

    /// # Safety
    ///
    /// As the kernel; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn split<V: Vector, const E: usize, const K: usize>(
        to: *mut u8,
        from: *const u8,
        inner: &Inner,
        pass: &Pass,
    ) {
        // SAFETY: vouched for by the caller.
        unsafe { mix::split::<V, E, K>(to, from, inner, pass) }
    }

    /// # Safety
    ///
    /// As the kernel; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn join<V: Vector, const E: usize, const K: usize>(
        to: *mut u8,
        from: *const u8,
        inner: &Inner,
        pass: &Pass,
    ) {
        // SAFETY: vouched for by the caller.
        unsafe { mix::join::<V, E, K>(to, from, inner, pass) }
    }
}

/// The kernel for elements of any size; sizes that occur are copied by moves that are known to the compiler.
fn sized(item: usize, pass: &Pass) -> Body {
    macro_rules! sizes {
        ($($size:literal)*) => {
            match item {
                $($size => any::sized::<[u8; $size]>,)*
                _ => any::any,
            }
        };
    }
    if pass.unit > 1 { any::any } else { sizes!(1 2 3 4 5 6 7 8 9 10 12 14 15 16 18 20 24 28 30 32 36 40 48 64 96 128) }
}
