//! A copy cut into pieces, for threads and for pauses.

use super::Plan;
use crate::copy::kernel::{Axis, Kernel, LINE, signed};

/// The axis along which a copy is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Along {
    Outer(usize),
    J,
    I,
    /// The bytes of one long run.
    Run,
}

/// Pieces of nearly the same size, one after another along an axis.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct Pieces {
    along: Along,
    /// Elements along the axis.
    n: usize,
    /// Elements that stay together.
    grain: usize,
    /// How many pieces there are, at least one.
    pub(in crate::copy) count: usize,
}

/// Bytes of a run that stay together.
const PAGE: usize = 4096;

impl Plan {
    /// Cuts the copy into as many pieces as wanted, or as many as there can be.
    pub(in crate::copy) fn pieces(&self, wanted: usize) -> Pieces {
        let mut best = Pieces { along: Along::I, n: self.inner.i.n, grain: self.inner.i.n.max(1), count: 1 };
        for (along, n, grain) in self.cuts() {
            let count = n.div_ceil(grain).clamp(1, wanted.max(1));
            if count > best.count {
                best = Pieces { along, n, grain, count };
            }
        }
        best
    }

    /// The axes that can be cut, the slowest first, with their elements and how many of these stay together.
    fn cuts(&self) -> impl Iterator<Item = (Along, usize, usize)> + use<'_> {
        let outer = self.outer.as_slice().iter().enumerate().map(|(at, axis)| (Along::Outer(at), axis.n, 1));
        let (i, j) = (self.inner.i, self.inner.j);
        // Whole tiles, and enough elements of a row that its lines are not shared by two threads throughout.
        let (of_i, of_j) = match self.kernel {
            Kernel::Plane => (16 * LINE, 4 * LINE),
            Kernel::Split => (16 * LINE, j.n),
            Kernel::Join => (i.n, 16 * LINE),
            Kernel::Rows => (16 * LINE, 1),
            Kernel::Any => (LINE, LINE),
        };
        let is_run = self.kernel == Kernel::Any && self.pass.unit == 1 && (i.n, j.n) == (1, 1);
        let run = is_run.then_some((Along::Run, self.inner.item, PAGE));
        outer.chain([(Along::J, j.n, of_j.max(1)), (Along::I, i.n, of_i.max(1))]).chain(run)
    }

    /// One of the pieces, as a plan for the same addresses.
    pub(in crate::copy) fn piece(&self, pieces: Pieces, number: usize) -> Self {
        let grains = pieces.n.div_ceil(pieces.grain);
        // The product of two counts of which one is at most the number of threads times that of pauses.
        let edge = |number: usize| {
            let grain = u128::try_from(grains).unwrap_or(0).saturating_mul(u128::try_from(number).unwrap_or(0));
            let grain = grain.checked_div(u128::try_from(pieces.count).unwrap_or(1)).unwrap_or(0);
            usize::try_from(grain).unwrap_or(0).saturating_mul(pieces.grain).min(pieces.n)
        };
        let (start, end) = (edge(number), edge(number.saturating_add(1)));
        let n = end.saturating_sub(start);
        let mut part = self.clone();
        let skipped = |axis: &mut Axis| {
            axis.n = n;
            (axis.to.wrapping_mul(signed(start)), axis.from.wrapping_mul(signed(start)))
        };
        let (to, from) = match pieces.along {
            Along::Outer(at) => part.outer.get_mut(at).map_or((0, 0), skipped),
            Along::J => skipped(&mut part.inner.j),
            Along::I => skipped(&mut part.inner.i),
            Along::Run => {
                part.inner.item = n;
                (signed(start), signed(start))
            }
        };
        part.first = (self.first.0.wrapping_add(to), self.first.1.wrapping_add(from));
        // Of no piece but an empty one is this exact; it says that there is something to do.
        part.bytes = if n == 0 { 0 } else { self.bytes };
        part
    }
}
