//! The input of a target as a source of choices. Zero once it is used up, so that each input means something.

#![allow(dead_code, reason = "each target uses a part")]

/// Numbers where arithmetic goes wrong first.
const EDGES: [i64; 20] = [
    0,
    1,
    -1,
    2,
    7,
    8,
    -8,
    63,
    64,
    255,
    256,
    1 << 31,
    1 << 32,
    -(1 << 31),
    1 << 61,
    1 << 62,
    i64::MAX,
    i64::MAX - 1,
    i64::MIN,
    i64::MIN + 1,
];

/// The bytes that are left.
#[derive(Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number below `limit`, which is at most 256.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        // Zero is what comes when the input is used up: then nothing special happens.
        self.below(n) == n - 1
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Any number: a small one, one at an edge, or whatever the next eight bytes are.
    pub fn number(&mut self) -> i64 {
        match self.below(8) {
            0..5 => i64::from(self.byte() as i8) / 8,
            5 => self.pick(&EDGES),
            6 => self.pick(&EDGES).wrapping_add(i64::from(self.byte() as i8)),
            _ => i64::from_le_bytes(core::array::from_fn(|_| self.byte())),
        }
    }

    pub fn numbers(&mut self, count: usize) -> Vec<i64> {
        (0..count).map(|_| self.number()).collect()
    }
}
