//! Tiles: squares of as many lines as a line has elements, read row by row and turned in registers.

use core::mem::MaybeUninit;

use super::simd::{Table, Vector};
use super::{LINE, Pass};

/// A part of a plane, of whole tiles.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) to: *mut u8,
    pub(super) from: *const u8,
    pub(super) to_j: isize,
    pub(super) from_i: isize,
    /// From where to where.
    pub(super) i: (usize, usize),
    pub(super) j: (usize, usize),
}

impl Area {
    /// The addresses of an element.
    #[inline(always)]
    pub(super) fn at<const E: usize>(&self, i: usize, j: usize) -> (*mut u8, *const u8) {
        (
            self.to.wrapping_add(i * E).wrapping_offset(j as isize * self.to_j),
            self.from.wrapping_add(j * E).wrapping_offset(i as isize * self.from_i),
        )
    }
}

/// Bytes of each row of the source that are read before the next rows: a page, so that few pages are in use at a time.
pub(super) const BLOCK: usize = 4096;

/// Tiles along `i` that are copied before the next along `j`, so that rows of the target get some lines one after another.
/// Of rows that are far apart, not more are read at a time than a processor can look ahead on; near ones are in the
/// caches anyway.
fn near(from_i: isize, side: usize) -> usize {
    if from_i.unsigned_abs() <= 512 { 8 } else { (32 / side).clamp(1, 4) }
}

/// Copies tiles, with `STREAM` past the caches.
///
/// # Safety
///
/// As [`plane`](super::plane::plane). With `STREAM` all lines of the target begin at multiples of 64.
#[inline(always)]
pub(super) unsafe fn tiles<V: Vector, const E: usize, const N: usize, const STREAM: bool>(area: &Area, pass: &Pass) {
    let side = LINE / E;
    let mut lines = MaybeUninit::<Lines>::uninit();
    let lines = lines.as_mut_ptr().cast::<u8>();
    let block = BLOCK / LINE * side;
    let together = near(area.from_i, side) * side;
    let mut start = area.j.0;
    while start < area.j.1 {
        let stop = (start + block).min(area.j.1);
        let mut first = area.i.0;
        while first < area.i.1 {
            let far = (first + together).min(area.i.1);
            let mut j = start;
            while j < stop {
                let count = width(E).min((stop - j) / side);
                let mut i = first;
                while i < far {
                    let (to, from) = area.at::<E>(i, j);
                    // SAFETY: tiles of the plane, which the caller vouches for.
                    unsafe { pack::<V, E>(lines, from, area.from_i, count) };
                    for tile in 0..count {
                        let to = to.wrapping_offset((tile * side) as isize * area.to_j);
                        let rows = |row| to.wrapping_offset(row as isize * area.to_j);
                        let lines = lines.wrapping_add(tile * LINE);
                        // SAFETY: a tile of the plane, and of the lines.
                        unsafe { turn::<V, E, N, STREAM>(rows, lines, pass.swap.as_ref(), |_| ()) };
                    }
                    i += side;
                }
                j += count * side;
            }
            first = far;
        }
        start = stop;
    }
}

/// Tiles side by side that are packed at once: as many bytes of each row as make reading it worthwhile.
pub(super) const fn width(item: usize) -> usize {
    if item == 1 { 4 } else { 1 }
}

/// Bytes from a row of packed lines to the next: not a power of two times a line where a row has several.
const fn pitch(item: usize) -> usize {
    if item == 1 { (width(1) + 1) * LINE } else { LINE }
}

/// Lines of tiles, packed.
#[repr(align(64))]
pub(super) struct Lines {
    _bytes: [u8; LINE * pitch(1)],
}

/// Reads the lines of `count` tiles side by side, row by row.
///
/// Lines whose rows are a power of two apart share a few places of the cache, and would push each other out before their
/// last bytes are used: so each is read once, whole.
///
/// # Safety
///
/// The source is readable, and there is room in `lines`.
#[inline(always)]
pub(super) unsafe fn pack<V: Vector, const E: usize>(lines: *mut u8, from: *const u8, from_i: isize, count: usize) {
    // SAFETY: vouched for by the caller; a count that the compiler knows unrolls the loop.
    unsafe {
        if count == width(E) {
            pack_some::<V, E>(lines, from, from_i, width(E));
        } else {
            pack_some::<V, E>(lines, from, from_i, count);
        }
    }
}

/// # Safety
///
/// As [`pack`].
#[inline(always)]
unsafe fn pack_some<V: Vector, const E: usize>(lines: *mut u8, from: *const u8, from_i: isize, count: usize) {
    for row in 0..LINE / E {
        let from = from.wrapping_offset(row as isize * from_i);
        let line = lines.wrapping_add(row * pitch(E));
        for part in 0..count * (LINE / V::BYTES) {
            // SAFETY: a line of a tile, vouched for by the caller.
            let bytes = unsafe { V::load(from.wrapping_add(part * V::BYTES)) };
            // SAFETY: room, says the caller.
            unsafe { bytes.store(line.wrapping_add(part * V::BYTES)) };
        }
    }
}

/// The parts in which a tile is turned: each has 16 bytes of all its lines.
pub(super) const PARTS: usize = LINE / 16;

/// Copies a tile from packed lines: rows become columns. Calls `meanwhile` with the number of each part before it.
///
/// # Safety
///
/// A tile was packed at `lines`. There is room for a line at each of the addresses that `to` has for the rows, and with
/// `STREAM` they are multiples of 64. The processor has the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn turn<V: Vector, const E: usize, const N: usize, const STREAM: bool>(
    to: impl Fn(usize) -> *mut u8,
    lines: *const u8,
    table: Option<&Table>,
    meanwhile: impl Fn(usize),
) {
    for part in 0..PARTS {
        meanwhile(part);
        let from = lines.wrapping_add(part * 16);
        // There are not registers for a whole line of each row, where these are many.
        if STREAM || N < 8 {
            // SAFETY: within the lines; the instructions of `V` are there.
            let mut groups = [unsafe { columns::<V, E, N>(from, table) }; 4];
            for (at, vectors) in groups.iter_mut().enumerate().take(LINE / V::BYTES).skip(1) {
                // SAFETY: as above.
                *vectors = unsafe { columns::<V, E, N>(from.wrapping_add(at * V::LANES * N * pitch(E)), table) };
            }
            for m in 0..N {
                let to = to(part * N + m);
                for (at, vectors) in groups.iter().enumerate().take(LINE / V::BYTES) {
                    let to = to.wrapping_add(at * V::BYTES);
                    // SAFETY: a part of a line, for which there is room; with `STREAM` it begins at a multiple of 64.
                    unsafe { if STREAM { vectors[m].stream(to) } else { vectors[m].store(to) } };
                }
            }
        } else {
            for at in 0..LINE / V::BYTES {
                // SAFETY: as above.
                let vectors = unsafe { columns::<V, E, N>(from.wrapping_add(at * V::LANES * N * pitch(E)), table) };
                for (m, vector) in vectors.iter().enumerate() {
                    // SAFETY: a part of a line, for which there is room.
                    unsafe { vector.store(to(part * N + m).wrapping_add(at * V::BYTES)) };
                }
            }
        }
    }
}

/// Reads 16 bytes of each packed line from `from` on, as many as `N` vectors take, and turns them.
///
/// # Safety
///
/// As [`turn`].
#[inline(always)]
unsafe fn columns<V: Vector, const E: usize, const N: usize>(from: *const u8, table: Option<&Table>) -> [V; N] {
    // SAFETY: within the lines; what is there does not matter.
    let mut rows = [unsafe { V::load_lanes(from, 0) }; N];
    for (row, vector) in rows.iter_mut().enumerate() {
        // SAFETY: within the lines.
        *vector = unsafe { V::load_lanes(from.wrapping_add(row * pitch(E)), (N * pitch(E)) as isize) };
        if let Some(table) = table {
            // SAFETY: the instructions of `V` are there.
            *vector = unsafe { vector.shuffle(table) };
        }
    }
    // SAFETY: as above.
    unsafe { transposed::<V, E, N>(rows) }
}

/// Exchanges rows and columns of `N` by `N` elements of `E` bytes, in each lane.
///
/// # Safety
///
/// The processor has the instructions of `V`.
#[inline(always)]
unsafe fn transposed<V: Vector, const E: usize, const N: usize>(mut rows: [V; N]) -> [V; N] {
    let mut round = 1;
    while round < N {
        let old = rows;
        for k in 0..N / 2 {
            // SAFETY: vouched for by the caller.
            let pair = unsafe { old[k].zip::<E>(old[k + N / 2]) };
            (rows[2 * k], rows[2 * k + 1]) = pair;
        }
        round *= 2;
    }
    rows
}
