//! Rows: one axis is the densest of both sides. Elements are collected in a line, and the line is written at once.

use super::ahead::{Ahead, TOGETHER};
use super::simd::Vector;
use super::{Axis, Inner, LINE, Pass};

/// A line of bytes, aligned as one.
#[repr(align(64))]
struct Line([u8; LINE]);

/// How the source is walked.
const DENSE: u8 = 0;
const REVERSED: u8 = 1;
const REPEATED: u8 = 2;
const STRIDED: u8 = 3;

/// Copies rows of elements of `E` bytes along `i`, one for each index of `j`.
///
/// # Safety
///
/// As [`Body`](super::Body); the processor has the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn rows<V: Vector, const E: usize>(to: *mut u8, from: *const u8, inner: &Inner, pass: &Pass) {
    let dense = E as isize;
    // SAFETY: vouched for by the caller.
    unsafe {
        match inner.i.from {
            0 => walk::<V, E, REPEATED>(to, from, inner, pass),
            step if step == dense => walk::<V, E, DENSE>(to, from, inner, pass),
            step if step == -dense => walk::<V, E, REVERSED>(to, from, inner, pass),
            _ => walk::<V, E, STRIDED>(to, from, inner, pass),
        }
    }
}

/// # Safety
///
/// As [`rows`].
#[inline(always)]
unsafe fn walk<V: Vector, const E: usize, const WALK: u8>(to: *mut u8, from: *const u8, inner: &Inner, pass: &Pass) {
    let (i, j) = (inner.i, inner.j);
    let step = i.from.unsigned_abs();
    // Where every line of the source is read.
    let fetches = pass.streams && step != 0 && step <= LINE && step % E == 0;
    let mut ahead = fetches.then(|| Ahead::<V, TOGETHER>::rows(from, (j.n, j.from), i.n * step, i.from > 0));
    for at in 0..j.n {
        if let Some(ahead) = &mut ahead {
            ahead.begin(at);
        }
        let (to, from) = (to.wrapping_offset(at as isize * j.to), from.wrapping_offset(at as isize * j.from));
        // SAFETY: a row, vouched for by the caller.
        unsafe { row::<V, E, WALK>(to, from, i, pass, ahead.as_mut()) };
    }
}

/// # Safety
///
/// As [`rows`], for one row.
#[inline(always)]
unsafe fn row<V: Vector, const E: usize, const WALK: u8>(
    to: *mut u8,
    from: *const u8,
    axis: Axis,
    pass: &Pass,
    mut ahead: Option<&mut Ahead<V, TOGETHER>>,
) {
    let side = LINE / E;
    let mut at = 0;
    if axis.to == E as isize {
        let past = to.addr() % LINE;
        if past % E == 0 {
            at = if past == 0 { 0 } else { ((LINE - past) / E).min(axis.n) };
            // SAFETY: the first elements of the row.
            unsafe { piece::<V, E>(to, from, Axis { n: at, ..axis }, pass) };
        }
        let streams = pass.streams && past % E == 0;
        while at + side <= axis.n {
            if let Some(ahead) = &mut ahead {
                ahead.read(axis.from.unsigned_abs() / E);
            }
            let (to, from) = (to.wrapping_add(at * E), from.wrapping_offset(at as isize * axis.from));
            // SAFETY: elements of the row; with `streams` whole lines of the target.
            unsafe { line::<V, E, WALK>(to, from, axis.from, pass, streams) };
            at += side;
        }
    } else {
        while at + side <= axis.n {
            let to = to.wrapping_offset(at as isize * axis.to);
            let from = from.wrapping_offset(at as isize * axis.from);
            // SAFETY: elements of the row.
            unsafe { piece::<V, E>(to, from, Axis { n: side, ..axis }, pass) };
            at += side;
        }
    }
    let (to, from) = (to.wrapping_offset(at as isize * axis.to), from.wrapping_offset(at as isize * axis.from));
    // SAFETY: the last elements of the row.
    unsafe { piece::<V, E>(to, from, Axis { n: axis.n - at, ..axis }, pass) };
}

/// Copies as many elements as fill a line of a dense target.
///
/// # Safety
///
/// As [`rows`]; with `streams` the target is aligned as a line.
#[inline(always)]
unsafe fn line<V: Vector, const E: usize, const WALK: u8>(
    to: *mut u8,
    from: *const u8,
    step: isize,
    pass: &Pass,
    streams: bool,
) {
    let mut line = Line([0; LINE]);
    let first = match WALK {
        DENSE => from,
        REVERSED => from.wrapping_sub(LINE - E),
        _ => {
            for at in 0..LINE / E {
                // SAFETY: an element of the line; bytes have no alignment.
                let element = unsafe { from.wrapping_offset(at as isize * step).cast::<[u8; E]>().read() };
                line.0[at * E..][..E].copy_from_slice(&element);
            }
            line.0.as_ptr()
        }
    };
    let parts = LINE / V::BYTES;
    for part in 0..parts {
        let place = if WALK == REVERSED { parts - 1 - part } else { part };
        // SAFETY: a part of the elements, or of the line they were collected in.
        let mut vector = unsafe { V::load(first.wrapping_add(place * V::BYTES)) };
        if WALK == REVERSED {
            // SAFETY: the instructions of `V` are there.
            vector = unsafe { vector.shuffle(&pass.mirror).flip() };
        } else if let Some(table) = &pass.swap {
            // SAFETY: the instructions of `V` are there.
            vector = unsafe { vector.shuffle(table) };
        }
        let to = to.wrapping_add(part * V::BYTES);
        // SAFETY: a part of a line of the target, aligned where it is streamed.
        unsafe { if streams { vector.stream(to) } else { vector.store(to) } };
    }
}

/// Copies up to a line of elements at any strides.
///
/// # Safety
///
/// As [`rows`]; the axis has at most as many elements as a line.
#[inline(always)]
unsafe fn piece<V: Vector, const E: usize>(to: *mut u8, from: *const u8, axis: Axis, pass: &Pass) {
    let Some(table) = &pass.swap else {
        for at in 0..axis.n as isize {
            let from = from.wrapping_offset(at * axis.from).cast::<[u8; E]>();
            // SAFETY: an element of both; bytes have no alignment.
            unsafe { to.wrapping_offset(at * axis.to).cast::<[u8; E]>().copy_from_nonoverlapping(from, 1) };
        }
        return;
    };
    let mut line = Line([0; LINE]);
    for at in 0..axis.n {
        // SAFETY: an element of the source; bytes have no alignment.
        let element = unsafe { from.wrapping_offset(at as isize * axis.from).cast::<[u8; E]>().read() };
        line.0[at * E..][..E].copy_from_slice(&element);
    }
    let mut done = 0;
    while done < axis.n * E {
        let part = line.0[done..].as_mut_ptr();
        // SAFETY: a part of the line; the instructions of `V` are there.
        unsafe { V::load(part).shuffle(table).store(part) };
        done += V::BYTES;
    }
    for at in 0..axis.n {
        let element = line.0[at * E..][..E].as_ptr().cast::<[u8; E]>();
        // SAFETY: an element of the target; bytes have no alignment.
        unsafe { to.wrapping_offset(at as isize * axis.to).cast::<[u8; E]>().copy_from_nonoverlapping(element, 1) };
    }
}
