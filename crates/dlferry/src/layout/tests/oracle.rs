//! The slow and obvious answers, and random layouts to ask about.

use alloc::vec;
use alloc::vec::Vec;

use crate::layout::Layout;

/// All indices of a shape, last axis fastest.
pub(super) fn indices(shape: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for &extent in shape {
        all = all
            .iter()
            .flat_map(|index: &Vec<i64>| {
                (0..extent).map(move |at| index.iter().copied().chain([at]).collect::<Vec<i64>>())
            })
            .collect();
    }
    all
}

/// The offset of each element, last axis fastest.
pub(super) fn offsets(shape: &[i64], strides: &[i64]) -> Vec<i128> {
    indices(shape).iter().map(|index| offset(index, strides)).collect()
}

/// The offset of one element.
pub(super) fn offset(index: &[i64], strides: &[i64]) -> i128 {
    index.iter().zip(strides).map(|(&at, &stride)| i128::from(at) * i128::from(stride)).sum()
}

/// What `Layout::offsets` says, widened.
pub(super) fn told(layout: &Layout) -> Vec<i128> {
    layout.offsets().map(i128::from).collect()
}

/// Whether two indices have the same offset.
pub(super) fn has_overlap(shape: &[i64], strides: &[i64]) -> bool {
    let mut all = offsets(shape, strides);
    all.sort_unstable();
    all.windows(2).any(|pair| pair[0] == pair[1])
}

/// A small xorshift generator.
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = u64::try_from(high - low + 1).unwrap();
        low + i64::try_from(self.next() % width).unwrap()
    }

    /// A number from zero to `high`, included.
    pub(super) fn up_to(&mut self, high: usize) -> usize {
        usize::try_from(self.between(0, i64::try_from(high).unwrap())).unwrap()
    }

    /// True once in `n` calls.
    pub(super) fn one_in(&mut self, n: i64) -> bool {
        self.between(1, n) == 1
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.up_to(from.len() - 1)]
    }

    /// Shuffles `values`.
    pub(super) fn shuffle<T>(&mut self, values: &mut [T]) {
        for at in (1..values.len()).rev() {
            let other = self.up_to(at);
            values.swap(at, other);
        }
    }

    /// A shape of up to `rank` axes, seldom an empty one.
    pub(super) fn shape(&mut self, rank: usize) -> Vec<i64> {
        let rank = self.up_to(rank);
        (0..rank).map(|_| if self.one_in(25) { 0 } else { self.pick(&[1, 2, 2, 3, 4, 5]) }).collect()
    }

    /// Strides for a shape: anything, or compact in some order with a reversal, a gap or a repetition here
    /// and there. Strides that carry no meaning are often absurd.
    pub(super) fn strides(&mut self, shape: &[i64]) -> Vec<i64> {
        let mut strides = vec![0; shape.len()];
        let mut order = (0..shape.len()).rev().collect::<Vec<_>>();
        let is_wild = self.one_in(3);
        if self.one_in(3) {
            self.shuffle(&mut order);
        }
        let mut step = 1;
        for axis in order {
            strides[axis] = if is_wild { self.between(-12, 12) } else { step };
            step *= shape[axis].max(1);
            if self.one_in(5) {
                step += self.between(-1, 3);
            }
            match self.between(1, 10) {
                1 => strides[axis] = -strides[axis],
                2 => strides[axis] = 0,
                _ => {}
            }
        }
        for (stride, &extent) in strides.iter_mut().zip(shape) {
            if (extent == 1 || shape.contains(&0)) && self.one_in(2) {
                *stride = self.pick(&[77, -7, 0, i64::MIN, i64::MAX]);
            }
        }
        strides
    }

    /// A layout of up to `rank` axes.
    pub(super) fn layout(&mut self, rank: usize) -> Layout {
        let shape = self.shape(rank);
        let strides = self.strides(&shape);
        Layout::new(&shape, &strides).unwrap()
    }
}
