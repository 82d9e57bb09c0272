//! Packed elements below a byte. Those that do not lie one after another on both sides have a byte each while they are moved.

use super::bits::{From, To, get, put, run};
use super::{Axis, Body, Inner, Kernel, LINE, Level, Pass, body, signed};

/// Elements that have a byte each at once.
const SOME: usize = 64;

/// A byte for each of them.
type Spread = [u8; SOME];

/// Copies elements of `width` bits along some axes, strides in bits; the last two with `plane`, when there is one.
///
/// # Safety
///
/// Every byte that holds a bit of an element is readable in the source and writable in the target; no byte of one is one
/// of the other. With `plane` the target is dense along the last axis, and the source along the one before.
pub(in crate::copy) unsafe fn elements(to: To, from: From, axes: &[Axis], width: usize, plane: &mut Option<Plane>) {
    match (axes, &mut *plane) {
        // SAFETY: the bits of an element, vouched for by the caller.
        ([], _) => unsafe { run(to, from, width) },
        // SAFETY: a row, vouched for by the caller.
        ([i], _) => unsafe { row(to, from, *i, width) },
        // SAFETY: as above.
        ([j, i], Some(plane)) => unsafe { plane.copy(to, from, *i, *j, width) },
        ([axis, faster @ ..], _) => {
            for at in 0..signed(axis.n) {
                // SAFETY: elements of the axis, vouched for by the caller.
                unsafe { elements(to.after(at * axis.to), from.after(at * axis.from), faster, width, plane) };
            }
        }
    }
}

/// Copies elements along an axis.
///
/// # Safety
///
/// As [`elements`].
unsafe fn row(to: To, from: From, axis: Axis, width: usize) {
    if axis.to == signed(width) && axis.from == signed(width) {
        // SAFETY: elements without gaps are as good as one of all their bits.
        return unsafe { run(to, from, width * axis.n) };
    }
    // SAFETY: vouched for by the caller. Shifts by numbers that are known are faster.
    unsafe {
        match width {
            1 => small(to, from, axis, 1),
            2 => small(to, from, axis, 2),
            4 => small(to, from, axis, 4),
            3 | 5..=7 => small(to, from, axis, width),
            _ => (0..signed(axis.n)).for_each(|at| run(to.after(at * axis.to), from.after(at * axis.from), width)),
        }
    }
}

/// Copies elements of less than a byte along an axis.
///
/// # Safety
///
/// As [`elements`].
#[inline(always)]
unsafe fn small(to: To, from: From, axis: Axis, width: usize) {
    let dense = signed(width);
    let mut spread = [0; SOME];
    let mut start = 0;
    while start < axis.n {
        let n = SOME.min(axis.n - start);
        let (to, from) = (to.after(signed(start) * axis.to), from.after(signed(start) * axis.from));
        let mut packed = [0; LINE];
        if axis.from == dense {
            // SAFETY: elements of the source, and room for as many as have a byte each.
            unsafe { run(To { byte: packed.as_mut_ptr(), bit: 0 }, from, n * width) };
            unpack(&mut spread, &packed, width);
        } else {
            for (at, value) in spread.iter_mut().take(n).enumerate() {
                // SAFETY: an element of the source.
                *value = unsafe { get(from.after(signed(at) * axis.from), width) };
            }
        }
        if axis.to == dense {
            pack(&mut packed, &spread, width);
            // SAFETY: elements of the target, from as many bits.
            unsafe { run(to, From { byte: packed.as_ptr(), bit: 0 }, n * width) };
        } else {
            for (at, value) in spread.iter().take(n).enumerate() {
                // SAFETY: an element of the target.
                unsafe { put(to.after(signed(at) * axis.to), *value, width) };
            }
        }
        start += n;
    }
}

/// Gives a byte to each element of less.
#[inline(always)]
fn unpack(spread: &mut Spread, packed: &[u8], width: usize) {
    let low = |bits: usize| u64::MAX >> (64 - bits);
    let (four, two, one) = (low(4 * width), low(2 * width), low(width));
    let (twos, ones) = (two | two << 32, one | one << 16 | one << 32 | one << 48);
    for (at, eight) in spread.chunks_exact_mut(8).enumerate() {
        let mut word = [0; 8];
        word.copy_from_slice(&packed[at * width..][..8]);
        let word = u64::from_le_bytes(word);
        // Halves of what there is are moved apart, three times.
        let word = (word & four) | (word >> (4 * width) & four) << 32;
        let word = (word & twos) | (word >> (2 * width) & twos) << 16;
        let word = (word & ones) | (word >> width & ones) << 8;
        eight.copy_from_slice(&word.to_le_bytes());
    }
}

/// The same back. Bits behind the last element are written, too.
#[inline(always)]
fn pack(packed: &mut [u8], spread: &Spread, width: usize) {
    for (at, eight) in spread.chunks_exact(8).enumerate() {
        let mut word = [0; 8];
        word.copy_from_slice(eight);
        let word = u64::from_le_bytes(word);
        let (low, high) = (word & 0x00ff_00ff_00ff_00ff, word >> 8 & 0x00ff_00ff_00ff_00ff);
        let word = low | high << width;
        let (low, high) = (word & 0x0000_ffff_0000_ffff, word >> 16 & 0x0000_ffff_0000_ffff);
        let word = low | high << (2 * width);
        let (low, high) = (word & 0xffff_ffff, word >> 32);
        let word = low | high << (4 * width);
        packed[at * width..][..8].copy_from_slice(&word.to_le_bytes());
    }
}

/// Elements along both sides of the largest tile: room for more would be too much for a stack.
const SIDE: usize = 128;

/// A cache line of packed elements. The last eight of them are read and written with what follows.
type Line = [u8; LINE + 8];

/// As many rows of bytes, which the kernel that turns them wants to begin lines.
#[repr(align(64))]
struct Square([Spread; SOME]);

/// Room for the tiles of a transpose: lines of the source become lines of the target.
pub(in crate::copy) struct Plane {
    source: [Line; SIDE],
    target: [Line; SIDE],
    spread: Square,
    turned: Square,
    turn: Body,
    pass: Pass,
}

/// What [`Plane::turn`] does: a transpose of bytes.
const TURN: Inner =
    Inner { i: Axis { n: SOME, to: 1, from: SOME as isize }, j: Axis { n: SOME, to: SOME as isize, from: 1 }, item: 1 };

impl Plane {
    pub(in crate::copy) fn new(level: Level) -> Self {
        let pass = Pass::new(1, false);
        let turn = body(Kernel::Plane, level, &TURN, &pass);
        let line = [0; LINE + 8];
        let square = || Square([[0; SOME]; SOME]);
        Self { source: [line; SIDE], target: [line; SIDE], spread: square(), turned: square(), turn, pass }
    }

    /// Copies a plane of elements of less than a byte.
    ///
    /// # Safety
    ///
    /// As [`elements`].
    unsafe fn copy(&mut self, to: To, from: From, i: Axis, j: Axis, width: usize) {
        // As many as fill a line, or nearly, where there is room.
        let side = (8 / width * SOME).min(SIDE);
        for start_i in (0..i.n).step_by(side) {
            for start_j in (0..j.n).step_by(side) {
                let at = |axis: Axis, at| (signed(at) * axis.to, signed(at) * axis.from);
                let ((to_i, from_i), (to_j, from_j)) = (at(i, start_i), at(j, start_j));
                let i = Axis { n: side.min(i.n - start_i), ..i };
                let j = Axis { n: side.min(j.n - start_j), ..j };
                let (to, from) = (to.after(to_i + to_j), from.after(from_i + from_j));
                // SAFETY: a part of the plane.
                unsafe { self.tile(to, from, i, j, width) };
            }
        }
    }

    /// # Safety
    ///
    /// As [`elements`]; along both axes there are at most as many elements as fill a line.
    unsafe fn tile(&mut self, to: To, from: From, i: Axis, j: Axis, width: usize) {
        for (at, line) in self.source.iter_mut().take(i.n).enumerate() {
            let line = To { byte: line.as_mut_ptr(), bit: 0 };
            // SAFETY: elements of the source, and a line for them.
            unsafe { run(line, from.after(signed(at) * i.from), j.n * width) };
        }
        match width {
            1 => self.turn(i.n, j.n, 1),
            2 => self.turn(i.n, j.n, 2),
            4 => self.turn(i.n, j.n, 4),
            _ => self.turn(i.n, j.n, width),
        }
        for (at, line) in self.target.iter().take(j.n).enumerate() {
            let line = From { byte: line.as_ptr(), bit: 0 };
            // SAFETY: elements of the target, from a line that has as many.
            unsafe { run(to.after(signed(at) * j.to), line, i.n * width) };
        }
    }

    /// Makes lines of the target from as many elements of as many lines of the source.
    #[inline(always)]
    fn turn(&mut self, rows: usize, columns: usize, width: usize) {
        for row in (0..rows).step_by(SOME) {
            for column in (0..columns).step_by(SOME) {
                for (line, spread) in self.source[row..rows].iter().zip(&mut self.spread.0) {
                    unpack(spread, &line[column / 8 * width..], width);
                }
                let (to, from) = (self.turned.0.as_mut_ptr().cast(), self.spread.0.as_ptr().cast());
                // SAFETY: both have as many rows, of as many bytes, as `TURN` says; the level is one that is available.
                unsafe { (self.turn)(to, from, &TURN, &self.pass) };
                for (line, spread) in self.target[column..columns].iter_mut().zip(&self.turned.0) {
                    pack(&mut line[row / 8 * width..], spread, width);
                }
            }
        }
    }
}
