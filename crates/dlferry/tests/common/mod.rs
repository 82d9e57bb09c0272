//! Random layouts and the slow, obvious way to walk them. Nothing here asks the crate for an offset.

#![allow(dead_code, reason = "each test takes what it needs")]

use dlferry::layout::Layout;

/// A xorshift generator: the same numbers in every run.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let count = u64::try_from(high - low + 1).unwrap();
        low + i64::try_from(self.next() % count).unwrap()
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next().to_le_bytes()[3]).collect()
    }
}

/// A layout and the elements it needs around its first one.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) shape: Vec<i64>,
    pub(crate) strides: Vec<i64>,
    /// Elements before the first.
    pub(crate) first: usize,
    /// Elements from the lowest to the highest; 0 when there are none.
    pub(crate) len: usize,
    /// The offset of each element, in C order.
    pub(crate) offsets: Vec<i64>,
}

impl Case {
    /// Up to four axes: some dense, some transposed or reversed, some with gaps, some overlapping.
    pub(crate) fn random(rng: &mut Rng) -> Self {
        let ndim = rng.between(0, 4);
        let mut extent = || {
            let lowest = i64::from(rng.next() % 8 != 0);
            rng.between(lowest, 4)
        };
        let shape: Vec<i64> = (0..ndim).map(|_| extent()).collect();
        let mut strides = vec![0; shape.len()];
        if rng.next() % 4 == 0 {
            strides.fill_with(|| rng.between(-6, 6));
        } else {
            let mut step = 1;
            let mut axes: Vec<usize> = (0..shape.len()).rev().collect();
            if rng.next() % 2 == 0 {
                axes.sort_by_cached_key(|_| rng.next());
            }
            for axis in axes {
                strides[axis] = step;
                step *= shape[axis].max(1) + i64::from(rng.next() % 4 == 0);
            }
            for (stride, &extent) in strides.iter_mut().zip(&shape) {
                match rng.next() % 8 {
                    0 => *stride = -*stride,
                    1 if extent == 1 => *stride = rng.between(-99, 99),
                    _ => {}
                }
            }
        }
        Self::new(shape, strides)
    }

    fn new(shape: Vec<i64>, strides: Vec<i64>) -> Self {
        let offsets: Vec<i64> = indices(&shape).iter().map(|index| offset(index, &strides)).collect();
        let lowest = offsets.iter().copied().min().unwrap_or(0);
        let highest = offsets.iter().copied().max().unwrap_or(-1);
        Self {
            first: usize::try_from(-lowest).unwrap(),
            len: usize::try_from(highest - lowest + 1).unwrap(),
            shape,
            strides,
            offsets,
        }
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout::new(&self.shape, &self.strides).unwrap()
    }

    pub(crate) fn indices(&self) -> Vec<Vec<usize>> {
        indices(&self.shape)
    }

    /// Where each element lies, counted from the lowest, in C order.
    pub(crate) fn places(&self) -> Vec<usize> {
        self.offsets
            .iter()
            .map(|offset| self.first.checked_add_signed(isize::try_from(*offset).unwrap()).unwrap())
            .collect()
    }

    pub(crate) fn is_dense(&self) -> bool {
        self.offsets.iter().zip(0..).all(|(&offset, at)| offset == at)
    }

    pub(crate) fn overlaps(&self) -> bool {
        let mut sorted = self.offsets.clone();
        sorted.sort_unstable();
        sorted.windows(2).any(|pair| pair[0] == pair[1])
    }
}

/// Every index of a shape, last axis fastest.
fn indices(shape: &[i64]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |all, &extent| {
        let longer = |index: &Vec<usize>| {
            let index = index.clone();
            (0..usize::try_from(extent).unwrap()).map(move |at| [&index[..], &[at]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}

fn offset(index: &[usize], strides: &[i64]) -> i64 {
    index.iter().zip(strides).map(|(&at, &stride)| i64::try_from(at).unwrap() * stride).sum()
}
