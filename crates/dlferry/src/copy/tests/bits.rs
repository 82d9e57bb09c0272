//! Any copy of packed elements, also to or from such as have a byte each, and the slow, obvious way to make it: bit by bit.
//! Shared with the fuzz target; asks the crate for nothing.

use alloc::vec;
use alloc::vec::Vec;

use super::naive::{each_index, nesting};

/// Types of elements: code, bits and lanes as DLPack has them.
const ELEMENTS: [(u8, u8, u16); 12] = [
    (1, 1, 1),
    (0, 2, 1),
    (1, 4, 1),
    (0, 4, 1),
    (17, 4, 1),
    (15, 6, 1),
    (16, 6, 1),
    (1, 3, 1),
    (1, 5, 1),
    (1, 7, 1),
    (1, 4, 3),
    (1, 1, 9),
];

/// One side: strides in elements, bits of each, bytes before that of the first element, and bytes in all.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) strides: Vec<i64>,
    pub(crate) bits: usize,
    pub(crate) first: usize,
    pub(crate) len: usize,
}

/// A copy.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) element: (u8, u8, u16),
    pub(crate) shape: Vec<i64>,
    pub(crate) to: Side,
    pub(crate) from: Side,
}

impl Case {
    /// Makes one up; `below` gives a number below its argument.
    pub(crate) fn random(below: &mut impl FnMut(usize) -> usize) -> Self {
        let element = ELEMENTS[below(ELEMENTS.len())];
        let ndim = below(5);
        let long = [below(4), below(4)];
        let mut most: usize = 6000;
        let mut shape = vec![1; ndim];
        for axis in long.into_iter().chain(0..ndim) {
            if axis >= ndim || shape[axis] > 1 {
                continue;
            }
            let limit = if long.contains(&axis) { [300, 2000][below(2)] } else { 6 };
            // Often whole bytes.
            let unit = if below(3) == 0 { 8 } else { 1 };
            let n = (1 + below(limit.min(most))).next_multiple_of(unit);
            most = (most / n).max(1);
            shape[axis] = i64::try_from(n).unwrap();
        }
        let mut to = strides(&shape, false, below);
        if below(8) == 0 {
            // Two axes, of which neither lies within a step of the other.
            let n = 2 + below(200);
            shape = vec![2, i64::try_from(n).unwrap()];
            to = vec![1 + 2 * i64::try_from(below(n)).unwrap(), 2];
        }
        let mut from = strides(&shape, true, below);
        if below(8) == 0 {
            // A transpose.
            let limits = [[300, 40, 3], [40, 300, 3]][below(2)];
            let [rows, columns, gap] = limits.map(|limit| i64::try_from(below(limit)).unwrap());
            let [rows, columns] = [rows + 1, columns + 1];
            shape = vec![rows, columns];
            to = vec![columns + gap, 1];
            from = vec![1, rows + gap];
        }
        let bits = usize::from(element.1) * usize::from(element.2);
        let (to, from) = (side(&shape, to, bits), side(&shape, from, bits));
        Self { element, shape, to, from }
    }

    /// The same copy with a byte for each element of one side, the target or else the source; `None` for elements that are
    /// larger.
    pub(crate) fn between_forms(mut self, spreads: bool) -> Option<Self> {
        let padded = if spreads { &mut self.to } else { &mut self.from };
        if padded.bits > 8 {
            return None;
        }
        *padded = side(&self.shape, core::mem::take(&mut padded.strides), 8);
        Some(self)
    }

    /// Copies bit by bit.
    pub(crate) fn copy(&self, target: &mut [u8], source: &[u8]) {
        let width = usize::from(self.element.1) * usize::from(self.element.2);
        each_index(&self.shape, |index| {
            for bit in 0..self.to.bits {
                let (to, to_past) = self.to.at(index, bit);
                let (from, from_past) = self.from.at(index, bit.min(width - 1));
                // Above a value that has a byte its sign is repeated, or there are zeros.
                let value = if bit < width || self.element.0 == 0 { source[from] >> from_past & 1 } else { 0 };
                target[to] = target[to] & !(1 << to_past) | value << to_past;
            }
        });
    }
}

impl Side {
    /// The byte of a bit of an element, and its place within.
    fn at(&self, index: &[i64], bit: usize) -> (usize, i64) {
        let offset: i64 = index.iter().zip(&self.strides).map(|(at, stride)| at * stride).sum();
        let bit = offset * i64::try_from(self.bits).unwrap() + i64::try_from(bit).unwrap();
        (self.first.checked_add_signed(isize::try_from(bit.div_euclid(8)).unwrap()).unwrap(), bit.rem_euclid(8))
    }
}

/// Axes nested in a random order, sometimes with gaps, reversed, or (where elements may be met twice) with a stride of 0.
fn strides(shape: &[i64], repeats: bool, below: &mut impl FnMut(usize) -> usize) -> Vec<i64> {
    let axes = nesting(shape.len(), below);
    let gaps = below(3) == 0;
    let mut step = 1;
    let mut strides = vec![0; shape.len()];
    for axis in axes {
        if gaps && below(2) == 0 {
            step += i64::try_from(below(10)).unwrap();
        }
        if below(3) == 0 {
            // Whole bytes for elements of any width.
            step = (step + 7) / 8 * 8;
        }
        strides[axis] = if repeats && below(8) == 0 { 0 } else { step };
        if strides[axis] != 0 {
            step *= shape[axis];
        }
    }
    for stride in &mut strides {
        if below(6) == 0 {
            *stride = -*stride;
        }
    }
    strides
}

fn side(shape: &[i64], strides: Vec<i64>, bits: usize) -> Side {
    let reach = |down: bool| -> usize {
        let steps = shape.iter().zip(&strides).map(|(n, stride)| (n - 1) * stride);
        usize::try_from(steps.filter(|step| (*step < 0) == down).sum::<i64>().abs()).unwrap()
    };
    let first = (reach(true) * bits).div_ceil(8);
    Side { first, len: first + ((reach(false) + 1) * bits).div_ceil(8), strides, bits }
}
