//! What a function wants of an array, as a value: the same for all element types and ranks, so that what looks at it is
//! compiled once.

use dlferry::abi::DLDataType;
use dlferry::element::Element;
use dlferry::managed::Descriptor;
use pyo3::prelude::*;

use super::refusal;
use super::require::{Device, Devices, Dyn, EXTENTS, Extent, MemoryOrder, Order, Requirement};
use crate::borrow::Kind;

/// What a function wants of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Any when `None`.
    pub(super) dtype: Option<DLDataType>,
    /// Any when [`Dyn`].
    pub(super) ndim: usize,
    /// Of the first axes; any where it says [`Dyn`].
    pub(super) extents: [usize; EXTENTS],
    pub(super) has_extents: bool,
    pub(super) order: Order,
    pub(super) devices: Devices,
    pub(super) kind: Kind,
}

impl Wanted {
    /// What the parameters of a view say.
    pub(super) const fn of<T: Element, const N: usize, W: Requirement>(kind: Kind) -> Self {
        let mut wanted = Self::of_any::<W>(kind);
        wanted.dtype = Some(T::DTYPE);
        wanted.ndim = N;
        let mut axis = EXTENTS;
        while N < axis {
            // Cannot wrap: it is above `N`.
            axis = axis.wrapping_sub(1);
            assert!(is_any(&wanted.extents, axis), "an extent is required of an axis that the array does not have");
        }
        wanted
    }

    /// What a requirement says, for any element type and rank.
    pub(super) const fn of_any<W: Requirement>(kind: Kind) -> Self {
        let extents = W::Extents::EXTENTS;
        let mut has_extents = false;
        let mut axis = 0;
        while axis < EXTENTS {
            has_extents |= !is_any(&extents, axis);
            axis = axis.wrapping_add(1);
        }
        Self { dtype: None, ndim: Dyn, extents, has_extents, order: W::Order::ORDER, devices: W::Device::DEVICES, kind }
    }

    /// The same, of which a copy will be made: any dtype, any order.
    pub(super) const fn before_conversion(mut self) -> Self {
        self.dtype = None;
        self.order = Order::Any;
        self
    }

    #[inline]
    pub(super) fn is_for_writing(&self) -> bool {
        self.kind == Kind::Exclusive
    }

    /// Whether an array is as wanted, all but writable.
    pub(super) fn fits(&self, found: &Descriptor) -> bool {
        self.dtype.is_none_or(|dtype| dtype == found.dtype())
            && (self.ndim == Dyn || self.ndim == found.layout().ndim())
            && self.devices.fits(found)
            && self.order.fits(found.layout())
            && (!self.has_extents || self.extents_fit(found.shape()))
    }

    /// Whether an array of such elements and axes is as wanted if it is in host memory and in C order.
    #[inline]
    pub(super) fn is_met_by_plain(&self, dtype: DLDataType, ndim: usize, is_read_only: bool) -> bool {
        self.dtype.is_none_or(|wanted| wanted == dtype)
            && (self.ndim == ndim || self.ndim == Dyn)
            && self.order != Order::F
            && matches!(self.devices, Devices::Host | Devices::Any)
            && !self.has_extents
            && !(self.is_for_writing() && is_read_only)
    }

    /// The same for one that is described already, and only read.
    #[inline]
    pub(super) fn is_met_by_solid(&self, found: &Descriptor) -> bool {
        self.is_met_by_plain(found.dtype(), found.layout().ndim(), true)
    }

    fn extents_fit(&self, shape: &[i64]) -> bool {
        let required = self.extents.iter().enumerate().filter(|(_, extent)| **extent != Dyn);
        required
            .into_iter()
            .all(|(axis, extent)| shape.get(axis).is_some_and(|found| usize::try_from(*found) == Ok(*extent)))
    }

    /// Refuses an array that is not as wanted.
    ///
    /// # Errors
    ///
    /// `TypeError` for another dtype, rank, shape, order or device, `BufferError` for one that must not be written.
    pub(super) fn check(&self, object: &Bound<'_, PyAny>, found: &Descriptor) -> PyResult<()> {
        if !self.fits(found) {
            return Err(refusal::mismatch(self, found));
        }
        if self.is_for_writing() && found.is_read_only() {
            return Err(refusal::read_only(object, self, found));
        }
        Ok(())
    }
}

/// Whether nothing is required of an axis.
const fn is_any(extents: &[usize; EXTENTS], axis: usize) -> bool {
    #[allow(clippy::indexing_slicing, reason = "in a `const`, where there is no `get`: it would not compile")]
    {
        axis >= EXTENTS || extents[axis] == Dyn
    }
}
