//! Whether two indices reach the same element.
//!
//! Two indices differ by a step `d` that is not zero everywhere, with `|d[i]| < shape[i]`. They reach the
//! same element when the sum of `d[i] * strides[i]` is zero. Signs of strides do not matter, for `d[i]` may
//! have either. Whether such a step exists is a knapsack problem, hard in general; real layouts are settled
//! by the first of these that applies:
//!
//! 1. **Nested axes.** Each stride is larger than all faster axes together can reach: no overlap. So is
//!    everything that is a slice, a permutation or a reversal of a compact tensor, and most of it is found
//!    here, without a sort.
//! 2. **Idle axes.** On some axis every step that the others could undo, for it must be a multiple of their
//!    common divisor, is longer than the axis or leads further than they reach. Such an axis takes no part
//!    and is dropped; then others may be idle. Fewer than two axes left: no overlap. Two left: overlap, for
//!    on two axes this is the exact test.
//! 3. **Search.** All steps are tried, slowest axes first, up to [`BUDGET`] partial ones. Beyond that the
//!    answer is "overlap", which may be wrong. The opposite answer never is.

use alloc::vec::Vec;

use super::span::span;

/// How many partial steps are tried before the answer is "overlap".
const BUDGET: u32 = 10_000;

/// Says whether two different indices reach the same element.
///
/// `false` is always right. `true` is right too unless at least three axes are interleaved in a way that
/// neither a gcd test nor a short search can settle, or the strides reach further than 64 bits can say. An
/// empty tensor has no overlap; a stride of zero on an axis of extent 2 or more is one.
///
/// Extents are taken to be zero or more, as [`element_count`](super::element_count) checks.
#[inline]
#[must_use]
pub fn has_overlap(shape: &[i64], strides: &[i64]) -> bool {
    let axes = || shape.iter().zip(strides);
    !is_nested(axes().rev()) && !is_nested(axes()) && !shape.contains(&0) && is_entangled(shape, strides)
}

/// Says whether each stride, from the fastest axis to the slowest, is beyond the reach of the axes before it.
#[inline]
fn is_nested<'a>(axes: impl Iterator<Item = (&'a i64, &'a i64)>) -> bool {
    let mut reach = 0_u64;
    for (&extent, &stride) in axes {
        if extent > 1 {
            let stride = stride.unsigned_abs();
            if stride <= reach {
                return false;
            }
            // Once this saturates no further axis passes, which errs on the safe side.
            reach = reach.saturating_add(extent.unsigned_abs().saturating_sub(1).saturating_mul(stride));
        }
    }
    true
}

/// An axis that has at least two indices.
#[derive(Clone, Copy)]
struct Axis {
    /// How far one step goes, positive.
    stride: i64,
    /// The longest step: the extent less one.
    last: i64,
    /// How far the faster axes reach together.
    beyond: i64,
}

impl Axis {
    /// How far the longest step goes. Fits, as does the sum over all axes, because the span does.
    fn reach(self) -> i64 {
        self.stride.saturating_mul(self.last)
    }
}

/// Settles what is not nested. The tensor has elements.
fn is_entangled(shape: &[i64], strides: &[i64]) -> bool {
    // What fits in a span can be added up below.
    if span(shape, strides).is_err() {
        return true;
    }
    let mut axes = Vec::with_capacity(shape.len());
    for (&extent, &stride) in shape.iter().zip(strides) {
        if extent > 1 {
            // The span fits, so the stride of such an axis is not `i64::MIN`.
            let stride = stride.saturating_abs();
            if stride == 0 {
                return true;
            }
            axes.push(Axis { stride, last: extent.saturating_sub(1), beyond: 0 });
        }
    }
    while let Some(idle) = (0..axes.len()).find(|&at| is_idle(&axes, at)) {
        axes.swap_remove(idle);
    }
    match axes.len() {
        0 | 1 => false,
        2 => true,
        _ => {
            sort(&mut axes);
            let mut budget = BUDGET;
            search(&axes, 0, false, &mut budget) != Some(false)
        }
    }
}

/// Says whether no step on the axis at `at`, other than none, can be undone by the other axes.
fn is_idle(axes: &[Axis], at: usize) -> bool {
    let Some(moving) = axes.get(at) else { return false };
    let others = || axes.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| *other);
    // The others move by multiples of their common divisor, so only each `unit`-th step can be undone.
    let common = others().fold(0, |common, other| gcd(common, other.stride));
    let unit = common.checked_div(gcd(common, moving.stride)).unwrap_or(1).max(1);
    let reach = others().fold(0_i64, |reach, other| reach.saturating_add(other.reach()));
    unit > moving.last || unit.checked_mul(moving.stride).is_none_or(|distance| distance > reach)
}

/// Sorts by falling stride and works out what depends on the order.
fn sort(axes: &mut [Axis]) {
    axes.sort_unstable_by_key(|axis| core::cmp::Reverse(axis.stride));
    let mut beyond = 0_i64;
    for axis in axes.iter_mut().rev() {
        axis.beyond = beyond;
        beyond = beyond.saturating_add(axis.reach());
    }
}

/// Looks for a step on sorted axes that leads from `sum` to zero; `None` when the budget is spent.
///
/// `moved` says whether an earlier axis made a step. Until one does, steps are taken upwards only: of a step
/// and its opposite one is enough.
fn search(axes: &[Axis], sum: i64, moved: bool, budget: &mut u32) -> Option<bool> {
    let Some((slowest, rest)) = axes.split_first() else {
        return Some(moved && sum == 0);
    };
    *budget = budget.checked_sub(1)?;
    // The faster axes must be able to undo what is left: `|sum + step * stride| <= beyond`.
    let lowest = slowest.beyond.checked_add(sum)?.checked_div_euclid(slowest.stride)?.checked_neg()?;
    let highest = slowest.beyond.checked_sub(sum)?.checked_div_euclid(slowest.stride)?;
    let first = if moved { slowest.last.checked_neg()? } else { 0 };
    for step in lowest.max(first)..=highest.min(slowest.last) {
        let next = sum.checked_add(step.checked_mul(slowest.stride)?)?;
        if search(rest, next, moved || step != 0, budget)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Finds the greatest common divisor of two numbers that are not negative; zero leaves the other as it is.
fn gcd(mut a: i64, mut b: i64) -> i64 {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}
