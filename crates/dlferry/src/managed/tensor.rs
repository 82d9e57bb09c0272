use core::ffi::c_void;
use core::ptr::NonNull;

use super::counted::Counted;
use super::describe::describe_into;
use super::{DescribeError, Descriptor, Handle, Keeping, ManagedStruct, Outline};
use crate::abi::{DLManagedTensor, DLManagedTensorVersioned};
use crate::layout::Layout;

/// A tensor that somebody produced and this value owns: a [`Handle`] and what it holds.
///
/// Made by [`Export`](crate::export::Export) from data that Rust owns, without `unsafe`, or from a managed struct that
/// another library produced.
///
/// As small as a pointer: what it is was written down in one place, where it stays when the tensor is shared.
#[derive(Debug)]
pub struct Tensor(
    // Invariant: the only reference, and kept alive by a handle.
    Counted<Body>,
);

impl Tensor {
    /// Takes a versioned managed tensor over. When it is refused, its deleter is called.
    ///
    /// # Errors
    ///
    /// [`DescribeError`] names the field at fault.
    ///
    /// # Safety
    ///
    /// Conditions 1 to 5 of [`managed`](crate::managed).
    pub unsafe fn from_raw_versioned(managed: NonNull<DLManagedTensorVersioned>) -> Result<Self, DescribeError> {
        // SAFETY: conditions 1 and 4.
        let handle = unsafe { Handle::versioned(managed) };
        // SAFETY: vouched for by the caller. A refused handle is dropped, which calls the deleter.
        unsafe { Self::try_from_handle(managed, handle) }.map_err(|(error, _handle)| error)
    }

    /// Takes an unversioned managed tensor over. When it is refused, its deleter is called.
    ///
    /// The struct cannot say whether the data may be written, so the tensor is read-only (rule R9.7).
    ///
    /// # Errors
    ///
    /// [`DescribeError`] names the field at fault.
    ///
    /// # Safety
    ///
    /// Conditions 1 to 5 of [`managed`](crate::managed).
    pub unsafe fn from_raw_unversioned(managed: NonNull<DLManagedTensor>) -> Result<Self, DescribeError> {
        // SAFETY: conditions 1 and 4.
        let handle = unsafe { Handle::unversioned(managed) };
        // SAFETY: vouched for by the caller. A refused handle is dropped, which calls the deleter.
        unsafe { Self::try_from_handle(managed, handle) }.map_err(|(error, _handle)| error)
    }

    /// Takes over what a handle holds, or gives the handle back with the reason why not.
    ///
    /// # Errors
    ///
    /// [`DescribeError`] names the field at fault.
    ///
    /// # Safety
    ///
    /// Conditions 1 to 3 and 5 of [`managed`](crate::managed); the handle is that of `managed`.
    #[inline]
    pub unsafe fn try_from_handle<S: ManagedStruct>(
        managed: NonNull<S>,
        handle: Handle,
    ) -> Result<Self, (DescribeError, Handle)> {
        // Described where it will stay: moving a descriptor costs more than making one.
        let mut this = Self::blank(handle);
        // SAFETY: vouched for by the caller.
        match unsafe { describe_into(&mut this.body_mut().descriptor, managed) } {
            Ok(()) => Ok(this),
            Err(error) => Err((error, this.into_parts().0)),
        }
    }

    /// Puts together a handle and memory that it keeps alive, or gives the handle back with the reason why not.
    ///
    /// # Errors
    ///
    /// [`DescribeError`], as [`Descriptor::new`] and [`Layout::new`](crate::layout::Layout::new).
    ///
    /// # Safety
    ///
    /// The outline describes memory that the handle keeps alive; conditions 3 and 5 of [`managed`](crate::managed).
    #[inline]
    pub unsafe fn from_outline(handle: Handle, outline: &Outline<'_>) -> Result<Self, (DescribeError, Handle)> {
        let mut this = Self::blank(handle);
        match this.body_mut().descriptor.fill(outline) {
            Ok(()) => Ok(this),
            Err(error) => Err((error, this.into_parts().0)),
        }
    }

    /// Puts together a handle and the description of what it holds.
    ///
    /// # Safety
    ///
    /// The descriptor describes memory that the handle keeps alive; conditions 3 and 5 of [`managed`](crate::managed).
    #[must_use]
    #[inline]
    pub unsafe fn from_parts(handle: Handle, descriptor: Descriptor) -> Self {
        Self(Counted::new(Body { descriptor, keep: Keep::Handle(handle) }))
    }

    /// A tensor of nothing yet.
    #[inline]
    fn blank(handle: Handle) -> Self {
        Self(Body::blank(Keep::Handle(handle)))
    }

    #[inline]
    fn body_mut(&mut self) -> &mut Body {
        // SAFETY: the only reference (invariant).
        unsafe { self.0.sole_mut() }
    }

    /// Takes the tensor apart; what [`Self::from_parts`] puts together.
    #[must_use]
    pub fn into_parts(self) -> (Handle, Descriptor) {
        match self.0.into_sole() {
            Ok(Body { descriptor, keep: Keep::Handle(handle) }) => (handle, descriptor),
            _ => unreachable!("a tensor is the only reference to its body, which has a handle"),
        }
    }

    /// What the tensor is.
    #[must_use]
    #[inline]
    pub fn descriptor(&self) -> &Descriptor {
        &self.0.descriptor
    }

    /// Makes the tensor read-only, for good.
    pub fn set_read_only(&mut self) {
        self.body_mut().descriptor.set_read_only();
    }

    /// The tensor, read-only for good.
    #[must_use]
    pub fn into_read_only(mut self) -> Self {
        self.set_read_only();
        self
    }

    /// Shares the tensor: clones and views of it keep the same memory alive.
    #[must_use]
    #[inline]
    pub fn into_shared(self) -> SharedTensor {
        SharedTensor(self.0)
    }
}

/// A tensor whose memory several values keep alive. Read access only: nobody knows who else looks at it.
///
/// As small as a pointer; a clone is the same tensor once more.
#[derive(Clone, Debug)]
pub struct SharedTensor(Counted<Body>);

#[derive(Debug)]
struct Body {
    descriptor: Descriptor,
    keep: Keep,
}

impl Body {
    /// The description of nothing yet, made where it stays, with not a field moved.
    #[inline]
    fn blank(keeping: Keep) -> Counted<Self> {
        let write = |place: *mut Self| {
            // SAFETY: within the room for a body.
            let descriptor = unsafe { &raw mut (*place).descriptor };
            // SAFETY: as above.
            let keep = unsafe { &raw mut (*place).keep };
            // SAFETY: nobody else sees the room yet.
            unsafe { descriptor.write(Descriptor::blank()) };
            // SAFETY: as above.
            unsafe { keep.write(keeping) };
        };
        // SAFETY: a body has these two fields, and both are written.
        unsafe { Counted::made(write) }
    }
}

/// What keeps the memory alive: held for its drop alone.
#[derive(Debug)]
enum Keep {
    Handle(Handle),
    /// The tensor that this one is another description of; that one has a handle.
    Tensor(SharedTensor),
}

impl SharedTensor {
    /// What the tensor is.
    #[must_use]
    #[inline]
    pub fn descriptor(&self) -> &Descriptor {
        &self.0.descriptor
    }

    /// What keeps the memory alive, when a handle was made of it with this very `keeping`.
    #[must_use]
    pub fn kept_by(&self, keeping: &'static Keeping) -> Option<NonNull<c_void>> {
        match &self.0.keep {
            Keep::Handle(handle) => handle.kept_by(keeping),
            Keep::Tensor(root) => root.kept_by(keeping),
        }
    }

    /// The tensor, no longer shared, when this is the only reference to it and it is no view of another.
    ///
    /// # Errors
    ///
    /// Gives back what is shared with others.
    ///
    /// # Safety
    ///
    /// Condition 5 of [`managed`](crate::managed), for a [`Tensor`] lends its memory for writing too, and that it is held here
    /// alone says nothing of a producer elsewhere.
    pub unsafe fn try_unshare(self) -> Result<Tensor, Self> {
        if self.0.is_sole() && matches!(self.0.keep, Keep::Handle(_)) { Ok(Tensor(self.0)) } else { Err(self) }
    }

    /// The view with another layout, `first` elements from the first of this tensor.
    ///
    /// # Errors
    ///
    /// As [`Descriptor::view`].
    ///
    /// # Safety
    ///
    /// The elements of the layout, from there on, are among those of this tensor.
    #[inline]
    pub unsafe fn with_layout(&self, layout: &Layout, first: i64) -> Result<Self, DescribeError> {
        let mut view = Body::blank(Keep::Tensor(self.root().clone()));
        // SAFETY: just made, and the only reference.
        unsafe { view.sole_mut() }.descriptor.fill_view(self.descriptor(), layout, first)?;
        Ok(Self(view))
    }

    /// The tensor whose handle keeps the memory.
    #[inline]
    fn root(&self) -> &Self {
        match &self.0.keep {
            Keep::Handle(_) => self,
            Keep::Tensor(root) => root,
        }
    }

    /// The same memory, described otherwise.
    ///
    /// # Safety
    ///
    /// The descriptor describes elements within those of this tensor, and is read-only where this one is, unless the
    /// caller knows that the memory may be written.
    #[must_use]
    pub unsafe fn with_descriptor(&self, descriptor: Descriptor) -> Self {
        Self(Counted::new(Body { descriptor, keep: Keep::Tensor(self.root().clone()) }))
    }

    /// The same memory, read-only.
    #[must_use]
    pub fn to_read_only(&self) -> Self {
        let mut descriptor = self.descriptor().clone();
        descriptor.set_read_only();
        // SAFETY: the same elements.
        unsafe { self.with_descriptor(descriptor) }
    }
}
