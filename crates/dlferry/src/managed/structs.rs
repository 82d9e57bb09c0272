use core::mem::offset_of;
use core::ptr::NonNull;

use super::DescribeError;
use crate::abi::{
    DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, FLAG_IS_COPIED, FLAG_IS_SUBBYTE_TYPE_PADDED,
    FLAG_READ_ONLY,
};

#[allow(unnameable_types, reason = "that nobody outside can name it is what seals `ManagedStruct`")]
mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::abi::DLManagedTensor {}
    impl Sealed for crate::abi::DLManagedTensorVersioned {}
}

/// What both managed structs say beside their tensor, in one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The version of the struct; `None` for the unversioned one.
    pub version: Option<DLPackVersion>,
    /// The data must not be written. Always true for an unversioned struct read from outside (rule R9.7).
    pub read_only: bool,
    /// Whether the data is a copy made for this exchange; `None` when the struct cannot say.
    pub copied: Option<bool>,
    /// Elements of less than a byte stand one in each byte.
    pub padded: bool,
}

impl Fields {
    /// What a tensor that shares memory, writable and packed, says in a versioned struct.
    pub const SHARED: Self =
        Self { version: Some(DLPackVersion::CURRENT), read_only: false, copied: Some(false), padded: false };

    /// What an unversioned struct tells its consumer: next to nothing.
    pub const UNVERSIONED: Self = Self { version: None, read_only: true, copied: None, padded: false };

    pub(crate) fn from_flags(version: DLPackVersion, flags: u64) -> Self {
        Self {
            version: Some(version),
            read_only: flags & FLAG_READ_ONLY != 0,
            copied: Some(flags & FLAG_IS_COPIED != 0),
            padded: flags & FLAG_IS_SUBBYTE_TYPE_PADDED != 0,
        }
    }

    pub(crate) fn to_flags(self) -> u64 {
        let bit = |set: bool, flag: u64| if set { flag } else { 0 };
        bit(self.read_only, FLAG_READ_ONLY)
            | bit(self.copied == Some(true), FLAG_IS_COPIED)
            | bit(self.padded, FLAG_IS_SUBBYTE_TYPE_PADDED)
    }
}

/// The deleter of a managed struct.
pub(crate) type Deleter<S> = unsafe extern "C" fn(*mut S);

/// One of the two managed structs. Sealed: [`DLManagedTensor`] and [`DLManagedTensorVersioned`], and no other.
pub trait ManagedStruct: sealed::Sealed + Sized + 'static {
    /// Whether the struct carries a version and flags.
    const VERSIONED: bool;

    /// Reads version and flags, and says where the tensor is.
    ///
    /// # Errors
    ///
    /// [`DescribeError::MajorVersion`] when the major version is not 1; then nothing but the version was read.
    ///
    /// # Safety
    ///
    /// Condition 1 of [`managed`](crate::managed).
    #[doc(hidden)]
    unsafe fn read(this: NonNull<Self>) -> Result<(Fields, NonNull<DLTensor>), DescribeError>;

    /// Reads the deleter, which has its place in every version.
    ///
    /// # Safety
    ///
    /// Condition 1 of [`managed`](crate::managed).
    #[doc(hidden)]
    unsafe fn deleter(this: NonNull<Self>) -> Option<Deleter<Self>>;

    /// A struct of this kind with the given contents; `manager_ctx` is NULL.
    #[doc(hidden)]
    fn compose(tensor: DLTensor, fields: Fields, deleter: Deleter<Self>) -> Self;
}

impl ManagedStruct for DLManagedTensor {
    const VERSIONED: bool = false;

    #[inline]
    unsafe fn read(this: NonNull<Self>) -> Result<(Fields, NonNull<DLTensor>), DescribeError> {
        // The tensor is the first field.
        Ok((Fields::UNVERSIONED, this.cast()))
    }

    #[inline]
    unsafe fn deleter(this: NonNull<Self>) -> Option<Deleter<Self>> {
        // SAFETY: condition 1, vouched for by the caller.
        unsafe { (*this.as_ptr()).deleter }
    }

    fn compose(tensor: DLTensor, _fields: Fields, deleter: Deleter<Self>) -> Self {
        Self { dl_tensor: tensor, manager_ctx: core::ptr::null_mut(), deleter: Some(deleter) }
    }
}

impl ManagedStruct for DLManagedTensorVersioned {
    const VERSIONED: bool = true;

    #[inline]
    unsafe fn read(this: NonNull<Self>) -> Result<(Fields, NonNull<DLTensor>), DescribeError> {
        // SAFETY: condition 1, vouched for by the caller; the version has this place in every version of the struct.
        let version = unsafe { (*this.as_ptr()).version };
        if version.major != DLPackVersion::CURRENT.major {
            return Err(DescribeError::MajorVersion { found: version });
        }
        // SAFETY: condition 1, and the major version says that the struct is the one declared here.
        let flags = unsafe { (*this.as_ptr()).flags };
        // SAFETY: within the struct.
        let tensor = unsafe { this.byte_add(offset_of!(Self, dl_tensor)) };
        Ok((Fields::from_flags(version, flags), tensor.cast()))
    }

    #[inline]
    unsafe fn deleter(this: NonNull<Self>) -> Option<Deleter<Self>> {
        // SAFETY: condition 1, vouched for by the caller; the deleter has this place in every version.
        unsafe { (*this.as_ptr()).deleter }
    }

    fn compose(tensor: DLTensor, fields: Fields, deleter: Deleter<Self>) -> Self {
        Self {
            version: DLPackVersion::CURRENT,
            manager_ctx: core::ptr::null_mut(),
            deleter: Some(deleter),
            flags: fields.to_flags(),
            dl_tensor: tensor,
        }
    }
}
