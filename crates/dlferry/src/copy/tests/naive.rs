//! Any copy, and the slow, obvious way to make it. Shared with the fuzz target; asks the crate for nothing.

use alloc::vec;
use alloc::vec::Vec;

/// A type of elements: code, bits and lanes as DLPack has them, bytes, and bytes of each unit with a byte order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) code: u8,
    pub(crate) bits: u8,
    pub(crate) lanes: u16,
    pub(crate) bytes: usize,
    pub(crate) unit: usize,
}

const fn element(code: u8, bits: u8, lanes: u16, bytes: usize, unit: usize) -> Element {
    Element { code, bits, lanes, bytes, unit }
}

/// Codes are those of DLPack; 200 is none of its own, so its elements are opaque bytes.
const ELEMENTS: [Element; 18] = [
    element(1, 8, 1, 1, 1),
    element(1, 16, 1, 2, 2),
    element(2, 32, 1, 4, 4),
    element(2, 64, 1, 8, 8),
    element(5, 64, 1, 8, 4),
    element(5, 128, 1, 16, 8),
    element(200, 128, 1, 16, 16),
    element(1, 16, 2, 4, 2),
    element(1, 16, 4, 8, 2),
    element(1, 32, 4, 16, 4),
    element(1, 8, 3, 3, 1),
    element(1, 8, 5, 5, 1),
    element(1, 16, 3, 6, 2),
    element(200, 24, 1, 3, 3),
    element(2, 32, 3, 12, 4),
    element(2, 64, 3, 24, 8),
    element(1, 8, 64, 64, 1),
    element(200, 24, 9, 27, 3),
];

/// One side: strides in bytes, and the bytes around the first element.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) strides: Vec<i64>,
    pub(crate) first: usize,
    pub(crate) len: usize,
    pub(crate) swapped: bool,
}

/// A copy.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) element: Element,
    pub(crate) shape: Vec<i64>,
    pub(crate) to: Side,
    pub(crate) from: Side,
}

impl Case {
    /// Makes one up; `below` gives a number below its argument.
    pub(crate) fn random(below: &mut impl FnMut(usize) -> usize) -> Self {
        let element = ELEMENTS[below(ELEMENTS.len())];
        let shape = shape(element, below);
        let to = strides(&shape, element.bytes, false, below);
        let from = strides(&shape, element.bytes, true, below);
        Self { element, to: side(&shape, to, element, below), from: side(&shape, from, element, below), shape }
    }

    /// Copies element by element.
    pub(crate) fn copy(&self, target: &mut [u8], source: &[u8]) {
        let (bytes, unit) = (self.element.bytes, self.element.unit);
        each_index(&self.shape, |index| {
            let (to, from) = (self.to.at(index), self.from.at(index));
            let mut element = source[from..from + bytes].to_vec();
            if self.to.swapped != self.from.swapped {
                element.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
            }
            target[to..to + bytes].copy_from_slice(&element);
        });
    }
}

/// Goes through the indices of a shape, last axis fastest.
pub(crate) fn each_index(shape: &[i64], mut look: impl FnMut(&[i64])) {
    let mut index = vec![0; shape.len()];
    for _ in 0..shape.iter().product() {
        look(&index);
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// The axes from the fastest to the slowest, in some order.
pub(crate) fn nesting(ndim: usize, below: &mut impl FnMut(usize) -> usize) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..ndim).rev().collect();
    match below(4) {
        0 => {}
        1 => axes.reverse(),
        _ => (1..axes.len()).for_each(|at| axes.swap(at, below(at + 1))),
    }
    axes
}

impl Side {
    fn at(&self, index: &[i64]) -> usize {
        let offset: i64 = index.iter().zip(&self.strides).map(|(at, stride)| at * stride).sum();
        self.first.checked_add_signed(isize::try_from(offset).unwrap()).unwrap()
    }
}

/// Up to five axes, of which up to two are long.
fn shape(element: Element, below: &mut impl FnMut(usize) -> usize) -> Vec<i64> {
    let ndim = below(6);
    let mut most = 60_000 / element.bytes;
    let long = [below(6), below(6)];
    let mut shape = vec![1; ndim];
    for axis in long.into_iter().chain(0..ndim) {
        if axis >= ndim || shape[axis] > 1 {
            continue;
        }
        let limit = if long.contains(&axis) { 300 } else { 6 };
        let n = below(limit.min(most.max(1))) + usize::from(below(16) != 0);
        most /= n.max(1);
        shape[axis] = i64::try_from(n).unwrap();
    }
    shape
}

/// Axes nested in a random order, sometimes with gaps, reversed, or (where elements may be met twice) with a stride of 0.
fn strides(shape: &[i64], item: usize, repeats: bool, below: &mut impl FnMut(usize) -> usize) -> Vec<i64> {
    let axes = nesting(shape.len(), below);
    let gaps = below(3) == 0;
    let mut step = i64::try_from(item).unwrap();
    let mut strides = vec![0; shape.len()];
    for axis in axes {
        if gaps && below(2) == 0 {
            step += match below(4) {
                0 => 1 + i64::try_from(below(70)).unwrap(),
                1 => step,
                _ => i64::try_from(item * (1 + below(3))).unwrap(),
            };
        } else if below(24) == 0 {
            // Rows a power of two apart, or whole lines.
            let multiple = [64, 256, 4096][below(3)];
            step = (step + multiple - 1) / multiple * multiple;
        }
        strides[axis] = if repeats && below(8) == 0 { 0 } else { step };
        if strides[axis] != 0 {
            step *= shape[axis].max(1);
        }
        if below(6) == 0 {
            strides[axis] = -strides[axis];
        }
        if shape[axis] == 1 && below(4) == 0 {
            strides[axis] = i64::MAX;
        }
    }
    strides
}

fn side(shape: &[i64], strides: Vec<i64>, element: Element, below: &mut impl FnMut(usize) -> usize) -> Side {
    let empty = shape.contains(&0);
    let reach = |down: bool| -> usize {
        let steps = shape.iter().zip(&strides).filter(|(n, _)| **n > 1).map(|(n, stride)| (n - 1) * stride);
        usize::try_from(steps.filter(|step| (*step < 0) == down).sum::<i64>().abs()).unwrap()
    };
    let (first, len) = if empty { (0, 0) } else { (reach(true), reach(true) + reach(false) + element.bytes) };
    Side { first, len, swapped: below(3) == 0, strides }
}
