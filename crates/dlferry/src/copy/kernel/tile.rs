//! Transposes: what is dense along one axis in the source is dense along another in the target.

use core::mem::MaybeUninit;

use super::simd::{Table, Vector};
use super::{Axis, Inner, LINE, Pass, swapped};

/// Copies a plane of elements of `E` bytes, of which `N` fill 16 bytes: along `i` the target is dense, along `j` the source.
///
/// The target is written a cache line at a time, by tiles of as many lines as a line has elements.
///
/// # Safety
///
/// As [`Body`](super::Body); the processor has the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn plane<V: Vector, const E: usize, const N: usize>(
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
    // SAFETY: whole tiles of the plane, which the caller vouches for; lines of the target where they are streamed.
    unsafe {
        match (pass.streams, aligns) {
            (false, _) => tiles::<V, E, N, STORE>(&area, pass),
            (true, true) => tiles::<V, E, N, STREAM>(&area, pass),
            (true, false) => tiles::<V, E, N, SHIFT>(&area, pass),
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

/// Lines get to the target through the caches.
const STORE: u8 = 0;
/// They get there past the caches, being lines of the target.
const STREAM: u8 = 1;
/// They are put together from two neighbors first, since each row of the target begins at another place of a line.
const SHIFT: u8 = 2;

/// A part of a plane, of whole tiles.
struct Area {
    to: *mut u8,
    from: *const u8,
    to_j: isize,
    from_i: isize,
    /// From where to where.
    i: (usize, usize),
    j: (usize, usize),
}

impl Area {
    #[inline(always)]
    fn at<const E: usize>(&self, i: usize, j: usize) -> (*mut u8, *const u8) {
        (
            self.to.wrapping_add(i * E).wrapping_offset(j as isize * self.to_j),
            self.from.wrapping_add(j * E).wrapping_offset(i as isize * self.from_i),
        )
    }
}

/// Bytes of each row of the source that are read before the next rows: a page, so that few pages are in use at a time.
const BLOCK: usize = 4096;

/// Tiles along `i` that are copied before the next along `j`, so that rows of the target get some lines one after another.
/// Of rows that are far apart, not more are read at a time than a processor can look ahead on; near ones are in the
/// caches anyway.
fn near(from_i: isize, side: usize) -> usize {
    if from_i.unsigned_abs() <= 512 { 8 } else { (32 / side).clamp(1, 4) }
}

/// Rows of the target whose lines are put together at a time.
const SHIFTED: usize = 256;

/// Copies tiles.
///
/// # Safety
///
/// As [`plane`]. With `STREAM` all lines of the target begin at multiples of 64.
#[inline(always)]
unsafe fn tiles<V: Vector, const E: usize, const N: usize, const PUT: u8>(area: &Area, pass: &Pass) {
    let side = LINE / E;
    let mut lines = MaybeUninit::<Lines>::uninit();
    let lines = lines.as_mut_ptr().cast::<u8>();
    let mut shift = MaybeUninit::<Shift>::uninit();
    let shift = shift.as_mut_ptr().cast::<u8>();
    let block = BLOCK / LINE * side;
    let block = if PUT == SHIFT { block.min(SHIFTED) } else { block };
    let width = width(E);
    let together = if PUT == SHIFT { side } else { near(area.from_i, side) * side };
    let mut start = area.j.0;
    while start < area.j.1 {
        let stop = (start + block).min(area.j.1);
        let mut first = area.i.0;
        while first < area.i.1 {
            let far = (first + together).min(area.i.1);
            let mut j = start;
            while j < stop {
                let tiles = width.min((stop - j) / side);
                let mut i = first;
                while i < far {
                    let (to, from) = area.at::<E>(i, j);
                    // SAFETY: tiles of the plane, which the caller vouches for.
                    unsafe { pack::<V, E>(lines, from, area.from_i, tiles) };
                    for tile in 0..tiles {
                        let to = to.wrapping_offset((tile * side) as isize * area.to_j);
                        let lines = lines.wrapping_add(tile * LINE);
                        let rows = shift.wrapping_add((j - start + tile * side) * 2 * LINE);
                        // SAFETY: a tile of the plane, and of the lines.
                        unsafe { turn::<V, E, N, PUT>(to, area.to_j, lines, rows, pass.swap.as_ref()) };
                    }
                    i += side;
                }
                j += tiles * side;
            }
            if PUT == SHIFT {
                let (to, _) = area.at::<E>(first, start);
                // SAFETY: lines that were just put together.
                unsafe { drain::<V>(to, area.to_j, shift, stop - start, first == area.i.0) };
            }
            first = far;
        }
        if PUT == SHIFT && area.i.1 > area.i.0 {
            let (to, _) = area.at::<E>(area.i.1, start);
            // SAFETY: what is left of the rows after the last tile.
            unsafe { flush(to, area.to_j, shift, stop - start) };
        }
        start = stop;
    }
}

/// Tiles side by side that are packed at once: as many bytes of each row as make reading it worthwhile.
const fn width(item: usize) -> usize {
    if item == 1 { 4 } else { 1 }
}

/// Lines of tiles, packed.
#[repr(align(64))]
struct Lines {
    _bytes: [u8; LINE * LINE * width(1)],
}

/// Two lines for each of some rows of the target: what of a line there is already, then what comes.
#[repr(align(64))]
struct Shift {
    _bytes: [u8; SHIFTED * 2 * LINE],
}

/// Reads the lines of tiles side by side, row by row.
///
/// Lines whose rows are a power of two apart share a few places of the cache, and would push each other out before their
/// last bytes are used: so each is read once, whole.
///
/// # Safety
///
/// The source is readable, and there is room in `lines`.
#[inline(always)]
unsafe fn pack<V: Vector, const E: usize>(lines: *mut u8, from: *const u8, from_i: isize, tiles: usize) {
    for row in 0..LINE / E {
        let from = from.wrapping_offset(row as isize * from_i);
        let line = lines.wrapping_add(row * LINE * width(E));
        for part in 0..tiles * (LINE / V::BYTES) {
            // SAFETY: a line of a tile, vouched for by the caller.
            let bytes = unsafe { V::load(from.wrapping_add(part * V::BYTES)) };
            // SAFETY: room, says the caller.
            unsafe { bytes.store(line.wrapping_add(part * V::BYTES)) };
        }
    }
}

/// Where the row of the target that begins at `to` has its next byte, in a line put together.
#[inline(always)]
fn place(to: *mut u8, rows: *mut u8, row: usize) -> *mut u8 {
    rows.wrapping_add(row * 2 * LINE + to.addr() % LINE)
}

/// Copies a tile from packed lines: rows become columns.
///
/// # Safety
///
/// As [`tiles`]; with `SHIFT` the lines go to `rows`, which has room for them.
#[inline(always)]
unsafe fn turn<V: Vector, const E: usize, const N: usize, const PUT: u8>(
    to: *mut u8,
    to_j: isize,
    lines: *const u8,
    rows: *mut u8,
    table: Option<&Table>,
) {
    let step = LINE * width(E);
    for part in 0..LINE / 16 {
        let from = lines.wrapping_add(part * 16);
        // SAFETY: the first bytes of the lines; what is there does not matter.
        let mut groups = [[unsafe { V::load_lanes(from, 0) }; N]; 4];
        for (group, vectors) in groups.iter_mut().enumerate().take(LINE / V::BYTES) {
            for (row, vector) in vectors.iter_mut().enumerate() {
                let from = from.wrapping_add((group * V::LANES * N + row) * step);
                // SAFETY: within the lines.
                *vector = unsafe { V::load_lanes(from, (N * step) as isize) };
                if let Some(table) = table {
                    // SAFETY: the instructions of `V` are there.
                    *vector = unsafe { vector.shuffle(table) };
                }
            }
            // SAFETY: the instructions of `V` are there.
            *vectors = unsafe { transposed::<V, E, N>(*vectors) };
        }
        for m in 0..N {
            let row = part * N + m;
            let to = to.wrapping_offset(row as isize * to_j);
            let to = if PUT == SHIFT { place(to, rows, row) } else { to };
            for (group, vectors) in groups.iter().enumerate().take(LINE / V::BYTES) {
                let to = to.wrapping_add(group * V::BYTES);
                // SAFETY: a part of a line of the tile, vouched for by the caller.
                unsafe { if PUT == STREAM { vectors[m].stream(to) } else { vectors[m].store(to) } }
            }
        }
    }
}

/// Writes the lines of the target that are complete, and keeps what follows for the next.
///
/// # Safety
///
/// As [`tiles`]: `count` rows of the target begin their tile at `to`, and its bytes are in `rows`. `first` says that
/// nothing of the row lies before.
#[inline(always)]
unsafe fn drain<V: Vector>(to: *mut u8, to_j: isize, rows: *mut u8, count: usize, first: bool) {
    for row in 0..count {
        let to = to.wrapping_offset(row as isize * to_j);
        let past = to.addr() % LINE;
        let line = rows.wrapping_add(row * 2 * LINE);
        if first && past != 0 {
            // SAFETY: the row's first bytes, up to a whole line.
            unsafe { to.copy_from_nonoverlapping(line.wrapping_add(past), LINE - past) };
        } else {
            for part in 0..LINE / V::BYTES {
                // SAFETY: within the line put together; what is there does not matter before it is whole.
                let bytes = unsafe { V::load(line.wrapping_add(part * V::BYTES)) };
                // SAFETY: a line of the target, from where it begins on.
                unsafe { bytes.stream(to.wrapping_sub(past).wrapping_add(part * V::BYTES)) };
            }
        }
        for part in 0..LINE / V::BYTES {
            let line = line.wrapping_add(part * V::BYTES);
            // SAFETY: the second line of the two, to the first.
            unsafe { V::load(line.wrapping_add(LINE)).store(line) };
        }
    }
}

/// Writes what is left of lines of the target that did not become whole.
///
/// # Safety
///
/// As [`drain`]; the rows end at `to`.
unsafe fn flush(to: *mut u8, to_j: isize, rows: *mut u8, count: usize) {
    for row in 0..count {
        let to = to.wrapping_offset(row as isize * to_j);
        let past = to.addr() % LINE;
        // SAFETY: the row's last bytes.
        unsafe { to.wrapping_sub(past).copy_from_nonoverlapping(rows.wrapping_add(row * 2 * LINE), past) };
    }
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
