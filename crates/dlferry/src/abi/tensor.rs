use core::ffi::{CStr, c_void};

use super::{DLDataType, DLDevice, DLPackVersion};

/// Flag: the consumer must not write to the data.
pub const FLAG_READ_ONLY: u64 = 1 << 0;
/// Flag: the data is a copy made for this exchange; nobody else sees writes to it.
pub const FLAG_IS_COPIED: u64 = 1 << 1;
/// Flag: elements of less than a byte stand one in each byte, in place of packed.
pub const FLAG_IS_SUBBYTE_TYPE_PADDED: u64 = 1 << 2;

/// Name of a capsule that holds a [`DLManagedTensor`] not yet consumed.
pub const CAPSULE_UNVERSIONED: &CStr = c"dltensor";
/// Name that a consumer gives a capsule once it owns the [`DLManagedTensor`].
pub const CAPSULE_UNVERSIONED_USED: &CStr = c"used_dltensor";
/// Name of a capsule that holds a [`DLManagedTensorVersioned`] not yet consumed.
pub const CAPSULE_VERSIONED: &CStr = c"dltensor_versioned";
/// Name that a consumer gives a capsule once it owns the [`DLManagedTensorVersioned`].
pub const CAPSULE_VERSIONED_USED: &CStr = c"used_dltensor_versioned";

/// A tensor that owns nothing, as `DLTensor` of the header.
///
/// The element at index (0, ..., 0) lies at `data + byte_offset` bytes; strides count elements.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    /// The memory, or a handle to it on devices without addresses.
    pub data: *mut c_void,
    /// Where the memory is.
    pub device: DLDevice,
    /// Number of axes.
    pub ndim: i32,
    /// Type of one element.
    pub dtype: DLDataType,
    /// `ndim` extents; may be NULL when `ndim` is 0.
    pub shape: *mut i64,
    /// `ndim` strides in elements; NULL means compact and row-major before DLPack 1.2.
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// The unversioned managed tensor, as `DLManagedTensor` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// Private to the producer.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this struct; called once by whoever owns it; may be NULL.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// The versioned managed tensor, as `DLManagedTensorVersioned` of the header.
///
/// All up to and including `flags` keeps its place in every future version, so that `deleter` can be called whatever
/// `version` says (rule R1.4).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLManagedTensorVersioned {
    /// The version of the producer's structs.
    pub version: DLPackVersion,
    /// Private to the producer.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this struct; called once by whoever owns it; may be NULL.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// [`FLAG_READ_ONLY`], [`FLAG_IS_COPIED`], [`FLAG_IS_SUBBYTE_TYPE_PADDED`].
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    use core::mem::offset_of;

    assert!(size_of::<DLTensor>() == 48);
    assert!(align_of::<DLTensor>() == 8);
    assert!(offset_of!(DLTensor, data) == 0);
    assert!(offset_of!(DLTensor, device) == 8);
    assert!(offset_of!(DLTensor, ndim) == 16);
    assert!(offset_of!(DLTensor, dtype) == 20);
    assert!(offset_of!(DLTensor, shape) == 24);
    assert!(offset_of!(DLTensor, strides) == 32);
    assert!(offset_of!(DLTensor, byte_offset) == 40);

    assert!(size_of::<DLManagedTensor>() == 64);
    assert!(offset_of!(DLManagedTensor, dl_tensor) == 0);
    assert!(offset_of!(DLManagedTensor, manager_ctx) == 48);
    assert!(offset_of!(DLManagedTensor, deleter) == 56);

    assert!(size_of::<DLManagedTensorVersioned>() == 80);
    assert!(offset_of!(DLManagedTensorVersioned, version) == 0);
    assert!(offset_of!(DLManagedTensorVersioned, manager_ctx) == 8);
    assert!(offset_of!(DLManagedTensorVersioned, deleter) == 16);
    assert!(offset_of!(DLManagedTensorVersioned, flags) == 24);
    assert!(offset_of!(DLManagedTensorVersioned, dl_tensor) == 32);
};
