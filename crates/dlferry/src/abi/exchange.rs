use core::ffi::{CStr, c_char, c_int, c_void};

use super::{DLDeviceType, DLManagedTensorVersioned, DLPackVersion, DLTensor};

/// Name of the attribute, on a Python type, that holds the table's capsule.
pub const EXCHANGE_API_ATTRIBUTE: &CStr = c"__dlpack_c_exchange_api__";
/// Name of the capsule that holds a pointer to a [`DLPackExchangeAPI`].
pub const EXCHANGE_API_CAPSULE: &CStr = c"dlpack_exchange_api";

/// How an allocator reports its failure: context, name of a Python exception, message.
pub type DLPackSetError = unsafe extern "C" fn(error_ctx: *mut c_void, kind: *const c_char, message: *const c_char);

/// Makes an empty managed tensor with the dtype, shape and device of `prototype`. Needs no Python; returns 0, or -1
/// after calling `set_error` once.
pub type DLPackManagedTensorAllocator = unsafe extern "C" fn(
    prototype: *mut DLTensor,
    out: *mut *mut DLManagedTensorVersioned,
    error_ctx: *mut c_void,
    set_error: Option<DLPackSetError>,
) -> c_int;

/// Exports a Python object as a managed tensor that the caller then owns; returns 0, or -1 with an exception set.
pub type DLPackManagedTensorFromPyObjectNoSync =
    unsafe extern "C" fn(py_object: *mut c_void, out: *mut *mut DLManagedTensorVersioned) -> c_int;

/// Makes the producer's own Python object of a managed tensor, which it takes over; returns 0, or -1 with an exception
/// set.
pub type DLPackManagedTensorToPyObjectNoSync =
    unsafe extern "C" fn(tensor: *mut DLManagedTensorVersioned, out: *mut *mut c_void) -> c_int;

/// Fills `out` with a tensor whose pointers are valid until control returns to the caller's caller; returns 0, or -1
/// with an exception set.
pub type DLPackDLTensorFromPyObjectNoSync = unsafe extern "C" fn(py_object: *mut c_void, out: *mut DLTensor) -> c_int;

/// Gives the stream that the producer works on at present; NULL on devices without streams. Returns 0 or -1.
pub type DLPackCurrentWorkStream =
    unsafe extern "C" fn(device_type: DLDeviceType, device_id: i32, out_current_stream: *mut *mut c_void) -> c_int;

/// What every version of the exchange table begins with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLPackExchangeAPIHeader {
    /// The version of the table; nothing after the header may be read when its major is another than one's own.
    pub version: DLPackVersion,
    /// An older table of the same producer, or NULL.
    pub prev_api: *mut DLPackExchangeAPIHeader,
}

/// The exchange table, as `DLPackExchangeAPI` of the header.
///
/// The header demands every member but `dltensor_from_py_object_no_sync`; real tables leave others NULL too (rule E4),
/// hence the options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLPackExchangeAPI {
    /// Version and older tables.
    pub header: DLPackExchangeAPIHeader,
    /// See [`DLPackManagedTensorAllocator`].
    pub managed_tensor_allocator: Option<DLPackManagedTensorAllocator>,
    /// See [`DLPackManagedTensorFromPyObjectNoSync`].
    pub managed_tensor_from_py_object_no_sync: Option<DLPackManagedTensorFromPyObjectNoSync>,
    /// See [`DLPackManagedTensorToPyObjectNoSync`].
    pub managed_tensor_to_py_object_no_sync: Option<DLPackManagedTensorToPyObjectNoSync>,
    /// See [`DLPackDLTensorFromPyObjectNoSync`].
    pub dltensor_from_py_object_no_sync: Option<DLPackDLTensorFromPyObjectNoSync>,
    /// See [`DLPackCurrentWorkStream`].
    pub current_work_stream: Option<DLPackCurrentWorkStream>,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    use core::mem::offset_of;

    assert!(size_of::<DLPackExchangeAPIHeader>() == 16);
    assert!(offset_of!(DLPackExchangeAPIHeader, version) == 0);
    assert!(offset_of!(DLPackExchangeAPIHeader, prev_api) == 8);

    assert!(size_of::<DLPackExchangeAPI>() == 56);
    assert!(offset_of!(DLPackExchangeAPI, header) == 0);
    assert!(offset_of!(DLPackExchangeAPI, managed_tensor_allocator) == 16);
    assert!(offset_of!(DLPackExchangeAPI, managed_tensor_from_py_object_no_sync) == 24);
    assert!(offset_of!(DLPackExchangeAPI, managed_tensor_to_py_object_no_sync) == 32);
    assert!(offset_of!(DLPackExchangeAPI, dltensor_from_py_object_no_sync) == 40);
    assert!(offset_of!(DLPackExchangeAPI, current_work_stream) == 48);
};
