//! Which bytes a borrow covers, and whether two borrows may have one in common: arithmetic, without a pointer.
//!
//! A region lies in a range of addresses and, within it, on the teeth of *combs*: pieces of `width` bytes, one every `step`
//! bytes, the first of them at the start of the range. Each comb of a region holds all its bytes; so two regions are apart
//! as soon as their ranges are, or the teeth of any comb of the one and any comb of the other.
//!
//! An element lies at the lowest address plus, for each axis, a multiple of the stride's magnitude. Take the axes from the
//! smallest stride to the largest and cut the list in two: what the first part and one element reach is the width of a
//! tooth, and all else moves by multiples of the greatest common divisor of the second part, the step. Each cut is a comb.
//! Two are kept: the cut before all axes, whose teeth are single elements and which tells columns apart that are
//! interleaved; and of the others the one with the widest gaps, which tells the left half of a matrix from the right.
//!
//! Two combs are apart when their teeth are with regard to the greatest common divisor of their steps, for every tooth lies
//! at its place plus a multiple of that. This may find no gap where there is one; it never finds one where there is none.

use dlferry::managed::Descriptor;

/// How many combs are kept.
pub(super) const COMBS: usize = 2;

/// Axes that are sorted without an allocation.
const INLINE: usize = 8;

/// Pieces of `width` bytes, one every `step` bytes. A step of 0: a single piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Comb {
    pub(super) step: usize,
    pub(super) width: usize,
}

/// The bytes of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Region {
    /// 0 for memory with addresses, the handle of an opaque device's buffer otherwise: each is a space of its own.
    pub(super) space: usize,
    /// The first byte.
    pub(super) low: usize,
    /// Behind the last byte.
    pub(super) high: usize,
    pub(super) combs: [Comb; COMBS],
}

impl Region {
    /// The bytes of a tensor; `None` when there are none.
    #[inline]
    pub(crate) fn of(descriptor: &Descriptor) -> Option<Self> {
        let layout = descriptor.layout();
        if layout.is_empty() {
            return None;
        }
        let bits = descriptor.storage_bits();
        let item = usize::try_from(bits.div_ceil(8)).ok()?;
        let (is_row_major, is_whole) = (layout.is_c_contiguous(), bits.wrapping_rem(8) == 0);
        if is_row_major && is_whole && descriptor.is_addressed() {
            // Most are. That they end where addresses do, or before, was checked when they were described.
            return Some(Self::solid(descriptor.data().addr(), item.wrapping_mul(layout.size())));
        }
        let range = layout.byte_range(bits).ok()?;
        let (space, first) = if descriptor.is_addressed() {
            (0, descriptor.data().addr())
        } else {
            // Offsets within the buffer may be negative; all move to where they are not.
            let first = usize::try_from(descriptor.byte_offset()).ok()?;
            (descriptor.data().addr(), first.wrapping_add(isize::MAX.unsigned_abs()))
        };
        let (low, high) = (first.wrapping_add_signed(range.start), first.wrapping_add_signed(range.end));
        let length = high.wrapping_sub(low);
        // Of elements that share bytes all whole ones count.
        let is_solid = is_row_major || layout.is_f_contiguous() || !is_whole;
        let combs = if is_solid {
            [Comb { step: 0, width: length }; COMBS]
        } else {
            combs(descriptor.shape(), descriptor.strides(), item, length)
        };
        Some(Self { space, low, high, combs })
    }

    /// All bytes from one address to before another; `None` when there are none.
    pub(crate) fn between(low: usize, high: usize) -> Option<Self> {
        let width = high.checked_sub(low).filter(|&width| width > 0)?;
        Some(Self::solid(low, width))
    }

    /// So many bytes from an address on, and at least one; they end where addresses do, or before.
    #[inline]
    pub(crate) fn solid(low: usize, width: usize) -> Self {
        Self { space: 0, low, high: low.wrapping_add(width), combs: [Comb { step: 0, width }; COMBS] }
    }

    /// Whether the two may have a byte in common. Never `false` when they have.
    #[inline]
    pub(crate) fn may_meet(&self, other: &Self) -> bool {
        self.space == other.space && self.low < other.high && other.low < self.high && self.may_mesh(other)
    }

    /// Whether there is no pair of combs, one of each, whose teeth are apart.
    fn may_mesh(&self, other: &Self) -> bool {
        let ahead = other.low.wrapping_sub(self.low);
        let is_behind = other.low < self.low;
        let behind = self.low.wrapping_sub(other.low);
        let are_apart = |one: &Comb, two: &Comb| {
            let unit = gcd(one.step, two.step);
            let place = if is_behind {
                // From the tooth before: the complement of how far it is behind.
                behind.checked_rem(unit).map(|rest| if rest == 0 { 0 } else { unit.wrapping_sub(rest) })
            } else {
                ahead.checked_rem(unit)
            };
            // Without a unit each is a single piece, and the ranges meet.
            place.is_some_and(|place| one.width <= place && place.checked_add(two.width).is_some_and(|end| end <= unit))
        };
        !self.combs.iter().any(|one| other.combs.iter().any(|two| are_apart(one, two)))
    }
}

/// One axis that has at least two indices: how far a step goes and how far all of them go, in bytes.
#[derive(Clone, Copy, Default)]
struct Axis {
    stride: usize,
    reach: usize,
}

#[cold]
fn combs(shape: &[i64], strides: &[i64], item: usize, length: usize) -> [Comb; COMBS] {
    let bytes = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(item);
    let axes = shape.iter().zip(strides).filter(|(extent, stride)| **extent > 1 && **stride != 0);
    let axes = axes.map(|(extent, stride)| {
        let last = extent.unsigned_abs().wrapping_sub(1);
        let stride = stride.unsigned_abs();
        Axis { stride: bytes(stride), reach: bytes(last.saturating_mul(stride)) }
    });
    let mut places = [Axis::default(); INLINE];
    let mut more = Vec::new();
    let axes = if shape.len() <= INLINE {
        let mut count = 0_usize;
        for (place, axis) in places.iter_mut().zip(axes) {
            *place = axis;
            count = count.wrapping_add(1);
        }
        places.get_mut(..count).unwrap_or_default()
    } else {
        more.extend(axes);
        &mut more[..]
    };
    axes.sort_unstable_by_key(|axis| axis.stride);
    cut(axes, item, length)
}

/// The first comb and the one with the widest gaps of axes from the smallest stride to the largest.
fn cut(axes: &[Axis], item: usize, length: usize) -> [Comb; COMBS] {
    let solid = Comb { step: 0, width: length };
    let comb = |before: &[Axis], after: &[Axis]| Comb {
        step: after.iter().fold(0, |unit, axis| gcd(unit, axis.stride)),
        width: before.iter().fold(item, |width, axis| width.saturating_add(axis.reach)),
    };
    let all = (0..axes.len()).filter_map(|at| axes.split_at_checked(at)).map(|(before, after)| comb(before, after));
    let mut all = all.filter(|comb| comb.width < comb.step);
    let first = all.next().unwrap_or(solid);
    let product =
        |one: usize, other: usize| u128::try_from(one).unwrap_or(0).saturating_mul(u128::try_from(other).unwrap_or(0));
    let narrower = |best: Comb, comb: Comb| {
        let is_better = product(comb.width, best.step) < product(best.width, comb.step);
        if is_better { comb } else { best }
    };
    [first, all.reduce(narrower).unwrap_or(first)]
}

/// The greatest common divisor; zero leaves the other as it is.
fn gcd(mut one: usize, mut other: usize) -> usize {
    while let Some(rest) = one.checked_rem(other) {
        (one, other) = (other, rest);
    }
    one
}
