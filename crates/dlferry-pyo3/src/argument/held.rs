//! An array that a function holds: borrowed, described, kept alive.

use core::mem::ManuallyDrop;

use dlferry::copy::Order as CopyOrder;
use dlferry::managed::{Descriptor, Tensor as Managed};
use dlferry::view::TensorView;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

use super::require::Order;
use super::wanted::Wanted;
use super::{refusal, ways};
use crate::borrow::{self, Kind, Slot};
use crate::error::is_broken;
use crate::exchange::Loan;
use crate::protocol::{self, Request};
use crate::tensor::Tensor;
use crate::{asarray, buffer, numpy};

/// An array that a function holds.
pub(super) struct Held<'py>(
    // Invariant: the body is described, borrowed unless private, and has its object.
    Slot<'py>,
);

impl<'py> Held<'py> {
    /// Takes an array as it is wanted.
    ///
    /// # Errors
    ///
    /// Those of [`ways::describe`] and [`Wanted::check`], and `BufferError` when memory of the array is borrowed.
    #[inline]
    pub(super) fn take(object: &Bound<'py, PyAny>, wanted: &Wanted) -> PyResult<Self> {
        let mut slot = borrow::reserve(object.py())?;
        let Some(array) = numpy::array(object) else { return Self::take_lent(slot, object, wanted) };
        match ways::describe_plain(&array, wanted, slot.body_mut()) {
            Some(bytes) => Self::borrow_solid(slot, bytes, object, wanted),
            None => Self::take_other(slot, object, wanted),
        }
    }

    /// Takes what a table lends that is known already, or any other way. Apart, as all else that arrays of NumPy's do not need, so
    /// that they do not pay for it.
    #[inline(never)]
    fn take_lent(mut slot: Slot<'py>, object: &Bound<'py, PyAny>, wanted: &Wanted) -> PyResult<Self> {
        match ways::describe_lent(object, wanted, slot.body_mut())? {
            Loan::None => Self::take_other(slot, object, wanted),
            Loan::Solid(bytes) if wanted.is_met_by_solid(&slot.body().descriptor) => {
                Self::borrow_solid(slot, bytes, object, wanted)
            }
            Loan::Solid(_) | Loan::Other => Self::borrow_checked(slot, object, wanted),
        }
    }

    #[inline(never)]
    fn take_other(mut slot: Slot<'py>, object: &Bound<'py, PyAny>, wanted: &Wanted) -> PyResult<Self> {
        ways::describe(object, wanted, slot.body_mut())?;
        Self::borrow_checked(slot, object, wanted)
    }

    #[inline(never)]
    fn borrow_checked(slot: Slot<'py>, object: &Bound<'py, PyAny>, wanted: &Wanted) -> PyResult<Self> {
        wanted.check(object, &slot.body().descriptor)?;
        Self::borrow(slot, object, wanted)
    }

    #[inline]
    fn borrow_solid(mut slot: Slot<'py>, bytes: usize, object: &Bound<'py, PyAny>, wanted: &Wanted) -> PyResult<Self> {
        match slot.borrow_solid(bytes, wanted.kind) {
            Ok(()) => Ok(Self::new(slot, object)),
            Err(taken) => Self::refuse(&slot, wanted, taken),
        }
    }

    fn borrow(mut slot: Slot<'py>, object: &Bound<'py, PyAny>, wanted: &Wanted) -> PyResult<Self> {
        match slot.borrow(wanted.kind) {
            Ok(()) => Ok(Self::new(slot, object)),
            Err(taken) => Self::refuse(&slot, wanted, taken),
        }
    }

    #[cold]
    fn refuse(slot: &Slot<'py>, wanted: &Wanted, taken: Kind) -> PyResult<Self> {
        Err(refusal::borrowed(wanted, &slot.body().descriptor, taken))
    }

    #[inline]
    fn new(mut slot: Slot<'py>, object: &Bound<'py, PyAny>) -> Self {
        let before = slot.body_mut().object.replace([object.clone().unbind(), object.clone().unbind()]);
        // A slot has no object when it is reserved, and nobody else gives it one: there is nothing to drop.
        let _ = ManuallyDrop::new(before);
        Self(slot)
    }

    /// Takes an array as it is wanted, or a copy that `convert` makes.
    pub(super) fn take_or_convert(
        object: &Bound<'py, PyAny>,
        wanted: &Wanted,
        convert: fn(TensorView<'_>, CopyOrder) -> PyResult<Managed>,
    ) -> PyResult<Self> {
        let any = wanted.before_conversion();
        let mut slot = borrow::reserve(object.py())?;
        if let Err(error) = ways::describe(object, &any, slot.body_mut()) {
            // Elements that DLPack cannot describe are copied. Not so those of an object that refuses as such, nor memory that
            // cannot be as it is described.
            if !error.is_instance_of::<PyBufferError>(object.py()) || is_broken(object.py(), &error) {
                return Err(error);
            }
            ways::keep(asarray(object, &Request::default())?, slot.body_mut());
        }
        any.check(object, &slot.body().descriptor)?;
        let original = Self::borrow(slot, object, &any)?;
        if wanted.fits(original.descriptor()) && original.descriptor().is_aligned() {
            return Ok(original);
        }
        let order = if wanted.order == Order::F { CopyOrder::F } else { CopyOrder::C };
        let copy = convert(original.view(), order)?;
        drop(original);
        // The copy is private: there is nothing to borrow.
        let mut slot = borrow::reserve(object.py())?;
        ways::keep(copy.into(), slot.body_mut());
        wanted.check(object, &slot.body().descriptor)?;
        Ok(Self::new(slot, object))
    }

    /// What the array is.
    #[inline]
    pub(super) fn descriptor(&self) -> &Descriptor {
        &self.0.body().descriptor
    }

    /// The object that the array was taken of.
    #[inline]
    pub(super) fn object(&self) -> &Bound<'py, PyAny> {
        match &self.0.body().object {
            Some([object, _]) => object.bind(self.0.py()),
            None => unreachable!("an array that is held has its object"),
        }
    }

    /// The array, of whatever dtype and on whatever device.
    #[inline]
    pub(super) fn view(&self) -> TensorView<'_> {
        // SAFETY: the object, or what the body keeps, keeps the memory as described (assumptions P1 and P3); it is
        // borrowed, so that nobody in the registry writes it, and nobody else does (assumption P2).
        unsafe { TensorView::new(self.descriptor()) }
    }

    /// The same elements as a tensor that outlives the function.
    pub(super) fn into_owned(self) -> PyResult<Tensor> {
        let object = self.object();
        let owner = Some(object.clone().unbind());
        if let Some((shared, source)) = &self.0.body().keep {
            return Ok(Tensor::new(shared.clone(), *source, owner));
        }
        if let Some(array) = numpy::array(object) {
            return numpy::import(object, &array, &Request::default());
        }
        match protocol::take(object, &Request { lenient: true, ..Request::default() })? {
            Some((taken, source)) => Ok(Tensor::new(taken.into_shared(), source, owner)),
            None => buffer::import(object, &Request::default()),
        }
    }

    /// Whether both are in the same memory with the same layout, for `Debug`.
    pub(super) fn fmt(&self, f: &mut core::fmt::Formatter<'_>, name: &str) -> core::fmt::Result {
        let found = self.descriptor();
        f.debug_struct(name)
            .field("dtype", &format_args!("{}", found.dtype()))
            .field("shape", &found.shape())
            .field("strides", &found.strides())
            .field("device", &format_args!("{}", found.device()))
            .field("data", &found.data())
            .finish()
    }
}
