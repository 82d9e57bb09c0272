use core::ptr::NonNull;

use super::ExportError;
use super::block::Draft;
use crate::abi::DLManagedTensorVersioned;
use crate::managed::{Descriptor, Fields, Handle, ManagedStruct, SharedTensor, Tensor};

impl Tensor {
    /// Makes a tensor of memory that is not a slice: on a device, mapped, or lent by another library.
    ///
    /// # Errors
    ///
    /// [`ExportError::OutOfMemory`]; the owner is dropped.
    ///
    /// # Safety
    ///
    /// Until `owner` is dropped, the memory that `descriptor` describes is as condition 3 of
    /// [`managed`](crate::managed) asks, and condition 5 holds.
    pub unsafe fn from_owner<O: Send + 'static>(owner: O, descriptor: Descriptor) -> Result<Self, ExportError> {
        let draft: Draft<DLManagedTensorVersioned, O> = Draft::new(owner, descriptor.layout().ndim())?;
        let managed = draft.finish(&descriptor, descriptor.fields());
        // SAFETY: just made and handed to nobody else; the owner is `Send`.
        let handle = unsafe { Handle::versioned(managed) };
        // SAFETY: vouched for by the caller.
        Ok(unsafe { Self::from_parts(handle, descriptor) })
    }

    /// Hands the tensor to a consumer that owns the struct and calls its deleter.
    ///
    /// The struct is new and of the kind that is asked for, whichever the tensor came in; flags are kept.
    ///
    /// # Errors
    ///
    /// [`ExportError::ReadOnlyUnversioned`], [`ExportError::PaddedUnversioned`], [`ExportError::OutOfMemory`]. The
    /// tensor is dropped.
    pub fn into_managed<S: ManagedStruct>(self) -> Result<NonNull<S>, ExportError> {
        let (handle, descriptor) = self.into_parts();
        let fields = descriptor.fields();
        export(handle, &descriptor, fields)
    }
}

impl SharedTensor {
    /// Exports the tensor once more: a new struct that keeps the same memory alive.
    ///
    /// The consumer is not the only one who sees the memory, so the struct does not say that it was copied
    /// (decision 5.3).
    ///
    /// # Errors
    ///
    /// As [`Tensor::into_managed`].
    pub fn to_managed<S: ManagedStruct>(&self) -> Result<NonNull<S>, ExportError> {
        let fields = Fields { copied: Some(false), ..self.descriptor().fields() };
        export(self.clone(), self.descriptor(), fields)
    }
}

impl SharedTensor {
    /// Like [`Self::to_managed`], giving this reference away with the struct.
    ///
    /// # Errors
    ///
    /// As [`Tensor::into_managed`].
    pub fn into_managed<S: ManagedStruct>(self) -> Result<NonNull<S>, ExportError> {
        let descriptor: *const Descriptor = self.descriptor();
        // SAFETY: a shared tensor is a pointer: its description stays where it is when the tensor moves into the struct, and
        // lives as long as that, which nobody has yet.
        let descriptor = unsafe { &*descriptor };
        let fields = Fields { copied: Some(false), ..descriptor.fields() };
        export(self, descriptor, fields)
    }
}

impl Descriptor {
    /// Hands memory to a consumer that owns the struct and calls its deleter: what [`Tensor::into_managed`] does, of parts that
    /// were never put together.
    ///
    /// # Errors
    ///
    /// As there; the handle is dropped.
    ///
    /// # Safety
    ///
    /// The descriptor describes memory that the handle keeps alive; conditions 3 and 5 of [`managed`](crate::managed).
    pub unsafe fn to_managed_with<S: ManagedStruct>(&self, handle: Handle) -> Result<NonNull<S>, ExportError> {
        export(handle, self, self.fields())
    }
}

fn export<S: ManagedStruct, O: Send + 'static>(
    owner: O,
    descriptor: &Descriptor,
    fields: Fields,
) -> Result<NonNull<S>, ExportError> {
    if !S::VERSIONED && fields.read_only {
        return Err(ExportError::ReadOnlyUnversioned);
    }
    if !S::VERSIONED && fields.padded {
        return Err(ExportError::PaddedUnversioned);
    }
    let draft: Draft<S, O> = Draft::new(owner, descriptor.layout().ndim())?;
    Ok(draft.finish(descriptor, fields))
}

// Written down because the whole point rests on it: what keeps memory alive may be dropped anywhere.
const _: () = {
    const fn assert_send<T: Send>() {}
    assert_send::<Handle>();
    assert_send::<Tensor>();
    assert_send::<SharedTensor>();
};
