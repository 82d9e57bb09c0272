//! Which kernel, and which axes it gets.

use super::Plan;
use crate::copy::kernel::{Axis, Kernel, LINE, MOST_CHANNELS, signed};

/// Bytes of the smallest pages.
const PAGE: usize = 4096;

impl Plan {
    /// Takes the axes of the kernel out of the outer ones.
    pub(super) fn choose(&mut self) {
        self.widen();
        self.arrange();
        let mirrors = self.kernel == Kernel::Rows && self.inner.i.from == signed(self.inner.item).wrapping_neg();
        self.pass.make_tables(self.inner.item, mirrors);
    }

    fn arrange(&mut self) {
        let Some(i) = self.outer.pop() else {
            return;
        };
        self.inner.i = i;
        // The axis along which the source is densest. Along one with stride 0 it stands still.
        let stride = |axis: &Axis| if axis.from == 0 { usize::MAX } else { axis.from.unsigned_abs() };
        let densest = self.outer.as_slice().iter().enumerate().min_by_key(|(_, axis)| stride(axis));
        let other = densest.filter(|(_, axis)| stride(axis) < stride(&i)).map(|(at, _)| at);
        if let Some(j) = other.and_then(|at| self.outer.remove(at)) {
            self.inner.j = j;
            self.face();
            self.kernel = self.plane();
            self.keep_near();
        } else {
            self.inner.j = self.outer.pop().unwrap_or(Axis::ONE);
            if self.is_narrow() {
                core::mem::swap(&mut self.inner.i, &mut self.inner.j);
            }
            self.kernel = if self.is_sized() { Kernel::Rows } else { Kernel::Any };
        }
    }

    /// Chooses again among the kernels for the same axes.
    pub(super) fn rechoose(&mut self) {
        if matches!(self.kernel, Kernel::Plane | Kernel::Split | Kernel::Join) {
            self.kernel = self.plane();
        }
    }

    /// Makes one item of elements that lie one after another on both sides.
    fn widen(&mut self) {
        let dense = signed(self.inner.item);
        let fastest = self.outer.as_slice().last();
        if self.pass.unit == 1 && fastest.is_some_and(|axis| axis.to == dense && axis.from == dense) {
            let axis = self.outer.pop().unwrap_or(Axis::ONE);
            // As many bytes as the run has, which fit the address space.
            self.inner.item = self.inner.item.wrapping_mul(axis.n);
        }
    }

    /// Where planes are small and lie apart in the source, copies a few that are neighbors there one after another, so that
    /// a page is not left as soon as it is found.
    fn keep_near(&mut self) {
        let axes = self.outer.as_slice();
        let Some((fastest, slower)) = axes.split_last() else { return };
        let near = slower.iter().enumerate().min_by_key(|(_, axis)| axis.from.unsigned_abs());
        let Some((at, axis)) = near.filter(|(_, axis)| axis.from.unsigned_abs() < fastest.from.unsigned_abs()) else {
            return;
        };
        if axis.from.unsigned_abs() >= PAGE {
            return;
        }
        if let Some(few) = [8, 4, 2].into_iter().find(|few| axis.n.checked_rem(*few) == Some(0)) {
            let (inner, outer) = axis.split(few);
            if let Some(place) = self.outer.get_mut(at) {
                *place = outer;
                self.outer.push(inner);
            }
        }
    }

    /// Turns the source's dense axis so that the source is walked upwards.
    fn face(&mut self) {
        let j = self.inner.j;
        if j.from < 0 {
            let (turned, skipped) = j.turned();
            self.skip(skipped);
            self.inner.j = turned;
        }
    }

    /// The kernel for two sides that are densest along different axes.
    fn plane(&self) -> Kernel {
        let (i, j, item) = (self.inner.i, self.inner.j, self.inner.item);
        let dense = signed(item);
        if !self.is_sized() || i.to != dense || j.from != dense {
            return Kernel::Any;
        }
        let is_channels = |n: usize| (2..=MOST_CHANNELS).contains(&n) && item <= 8 && self.level.has_shuffle();
        let pixel = |n: usize| dense.wrapping_mul(signed(n));
        if is_channels(j.n) && i.from == pixel(j.n) && i.n > 16 {
            Kernel::Split
        } else if is_channels(i.n) && j.to == pixel(i.n) && j.n > 16 {
            Kernel::Join
        } else {
            Kernel::Plane
        }
    }

    /// Whether elements have a size that the kernels with vectors know, and their bytes an order that these can make.
    fn is_sized(&self) -> bool {
        let item = self.inner.item;
        item.is_power_of_two() && item <= 16 && self.pass.fits(item)
    }

    /// Whether rows are so short that the loop over them should be the inner one. A dense target has it as it is.
    fn is_narrow(&self) -> bool {
        let (i, j, item) = (self.inner.i, self.inner.j, self.inner.item);
        i.n.saturating_mul(item) < LINE && j.n > i.n
    }
}
