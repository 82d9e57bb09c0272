use core::ffi::c_void;
use core::ptr::NonNull;

use super::ManagedStruct;
use crate::abi::{DLManagedTensor, DLManagedTensorVersioned};

/// Ownership of a managed struct, or of what else keeps memory alive, and nothing else: dropping it calls the deleter,
/// once, when there is one.
#[derive(Debug)]
pub struct Handle(Kind);

#[derive(Debug)]
enum Kind {
    Unversioned(NonNull<DLManagedTensor>),
    Versioned(NonNull<DLManagedTensorVersioned>),
    Keeper(NonNull<c_void>, &'static Keeping),
}

/// How memory is kept alive that is in no managed struct: what is to be done when it is not needed any more.
///
/// Each kind of keeper has one of these in a `static`, whose address tells it from others.
#[derive(Debug)]
pub struct Keeping {
    release: unsafe fn(NonNull<c_void>),
}

impl Keeping {
    /// Keepers that `release` lets go of.
    #[must_use]
    pub const fn new(release: unsafe fn(NonNull<c_void>)) -> Self {
        Self { release }
    }
}

// SAFETY: whoever made the handle vouched that the deleter, or the release, may be called on any thread (condition 4).
unsafe impl Send for Handle {}
// SAFETY: a shared handle gives access to nothing.
unsafe impl Sync for Handle {}

impl Handle {
    /// Takes a versioned struct over.
    ///
    /// # Safety
    ///
    /// Conditions 1 and 4 of [`managed`](crate::managed).
    #[must_use]
    pub unsafe fn versioned(managed: NonNull<DLManagedTensorVersioned>) -> Self {
        Self(Kind::Versioned(managed))
    }

    /// Takes an unversioned struct over.
    ///
    /// # Safety
    ///
    /// Conditions 1 and 4 of [`managed`](crate::managed).
    #[must_use]
    pub unsafe fn unversioned(managed: NonNull<DLManagedTensor>) -> Self {
        Self(Kind::Unversioned(managed))
    }

    /// Takes over what keeps memory alive without being a managed struct, such as a reference to an object of another
    /// language. It is released once.
    ///
    /// # Safety
    ///
    /// The release of `keeping` may be called with `keeper`, once and on any thread, and nobody else does.
    #[must_use]
    pub unsafe fn keeper(keeper: NonNull<c_void>, keeping: &'static Keeping) -> Self {
        Self(Kind::Keeper(keeper, keeping))
    }

    /// What was given to [`Self::keeper`] with this very `keeping`.
    #[must_use]
    pub fn kept_by(&self, keeping: &'static Keeping) -> Option<NonNull<c_void>> {
        match self.0 {
            Kind::Keeper(keeper, own) if core::ptr::eq(own, keeping) => Some(keeper),
            _ => None,
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        match self.0 {
            // SAFETY: conditions 1 and 4, vouched for when the handle was made; a handle is dropped once.
            Kind::Unversioned(managed) => unsafe { delete(managed) },
            // SAFETY: as above.
            Kind::Versioned(managed) => unsafe { delete(managed) },
            // SAFETY: vouched for when the handle was made; a handle is dropped once.
            Kind::Keeper(keeper, keeping) => unsafe { (keeping.release)(keeper) },
        }
    }
}

/// Calls the deleter with the struct's own address (rule R2.20), when there is one (rule R2.10).
///
/// # Safety
///
/// Conditions 1 and 4; not called before for this struct.
unsafe fn delete<S: ManagedStruct>(managed: NonNull<S>) {
    // SAFETY: condition 1.
    if let Some(deleter) = unsafe { S::deleter(managed) } {
        // SAFETY: condition 4: this owner alone calls it, and this is the call.
        unsafe { deleter(managed.as_ptr()) }
    }
}
