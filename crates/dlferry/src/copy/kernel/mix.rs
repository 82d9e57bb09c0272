//! A few interleaved channels to a plane for each, and back.

use super::ahead::{Ahead, TOGETHER};
use super::simd::{Table, Vector};
use super::{Inner, LINE, Pass, swapped};

/// Channels above which a plane is transposed as any other.
pub(in crate::copy) const MOST: usize = 4;

/// Spans of planes that are fetched side by side: as many of each plane, for all numbers of planes.
const ABREAST: usize = 12;

/// From interleaved channels, `i` along the pixels, to planes, `j` from one to the next.
///
/// # Safety
///
/// As [`Body`](super::Body); the processor has the instructions of `V`, the source is dense, and so is each plane;
/// `j` has `K` elements.
#[inline(always)]
pub(super) unsafe fn split<V: Vector, const E: usize, const K: usize>(
    to: *mut u8,
    from: *const u8,
    inner: &Inner,
    pass: &Pass,
) {
    let tables = tables::<E, K>(true, pass.swap.as_ref());
    let pixels = V::BYTES / E;
    let streams = pass.streams && (to.addr() | inner.j.to.unsigned_abs()) % V::BYTES == 0;
    let mut ahead = streams.then(|| Ahead::<V, TOGETHER>::rows(from, (1, 0), inner.i.n * E * K, true));
    let mut at = 0;
    while at + pixels <= inner.i.n {
        if at % (LINE / E) == 0 {
            if let Some(ahead) = &mut ahead {
                ahead.read(K);
            }
        }
        let from = from.wrapping_add(at * E * K);
        // SAFETY: the bytes of as many pixels; each lane has its own.
        let mut parts = [unsafe { V::load_lanes(from, 16 * K as isize) }; K];
        for (part, place) in parts.iter_mut().enumerate().skip(1) {
            // SAFETY: as above.
            *place = unsafe { V::load_lanes(from.wrapping_add(part * 16), 16 * K as isize) };
        }
        for (channel, tables) in tables.iter().enumerate() {
            let to = to.wrapping_offset(channel as isize * inner.j.to).wrapping_add(at * E);
            // SAFETY: the instructions of `V` are there.
            let vector = unsafe { mixed(&parts, tables) };
            // SAFETY: as many elements of a plane, aligned where they are streamed.
            unsafe { if streams { vector.stream(to) } else { vector.store(to) } };
        }
        at += pixels;
    }
    for at in at..inner.i.n {
        for channel in 0..K {
            let from = from.wrapping_add((at * K + channel) * E);
            let to = to.wrapping_offset(channel as isize * inner.j.to).wrapping_add(at * E);
            // SAFETY: an element of both.
            unsafe { one::<E>(to, from, pass) };
        }
    }
}

/// From planes, `i` from one to the next, to interleaved channels, `j` along the pixels.
///
/// # Safety
///
/// As [`Body`](super::Body); the processor has the instructions of `V`, the target is dense, and so is each plane;
/// `i` has `K` elements.
#[inline(always)]
pub(super) unsafe fn join<V: Vector, const E: usize, const K: usize>(
    to: *mut u8,
    from: *const u8,
    inner: &Inner,
    pass: &Pass,
) {
    let tables = tables::<E, K>(false, pass.swap.as_ref());
    let pixels = V::BYTES / E;
    let streams = pass.streams && to.addr() % 16 == 0;
    let mut ahead = streams.then(|| Ahead::<V, ABREAST>::planes(from, (K, inner.i.from), inner.j.n * E));
    let mut at = 0;
    while at + pixels <= inner.j.n {
        if at % (LINE / E) == 0 {
            if let Some(ahead) = &mut ahead {
                ahead.read(K);
            }
        }
        let from = from.wrapping_add(at * E);
        // SAFETY: as many elements of each plane.
        let mut planes = [unsafe { V::load(from) }; K];
        for (channel, place) in planes.iter_mut().enumerate().skip(1) {
            // SAFETY: as above.
            *place = unsafe { V::load(from.wrapping_offset(channel as isize * inner.i.from)) };
        }
        for (part, tables) in tables.iter().enumerate() {
            let to = to.wrapping_add(at * E * K + part * 16);
            // SAFETY: the instructions of `V` are there.
            let vector = unsafe { mixed(&planes, tables) };
            let apart = 16 * K as isize;
            // SAFETY: the bytes of as many pixels, those of each lane apart, aligned where they are streamed.
            unsafe { if streams { vector.stream_lanes(to, apart) } else { vector.store_lanes(to, apart) } };
        }
        at += pixels;
    }
    for at in at..inner.j.n {
        for channel in 0..K {
            let from = from.wrapping_offset(channel as isize * inner.i.from).wrapping_add(at * E);
            // SAFETY: an element of both.
            unsafe { one::<E>(to.wrapping_add((at * K + channel) * E), from, pass) };
        }
    }
}

/// # Safety
///
/// An element of both sides.
#[inline(always)]
unsafe fn one<const E: usize>(to: *mut u8, from: *const u8, pass: &Pass) {
    // SAFETY: vouched for by the caller; bytes have no alignment.
    let mut element = unsafe { from.cast::<[u8; E]>().read() };
    if let Some(table) = &pass.swap {
        element = swapped(element, table);
    }
    // SAFETY: as above.
    unsafe { to.cast::<[u8; E]>().write(element) };
}

/// Picks bytes from several vectors.
///
/// # Safety
///
/// The processor has the instructions of `V`.
#[inline(always)]
unsafe fn mixed<V: Vector, const K: usize>(parts: &[V; K], tables: &[Table; K]) -> V {
    // SAFETY: vouched for by the caller, as all below.
    let mut sum = unsafe { parts[0].shuffle(&tables[0]) };
    for (part, table) in parts.iter().zip(tables).skip(1) {
        // SAFETY: as above.
        sum = unsafe { sum.or(part.shuffle(table)) };
    }
    sum
}

/// For each of the `K` vectors of a result, what comes from each of the `K` that there are.
fn tables<const E: usize, const K: usize>(splits: bool, swap: Option<&Table>) -> [[Table; K]; K] {
    let mut tables = [[[128; 16]; K]; K];
    let pixels = 16 / E;
    for channel in 0..K {
        for pixel in 0..pixels {
            let mixed = (pixel * K + channel) * E;
            for byte in 0..E {
                let from = swap.map_or(byte, |table| usize::from(table[byte]));
                let (part, place) = (mixed / 16, mixed % 16);
                let (apart, joined) = (pixel * E, place);
                if splits {
                    tables[channel][part][apart + byte] = u8::try_from(joined + from).unwrap_or(128);
                } else {
                    tables[part][channel][joined + byte] = u8::try_from(apart + from).unwrap_or(128);
                }
            }
        }
    }
    tables
}
