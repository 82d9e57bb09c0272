//! Transposes: what is dense along one axis in the source is dense along another in the target.

use super::block::blocks;
use super::simd::{Table, Vector};
use super::tile::{Area, BLOCK, tiles};
use super::{Axis, Inner, LINE, Pass, swapped};

/// Copies a plane of elements of `E` bytes, of which `N` fill 16 bytes: along `i` the target is dense, along `j` the source.
///
/// The target is written a cache line at a time, by tiles of as many lines as a line has elements; with `PAST` past the
/// caches, which needs more room on the stack than a small copy should ask for.
///
/// # Safety
///
/// As [`Body`](super::Body); the processor has the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn plane<V: Vector, const E: usize, const N: usize, const PAST: bool>(
    to: *mut u8,
    from: *const u8,
    inner: &Inner,
    pass: &Pass,
) {
    let Inner { i: Axis { n: rows, from: from_i, .. }, j: Axis { n: columns, to: to_j, .. }, .. } = *inner;
    let side = LINE / E;
    let past = to.addr() % LINE;
    let aligns = to_j % LINE as isize == 0 && past % E == 0;
    // Elements before the first whole line of the target, where all its rows begin at the same place of a line.
    let head = if aligns && past != 0 { ((LINE - past) / E).min(rows) } else { 0 };
    let end = head + (rows - head) / side * side;
    let whole = columns / side * side;
    let area = Area { to, from, to_j, from_i, i: (head, end), j: (0, whole) };
    // One line of a row after another gets there at once where rows are long enough that their pages are not left soon,
    // and the target is not scattered into more of them than that.
    let is_long = E >= 4 && columns * E >= BLOCK;
    // SAFETY: whole tiles of the plane, which the caller vouches for; lines of the target where it aligns.
    unsafe {
        match (PAST, aligns) {
            (false, _) => tiles::<V, E, N, false>(&area, pass),
            (true, true) if is_long => tiles::<V, E, N, true>(&area, pass),
            (true, true) => blocks::<V, E, N, true>(&area, pass),
            (true, false) => blocks::<V, E, N, false>(&area, pass),
        }
    }
    for (i, n, j, m) in
        [(0, head, 0, columns), (end, rows - end, 0, columns), (head, end - head, whole, columns - whole)]
    {
        let (to, from) = area.at::<E>(i, j);
        // SAFETY: an edge of the plane, which the caller vouches for.
        unsafe { edge::<E>(to, from, (n, m), (to_j, from_i), pass.swap.as_ref()) };
    }
}

/// Copies a part of a plane element by element: `counts` along `i` and `j`, `strides` along `j` and `i`.
///
/// # Safety
///
/// As [`plane`].
#[inline(always)]
unsafe fn edge<const E: usize>(
    to: *mut u8,
    from: *const u8,
    counts: (usize, usize),
    strides: (isize, isize),
    table: Option<&Table>,
) {
    for j in 0..counts.1 {
        let to = to.wrapping_offset(j as isize * strides.0);
        let from = from.wrapping_add(j * E);
        for i in 0..counts.0 {
            let from = from.wrapping_offset(i as isize * strides.1);
            // SAFETY: an element of the plane, vouched for by the caller; bytes have no alignment.
            let mut element = unsafe { from.cast::<[u8; E]>().read() };
            if let Some(table) = table {
                element = swapped(element, table);
            }
            // SAFETY: as above.
            unsafe { to.wrapping_add(i * E).cast::<[u8; E]>().write(element) };
        }
    }
}
