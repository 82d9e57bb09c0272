//! The loops that move bytes, along two axes at once.
//!
//! Which of them a copy takes, the [plan](super::plan) decides; all have the form of [`Body`].

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::inline_always,
    clippy::cast_possible_wrap,
    clippy::multiple_unsafe_ops_per_block,
    clippy::needless_range_loop,
    reason = "kernels count within what the plan has checked to fit the address space; their vectors must be inlined"
)]

mod ahead;
mod any;
pub(in crate::copy) mod bits;
mod block;
mod level;
mod mix;
pub(in crate::copy) mod packed;
mod plane;
mod row;
mod select;
pub(in crate::copy) mod simd;
mod tile;

pub use level::Level;
pub(in crate::copy) use mix::MOST as MOST_CHANNELS;
pub(in crate::copy) use select::{Kernel, body};
use simd::Table;

/// Bytes of a cache line.
pub(in crate::copy) const LINE: usize = 64;

/// One axis of both sides, strides in bytes; in bits for packed elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::copy) struct Axis {
    pub(in crate::copy) n: usize,
    pub(in crate::copy) to: isize,
    pub(in crate::copy) from: isize,
}

impl Axis {
    /// An axis of one element.
    pub(in crate::copy) const ONE: Self = Self { n: 1, to: 0, from: 0 };

    /// The axis walked the other way, and from its first element to its last in both sides.
    pub(in crate::copy) fn turned(self) -> (Self, (isize, isize)) {
        let last = signed(self.n.saturating_sub(1));
        let turned = Self { n: self.n, to: self.to.wrapping_neg(), from: self.from.wrapping_neg() };
        (turned, (self.to.wrapping_mul(last), self.from.wrapping_mul(last)))
    }

    /// The axis as two: each few elements one after another, and all of these; `few` divides the number of elements.
    pub(in crate::copy) fn split(self, few: usize) -> (Self, Self) {
        let inner = Self { n: few, ..self };
        let (to, from) = inner.end();
        (inner, Self { n: self.n / few, to, from })
    }

    /// Leaves some elements of the axis, and says how far the first of these is from what was the first in both sides.
    pub(in crate::copy) fn keep(&mut self, start: usize, n: usize) -> (isize, isize) {
        self.n = n;
        (self.to.wrapping_mul(signed(start)), self.from.wrapping_mul(signed(start)))
    }

    /// From the first element to the one that would follow the last; wraps where that is no address.
    pub(in crate::copy) fn end(self) -> (isize, isize) {
        (self.to.wrapping_mul(signed(self.n)), self.from.wrapping_mul(signed(self.n)))
    }
}

/// What a kernel copies: elements of `item` bytes along two axes.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct Inner {
    /// The axis along which the target is densest.
    pub(in crate::copy) i: Axis,
    /// The axis along which the source is densest, where that is another; else the next.
    pub(in crate::copy) j: Axis,
    pub(in crate::copy) item: usize,
}

/// What is the same for all calls of a kernel during one copy.
#[derive(Clone, Debug)]
pub(in crate::copy) struct Pass {
    /// Bytes of each unit whose bytes are reversed; 1 for none.
    pub(in crate::copy) unit: usize,
    /// The same within 16 bytes, where units fit.
    pub(in crate::copy) swap: Option<Table>,
    /// The same, and the elements of 16 bytes in opposite order.
    pub(in crate::copy) mirror: Table,
    /// Whether whole lines of the target are written past the caches.
    pub(in crate::copy) streams: bool,
}

impl Pass {
    pub(in crate::copy) fn new(unit: usize, streams: bool) -> Self {
        Self { unit, swap: None, mirror: [0; 16], streams }
    }

    /// Makes the tables for elements of `item` bytes; that for the opposite order only where it is wanted.
    pub(in crate::copy) fn make_tables(&mut self, item: usize, mirrors: bool) {
        self.swap = (self.unit > 1 && self.fits(item)).then(|| byte_by_byte(|at| at ^ (self.unit - 1)));
        if mirrors && self.fits(item) && item.is_power_of_two() && item <= 16 {
            let swap = self.swap;
            self.mirror = byte_by_byte(|at| {
                let place = at ^ (16 - item);
                swap.map_or(place, |table| usize::from(table[place]))
            });
        }
    }

    /// Whether units of elements of `item` bytes can be reversed by a table, or there is nothing to reverse.
    pub(in crate::copy) fn fits(&self, item: usize) -> bool {
        self.unit == 1 || (item.is_power_of_two() && item <= 16 && self.unit.is_power_of_two() && self.unit <= item)
    }
}

/// A table that says for each byte where it comes from.
fn byte_by_byte(from: impl Fn(usize) -> usize) -> Table {
    core::array::from_fn(|at| u8::try_from(from(at)).unwrap_or(0))
}

/// A count of elements or bytes, which fits: that of all does (property 3 of [`Layout`](crate::layout::Layout)).
pub(in crate::copy) fn signed(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}

/// A kernel: copies what `Inner` says from the second address to the first.
///
/// # Safety
///
/// Every element along both axes, at the strides of `Inner` from the addresses, is readable in the source and writable
/// in the target; no element of one is within an element of the other. The processor has the instructions of the level
/// that the kernel was selected for.
pub(in crate::copy) type Body = unsafe fn(*mut u8, *const u8, &Inner, &Pass);

/// The bytes of an element where a table has them come from.
#[inline(always)]
fn swapped<const E: usize>(element: [u8; E], table: &Table) -> [u8; E] {
    let mut bytes = element;
    for (byte, from) in bytes.iter_mut().zip(table) {
        *byte = element[usize::from(*from) % E];
    }
    bytes
}
