//! A copy cut into pieces, for threads and for pauses.

use super::Plan;
use crate::copy::kernel::{Kernel, LINE, signed};

/// What a job carries out: a copy that is planned, and can be cut.
pub(in crate::copy) trait Work: Sized + Sync {
    /// Bytes that it writes, or that take as long.
    fn bytes(&self) -> usize;

    /// Where it can be cut, along the slowest axis first; `apart` for pieces that have no byte of the target in common.
    fn cuts(&self, apart: bool) -> impl Iterator<Item = Cut>;

    /// Some of the elements along an axis, as work on the same addresses.
    fn part(&self, along: Along, start: usize, n: usize) -> Self;

    /// Copies from the element at index (0, ..., 0) of one memory to that of the other, and all that follow.
    ///
    /// # Safety
    ///
    /// As [`Plan::run`].
    unsafe fn run(&self, target: *mut u8, source: *const u8);

    /// Cuts the copy into as many pieces as wanted, or as many as there can be; `None` for one.
    fn pieces(&self, wanted: usize, apart: bool) -> Option<Pieces> {
        let mut best = None;
        let mut most = 1;
        for cut in self.cuts(apart) {
            let count = cut.grains().min(wanted);
            if count > most {
                most = count;
                best = Some(Pieces { cut, count });
            }
        }
        best
    }

    /// One of the pieces.
    fn piece(&self, pieces: Pieces, number: usize) -> Self {
        let (start, end) = (pieces.edge(number), pieces.edge(number.saturating_add(1)));
        self.part(pieces.cut.along, start, end.saturating_sub(start))
    }
}

/// The axis along which a copy is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::copy) enum Along {
    Outer(usize),
    J,
    I,
    /// The bytes of one long run.
    Run,
}

/// An axis that can be cut.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct Cut {
    pub(super) along: Along,
    /// Elements along the axis.
    pub(super) n: usize,
    /// Elements that stay together.
    pub(super) grain: usize,
}

impl Cut {
    fn grains(&self) -> usize {
        self.n.div_ceil(self.grain)
    }
}

/// Pieces of nearly the same size, one after another along an axis.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct Pieces {
    cut: Cut,
    /// How many pieces there are, at least two.
    pub(in crate::copy) count: usize,
}

impl Pieces {
    /// The element with which a piece begins.
    fn edge(&self, number: usize) -> usize {
        // The product of two counts of which one is at most the number of threads times that of pauses.
        let grain = u128::try_from(self.cut.grains()).unwrap_or(0).saturating_mul(u128::try_from(number).unwrap_or(0));
        let grain = grain.checked_div(u128::try_from(self.count).unwrap_or(1)).unwrap_or(0);
        usize::try_from(grain).unwrap_or(0).saturating_mul(self.cut.grain).min(self.cut.n)
    }
}

/// Bytes of a run that stay together.
const PAGE: usize = 4096;

impl Work for Plan {
    fn bytes(&self) -> usize {
        self.bytes
    }

    /// Elements of whole bytes are apart anyway.
    fn cuts(&self, _apart: bool) -> impl Iterator<Item = Cut> {
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
        let inner = [(Along::J, j.n, of_j.max(1)), (Along::I, i.n, of_i.max(1))];
        outer.chain(inner).chain(run).map(|(along, n, grain)| Cut { along, n, grain })
    }

    fn part(&self, along: Along, start: usize, n: usize) -> Self {
        let mut part = self.clone();
        let skipped = match along {
            Along::Outer(at) => part.outer.get_mut(at).map_or((0, 0), |axis| axis.keep(start, n)),
            Along::J => part.inner.j.keep(start, n),
            Along::I => part.inner.i.keep(start, n),
            Along::Run => {
                part.inner.item = n;
                (signed(start), signed(start))
            }
        };
        part.skip(skipped);
        // Of no piece but an empty one is this exact; it says that there is something to do.
        part.bytes = if n == 0 { 0 } else { self.bytes };
        part
    }

    unsafe fn run(&self, target: *mut u8, source: *const u8) {
        // SAFETY: vouched for by the caller.
        unsafe { Self::run(self, target, source) };
    }
}
