//! Planes whose target is written past the caches in bursts: lines are put together in a block, then all of it is written.
//!
//! Memory is read and written fastest by runs of some lines, and more slowly where reads and writes take turns. A block
//! fits the second cache; while its tiles are turned, those that follow are fetched.

use core::mem::MaybeUninit;

use super::simd::Vector;
use super::tile::{Area, Lines, PARTS, pack, turn, width};
use super::{LINE, Pass};

/// Bytes of each row of the source that a block has, unless these are too many rows of the target.
const RUN: usize = 512;

/// Rows of the target that a block has at most.
const ROWS: usize = 256;

/// Lines of each of them. With more, writing is a little faster still, but a thread may have no more than 128 KiB of stack.
const HELD: usize = 2;

/// Bytes from a row that is put together to the next: what of a line there is already, then what comes.
const PITCH: usize = (HELD + 1) * LINE;

/// Rows that are put together.
#[repr(align(64))]
struct Made {
    _bytes: [u8; ROWS * PITCH],
}

/// Copies tiles past the caches, block by block.
///
/// # Safety
///
/// As [`plane`](super::plane::plane). With `ALIGNS` all lines of the target begin at multiples of 64.
#[inline(always)]
pub(super) unsafe fn blocks<V: Vector, const E: usize, const N: usize, const ALIGNS: bool>(area: &Area, pass: &Pass) {
    let mut made = MaybeUninit::<Made>::uninit();
    let made = made.as_mut_ptr().cast::<u8>();
    let (rows, columns) = (HELD * LINE / E, (RUN / E).min(ROWS));
    let (of_i, of_j) = ((area.i.1 - area.i.0).div_ceil(rows), (area.j.1 - area.j.0).div_ceil(columns));
    for number in 0..of_i * of_j {
        // Where the target does not align, what is left over of a row's last line is wanted for the row's next block; else
        // the source's rows are read on, whose pages are known.
        let (i, j) = if ALIGNS { (number / of_j, number % of_j) } else { (number % of_i, number / of_i) };
        let (first, start) = (area.i.0 + i * rows, area.j.0 + j * columns);
        let block =
            Area { i: (first, (first + rows).min(area.i.1)), j: (start, (start + columns).min(area.j.1)), ..*area };
        let (_, next) = if ALIGNS { area.at::<E>(first, block.j.1) } else { area.at::<E>(block.i.1, start) };
        // SAFETY: a part of the plane that is no larger than a block.
        unsafe { make::<V, E, N, ALIGNS>(made, &block, next, pass) };
        // SAFETY: the lines that were just put together.
        unsafe { drain::<V, E, ALIGNS>(&block, made, first == area.i.0) };
        if !ALIGNS && block.i.1 == area.i.1 {
            // SAFETY: what is left of the rows after the last tile.
            unsafe { flush::<E>(&block, made) };
        }
    }
}

/// Puts together the lines of a block, and fetches the first tiles of the one that has its source at `next`.
///
/// # Safety
///
/// As [`blocks`]; there is room for the rows at `made`.
#[inline(always)]
unsafe fn make<V: Vector, const E: usize, const N: usize, const ALIGNS: bool>(
    made: *mut u8,
    block: &Area,
    next: *const u8,
    pass: &Pass,
) {
    let side = LINE / E;
    let mut lines = MaybeUninit::<Lines>::uninit();
    let lines = lines.as_mut_ptr().cast::<u8>();
    for i in (block.i.0..block.i.1).step_by(side) {
        let below = if i + side < block.i.1 { block.at::<E>(i + side, block.j.0).1 } else { next };
        for j in (block.j.0..block.j.1).step_by(side * width(E)) {
            let count = width(E).min((block.j.1 - j) / side);
            let (to, from) = block.at::<E>(i, j);
            // SAFETY: tiles of the plane, which the caller vouches for.
            unsafe { pack::<V, E>(lines, from, block.from_i, count) };
            let made = made.wrapping_add((j - block.j.0) * PITCH + (i - block.i.0) * E);
            let below = below.wrapping_add((j - block.j.0) * E);
            for tile in 0..count {
                let to = to.wrapping_offset((tile * side) as isize * block.to_j);
                let made = made.wrapping_add(tile * side * PITCH);
                let row_of = |row: usize| {
                    let past = if ALIGNS { 0 } else { to.wrapping_offset(row as isize * block.to_j).addr() % LINE };
                    made.wrapping_add(row * PITCH + past)
                };
                // As many lines as a part has, row by row.
                let fetch = |part: usize| {
                    let first = (tile * PARTS + part) * side / PARTS;
                    for line in first..first + side / PARTS {
                        let row = below.wrapping_offset((line / width(E)) as isize * block.from_i);
                        V::prefetch(row.wrapping_add(line % width(E) * LINE));
                    }
                };
                let lines = lines.wrapping_add(tile * LINE);
                // SAFETY: a tile of the lines; each row has a line more than its tiles need, for where they begin.
                unsafe { turn::<V, E, N, false>(row_of, lines, pass.swap.as_ref(), fetch) };
            }
        }
    }
}

/// Writes the lines of the target that are complete, and keeps what follows for the next block.
///
/// # Safety
///
/// As [`blocks`]: the rows of the block are at `made`. `begins` says that nothing of the target's rows lies before.
#[inline(always)]
unsafe fn drain<V: Vector, const E: usize, const ALIGNS: bool>(block: &Area, made: *mut u8, begins: bool) {
    let held = (block.i.1 - block.i.0) * E / LINE;
    let (to, _) = block.at::<E>(block.i.0, block.j.0);
    for row in 0..block.j.1 - block.j.0 {
        let to = to.wrapping_offset(row as isize * block.to_j);
        let row = made.wrapping_add(row * PITCH);
        let past = if ALIGNS { 0 } else { to.addr() % LINE };
        let to = to.wrapping_sub(past);
        let put = |line: usize| {
            for part in 0..LINE / V::BYTES {
                let at = line * LINE + part * V::BYTES;
                // SAFETY: within the row put together.
                let bytes = unsafe { V::load(row.wrapping_add(at)) };
                // SAFETY: a line of the target, from where it begins on.
                unsafe { bytes.stream(to.wrapping_add(at)) };
            }
        };
        if begins && past != 0 {
            // SAFETY: the row's first bytes, up to a whole line.
            unsafe { to.wrapping_add(past).copy_from_nonoverlapping(row.wrapping_add(past), LINE - past) };
            (1..held).for_each(put);
        } else if held == HELD {
            // A count that the compiler knows.
            (0..HELD).for_each(put);
        } else {
            (0..held).for_each(put);
        }
        if !ALIGNS {
            for part in 0..LINE / V::BYTES {
                let row = row.wrapping_add(part * V::BYTES);
                // SAFETY: the line after the last, to the first; what is there does not matter before it is whole.
                unsafe { V::load(row.wrapping_add(held * LINE)).store(row) };
            }
        }
    }
}

/// Writes what is left of lines of the target that did not become whole.
///
/// # Safety
///
/// As [`drain`], after the last block of the rows.
unsafe fn flush<const E: usize>(block: &Area, made: *const u8) {
    let (to, _) = block.at::<E>(block.i.1, block.j.0);
    for row in 0..block.j.1 - block.j.0 {
        let to = to.wrapping_offset(row as isize * block.to_j);
        let past = to.addr() % LINE;
        // SAFETY: the row's last bytes.
        unsafe { to.wrapping_sub(past).copy_from_nonoverlapping(made.wrapping_add(row * PITCH), past) };
    }
}
