//! Few elements, copied without a plan: to make one takes longer.

use crate::layout::Layout;

/// Bytes up to which it does.
const MOST: usize = 2 << 10;
/// Each axis is a call within that of the one before.
const MOST_AXES: usize = 8;

/// Copies a few elements of `item` bytes, whose strides count as many; `false` when it is not for them.
///
/// # Safety
///
/// The layouts have one shape; their elements are readable in the source and writable in the target, and no byte of one is
/// one of the other.
#[inline]
pub(super) unsafe fn copy(to: *mut u8, from: *const u8, target: &Layout, source: &Layout, item: usize) -> bool {
    if item.saturating_mul(source.size()) > MOST || source.ndim() > MOST_AXES {
        return false;
    }
    let walk: unsafe fn(*mut u8, *const u8, Axes<'_>) = match item {
        1 => walk::<[u8; 1]>,
        2 => walk::<[u8; 2]>,
        4 => walk::<[u8; 4]>,
        8 => walk::<[u8; 8]>,
        16 => walk::<[u8; 16]>,
        _ => return false,
    };
    // SAFETY: vouched for by the caller.
    unsafe { walk(to, from, Axes { shape: source.shape(), to: target.strides(), from: source.strides() }) };
    true
}

/// The axes that are left to walk.
#[derive(Clone, Copy)]
struct Axes<'a> {
    shape: &'a [i64],
    to: &'a [i64],
    from: &'a [i64],
}

/// Copies elements of the size of `T`, an array of bytes.
///
/// # Safety
///
/// As [`copy`], for these axes from these addresses on.
unsafe fn walk<T: Copy>(to: *mut u8, from: *const u8, axes: Axes<'_>) {
    let (Some((&count, shape)), Some((&to_step, to_rest)), Some((&from_step, from_rest))) =
        (axes.shape.split_first(), axes.to.split_first(), axes.from.split_first())
    else {
        // SAFETY: an element of both, vouched for by the caller; bytes have no alignment.
        return unsafe { to.cast::<T>().copy_from_nonoverlapping(from.cast(), 1) };
    };
    let (to_step, from_step) = (bytes::<T>(to_step), bytes::<T>(from_step));
    let (mut to, mut from) = (to, from);
    if shape.is_empty() {
        for _ in 0..count {
            // SAFETY: as above.
            unsafe { to.cast::<T>().copy_from_nonoverlapping(from.cast(), 1) };
            (to, from) = (to.wrapping_offset(to_step), from.wrapping_offset(from_step));
        }
        return;
    }
    let rest = Axes { shape, to: to_rest, from: from_rest };
    for _ in 0..count {
        // SAFETY: the elements at one index of this axis.
        unsafe { walk::<T>(to, from, rest) };
        (to, from) = (to.wrapping_offset(to_step), from.wrapping_offset(from_step));
    }
}

/// A stride in bytes. Those that carry no meaning may be any number, and are added to what is not used.
#[inline]
fn bytes<T>(stride: i64) -> isize {
    let stride = isize::try_from(stride).unwrap_or(0);
    stride.wrapping_mul(isize::try_from(size_of::<T>()).unwrap_or(0))
}
