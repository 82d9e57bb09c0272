//! Tables of C functions, one set of functions for each slot.

use std::ffi::{c_int, c_void};
use std::ptr;

use dlferry::abi::{
    DLDeviceType, DLManagedTensorVersioned, DLPackExchangeAPI, DLPackExchangeAPIHeader, DLPackSetError, DLPackVersion,
    DLTensor,
};

use super::members;
use super::state::Member;

/// # Safety
///
/// As the header says of the member.
unsafe extern "C" fn allocate<const SLOT: usize>(
    prototype: *mut DLTensor,
    out: *mut *mut DLManagedTensorVersioned,
    error_ctx: *mut c_void,
    set_error: Option<DLPackSetError>,
) -> c_int {
    // SAFETY: passed on from the caller.
    unsafe { members::allocate(SLOT, prototype, out, error_ctx, set_error) }
}

/// # Safety
///
/// As the header says of the member.
unsafe extern "C" fn export<const SLOT: usize>(object: *mut c_void, out: *mut *mut DLManagedTensorVersioned) -> c_int {
    // SAFETY: passed on from the caller.
    unsafe { members::export(SLOT, object, out) }
}

/// # Safety
///
/// As the header says of the member.
unsafe extern "C" fn import<const SLOT: usize>(tensor: *mut DLManagedTensorVersioned, out: *mut *mut c_void) -> c_int {
    // SAFETY: passed on from the caller.
    unsafe { members::import(SLOT, tensor, out) }
}

/// # Safety
///
/// As the header says of the member.
unsafe extern "C" fn lend<const SLOT: usize>(object: *mut c_void, out: *mut DLTensor) -> c_int {
    // SAFETY: passed on from the caller.
    unsafe { members::lend(SLOT, object, out) }
}

/// # Safety
///
/// As the header says of the member.
unsafe extern "C" fn stream<const SLOT: usize>(
    _device_type: DLDeviceType,
    _device_id: i32,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: passed on from the caller.
    unsafe { members::stream(SLOT, out) }
}

/// The functions of one slot, in a table without a version.
const fn functions<const SLOT: usize>() -> DLPackExchangeAPI {
    DLPackExchangeAPI {
        header: DLPackExchangeAPIHeader { version: DLPackVersion { major: 0, minor: 0 }, prev_api: ptr::null_mut() },
        managed_tensor_allocator: Some(allocate::<SLOT>),
        managed_tensor_from_py_object_no_sync: Some(export::<SLOT>),
        managed_tensor_to_py_object_no_sync: Some(import::<SLOT>),
        dltensor_from_py_object_no_sync: Some(lend::<SLOT>),
        current_work_stream: Some(stream::<SLOT>),
    }
}

macro_rules! eight {
    ($($row:literal)*) => {
        [$(
            [
                functions::<{ $row * 8 }>, functions::<{ $row * 8 + 1 }>,
                functions::<{ $row * 8 + 2 }>, functions::<{ $row * 8 + 3 }>,
                functions::<{ $row * 8 + 4 }>, functions::<{ $row * 8 + 5 }>,
                functions::<{ $row * 8 + 6 }>, functions::<{ $row * 8 + 7 }>,
            ],
        )*]
    };
}

static FUNCTIONS: [[fn() -> DLPackExchangeAPI; 8]; super::state::SLOTS / 8] = eight!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);

/// A table for `slot` that lives as long as the process.
///
/// `None` when there is no such slot.
pub(super) fn leak(
    slot: usize,
    version: DLPackVersion,
    prev_api: *mut DLPackExchangeAPIHeader,
    null: &[Member],
) -> Option<*mut DLPackExchangeAPI> {
    let functions = FUNCTIONS.as_flattened().get(slot)?;
    let mut table = functions();
    table.header = DLPackExchangeAPIHeader { version, prev_api };
    for member in null {
        match member {
            Member::Allocator => table.managed_tensor_allocator = None,
            Member::From => table.managed_tensor_from_py_object_no_sync = None,
            Member::To => table.managed_tensor_to_py_object_no_sync = None,
            Member::Borrow => table.dltensor_from_py_object_no_sync = None,
            Member::Stream => table.current_work_stream = None,
        }
    }
    Some(Box::into_raw(Box::new(table)))
}
