use alloc::vec::Vec;

use crate::copy::kernel::Axis;

/// Up to this many axes are stored in place.
const INLINE: usize = 8;

/// Axes of both sides of a copy, the slowest of the target first.
#[derive(Clone, Debug)]
pub(super) enum Axes {
    Inline { len: usize, places: [Axis; INLINE] },
    Heap(Vec<Axis>),
}

impl Axes {
    /// Takes those axes along which there is more than one element, turned so that the target is walked upwards, sorted,
    /// and merged where both sides allow. Gives the distance from the first element to where the walk begins, too.
    pub(super) fn of(axes: impl Iterator<Item = Axis> + Clone) -> (Self, (isize, isize)) {
        let mut this = Self::Inline { len: 0, places: [Axis::ONE; INLINE] };
        let (mut to_first, mut from_first) = (0_isize, 0_isize);
        for axis in axes {
            if axis.n > 1 {
                let axis = if axis.to < 0 || (axis.to == 0 && axis.from < 0) {
                    let (turned, (to, from)) = axis.turned();
                    to_first = to_first.wrapping_add(to);
                    from_first = from_first.wrapping_add(from);
                    turned
                } else {
                    axis
                };
                this.insert(axis);
            }
        }
        this.merge();
        (this, (to_first, from_first))
    }

    pub(super) fn as_slice(&self) -> &[Axis] {
        match self {
            Self::Inline { len, places } => places.get(..*len).unwrap_or_default(),
            Self::Heap(axes) => axes,
        }
    }

    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut Axis> {
        self.as_mut_slice().get_mut(at)
    }

    fn as_mut_slice(&mut self) -> &mut [Axis] {
        match self {
            Self::Inline { len, places } => places.get_mut(..*len).unwrap_or_default(),
            Self::Heap(axes) => axes,
        }
    }

    /// Puts an axis in its place: behind those with longer strides in the target, or equal ones there and longer in the
    /// source.
    fn insert(&mut self, axis: Axis) {
        let key = |axis: &Axis| (axis.to.unsigned_abs(), axis.from.unsigned_abs());
        let at = self.as_slice().iter().position(|other| key(other) < key(&axis));
        let at = at.unwrap_or(self.as_slice().len());
        self.push(axis);
        if let Some(behind) = self.as_mut_slice().get_mut(at..) {
            behind.rotate_right(1);
        }
    }

    /// Adds an axis that is gone through faster than all others.
    pub(super) fn push(&mut self, axis: Axis) {
        match self {
            Self::Inline { len, places } => {
                if let Some(place) = places.get_mut(*len) {
                    *place = axis;
                    *len = len.wrapping_add(1);
                } else {
                    let mut axes = places.to_vec();
                    axes.push(axis);
                    *self = Self::Heap(axes);
                }
            }
            Self::Heap(axes) => axes.push(axis),
        }
    }

    /// Takes an axis out, the slowest being number 0.
    pub(super) fn remove(&mut self, at: usize) -> Option<Axis> {
        let axis = *self.as_slice().get(at)?;
        self.as_mut_slice().get_mut(at..)?.rotate_left(1);
        match self {
            Self::Inline { len, .. } => *len = len.saturating_sub(1),
            Self::Heap(axes) => axes.truncate(axes.len().saturating_sub(1)),
        }
        Some(axis)
    }

    /// Takes the fastest axis out.
    pub(super) fn pop(&mut self) -> Option<Axis> {
        self.remove(self.as_slice().len().checked_sub(1)?)
    }

    /// Makes one of each two neighbors of which the slower begins where the faster ends, on both sides.
    fn merge(&mut self) {
        let mut at = 0;
        while let Some([slow, fast]) = self.as_slice().get(at..).and_then(|axes| axes.first_chunk()).copied() {
            if (slow.to, slow.from) == fast.end() {
                if let Some(place) = self.as_mut_slice().get_mut(at) {
                    // The elements of both are counted by an `isize` (property 3 of `Layout`).
                    *place = Axis { n: slow.n.wrapping_mul(fast.n), ..fast };
                }
                let _merged = self.remove(at.wrapping_add(1));
                // What came before may fit now.
                at = at.saturating_sub(1);
            } else {
                at = at.wrapping_add(1);
            }
        }
    }
}
