//! What the members of a crafted table do.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use dlferry::abi::{DLManagedTensorVersioned, DLPackSetError, DLTensor};
use pyo3::exceptions::{PySystemError, PyTypeError};
use pyo3::prelude::*;

use super::state::{self, Member, State};
use super::types::{Exchangeable, Received};
use crate::Crafted;
use crate::python::foreign::Foreign;

/// The largest tensor that the allocator makes.
const MOST_BYTES: usize = 1 << 30;

/// Counts the call, fails when told to, else lets `answer` answer; sets the exception of a failure.
fn member(slot: usize, member: Member, answer: impl FnOnce(Python<'_>, &State) -> PyResult<()>) -> c_int {
    let Some(state) = state::get(slot) else { return -1 };
    state.count(member);
    Python::attach(|py| {
        let result = if state.forbidden {
            Err(PySystemError::new_err("a member of an exchange table of another major was called"))
        } else if let Some(failure) = state.failure(member) {
            Err(PyErr::from_value(failure.error.bind(py).clone()))
        } else {
            answer(py, &state)
        };
        match result {
            Ok(()) => 0,
            Err(error) => {
                error.restore(py);
                -1
            }
        }
    })
}

/// The instance behind `object`, which must be of the table's own type.
///
/// # Safety
///
/// `object` is a borrowed reference to a live object.
unsafe fn instance<'py>(py: Python<'py>, state: &State, object: *mut c_void) -> PyResult<Bound<'py, Exchangeable>> {
    // SAFETY: the caller says it is alive.
    let object = unsafe { Bound::from_borrowed_ptr(py, object.cast()) };
    let own = state.class.get().map_or(Ok(false), |class| object.is_instance(class.bind(py)))?;
    if !own {
        return Err(PyTypeError::new_err(format!("not of the table's type: {}", object.get_type().name()?)));
    }
    Ok(object.cast_into::<Exchangeable>()?)
}

/// # Safety
///
/// As the header says of `managed_tensor_from_py_object_no_sync`.
pub(super) unsafe fn export(slot: usize, object: *mut c_void, out: *mut *mut DLManagedTensorVersioned) -> c_int {
    member(slot, Member::From, |py, state| {
        // SAFETY: the consumer passes a live object.
        let object = unsafe { instance(py, state, object) }?;
        let managed = match object.get().received() {
            Some(received) => share(&received),
            None => state.recipe.build_versioned().0,
        };
        // SAFETY: the consumer passes a place for the pointer.
        unsafe { out.write(managed.as_ptr()) };
        Ok(())
    })
}

/// # Safety
///
/// As the header says of `managed_tensor_to_py_object_no_sync`.
pub(super) unsafe fn import(slot: usize, tensor: *mut DLManagedTensorVersioned, out: *mut *mut c_void) -> c_int {
    member(slot, Member::To, |py, state| {
        let tensor = NonNull::new(tensor).ok_or_else(|| PyTypeError::new_err("the tensor is NULL"))?;
        let class = state.class.get().ok_or_else(|| PySystemError::new_err("the table has no type yet"))?;
        let object = class.bind(py).call0()?;
        object.cast::<Exchangeable>()?.get().receive(Received(Foreign::Versioned(tensor)));
        // SAFETY: the consumer passes a place for the pointer, and takes over this reference.
        unsafe { out.write(object.into_ptr().cast()) };
        Ok(())
    })
}

/// # Safety
///
/// As the header says of `dltensor_from_py_object_no_sync`.
pub(super) unsafe fn lend(slot: usize, object: *mut c_void, out: *mut DLTensor) -> c_int {
    member(slot, Member::Borrow, |py, state| {
        // SAFETY: the consumer passes a live object.
        let object = unsafe { instance(py, state, object) }?;
        let tensor = match object.get().received() {
            // SAFETY: a received tensor is alive as long as the instance, which the consumer holds.
            Some(received) => unsafe { received.0.tensor() },
            None => state.lent.0,
        };
        // SAFETY: the consumer passes a place for the tensor.
        unsafe { out.write(tensor) };
        Ok(())
    })
}

/// # Safety
///
/// As the header says of `current_work_stream`.
pub(super) unsafe fn stream(slot: usize, out: *mut *mut c_void) -> c_int {
    member(slot, Member::Stream, |_, state| {
        // SAFETY: the consumer passes a place for the pointer.
        unsafe { out.write(ptr::without_provenance_mut(state.stream)) };
        Ok(())
    })
}

/// # Safety
///
/// As the header says of `managed_tensor_allocator`.
pub(super) unsafe fn allocate(
    slot: usize,
    prototype: *mut DLTensor,
    out: *mut *mut DLManagedTensorVersioned,
    error_ctx: *mut c_void,
    set_error: Option<DLPackSetError>,
) -> c_int {
    let fail = |kind: &CStr, message: &CStr| {
        if let Some(set_error) = set_error {
            // SAFETY: the consumer's function, its own context and two C strings.
            unsafe { set_error(error_ctx, kind.as_ptr(), message.as_ptr()) };
        }
        -1
    };
    let Some(state) = state::get(slot) else {
        return fail(c"SystemError", c"no such table");
    };
    state.count(Member::Allocator);
    if state.forbidden {
        return fail(c"SystemError", c"a member of an exchange table of another major was called");
    }
    if let Some(failure) = state.failure(Member::Allocator) {
        return fail(&failure.kind, &failure.message);
    }
    // SAFETY: the consumer passes a live prototype.
    let prototype = unsafe { prototype.read() };
    // SAFETY: the same prototype.
    let Some(recipe) = (unsafe { zeroed(&prototype) }) else {
        return fail(c"MemoryError", c"the prototype's size is out of reach");
    };
    // SAFETY: the consumer passes a place for the pointer.
    unsafe { out.write(recipe.build_versioned().0.as_ptr()) };
    0
}

/// A recipe for zeros of the prototype's dtype, device and shape, compact; nothing when they have no size.
///
/// # Safety
///
/// The prototype's `shape` holds `ndim` values.
unsafe fn zeroed(prototype: &DLTensor) -> Option<Crafted> {
    let mut shape = vec![];
    for axis in 0..usize::try_from(prototype.ndim).ok()? {
        // SAFETY: `axis` is below `ndim`.
        shape.push(unsafe { prototype.shape.wrapping_add(axis).read() });
    }
    let item = usize::from(prototype.dtype.bits).checked_mul(prototype.dtype.lanes.into())?.div_ceil(8);
    let mut bytes = item;
    let mut strides = vec![];
    let mut stride = 1_i64;
    for &extent in shape.iter().rev() {
        bytes = bytes.checked_mul(usize::try_from(extent).ok()?)?;
        strides.push(stride);
        stride = stride.checked_mul(extent.max(1))?;
    }
    strides.reverse();
    let recipe = (bytes <= MOST_BYTES).then(|| Crafted::new(&vec![0; bytes]))?;
    Some(recipe.dtype(prototype.dtype).device(prototype.device).shape(shape).strides(strides))
}

/// A second managed tensor over a received one.
#[repr(C)]
struct Share {
    managed: DLManagedTensorVersioned,
    received: Arc<Received>,
}

/// Exports a received tensor again; it goes when instance and exports are gone.
fn share(received: &Arc<Received>) -> NonNull<DLManagedTensorVersioned> {
    let Foreign::Versioned(managed) = received.0 else { unreachable!("tables carry versioned tensors") };
    // SAFETY: alive as long as `received`.
    let original = unsafe { managed.read() };
    let managed = DLManagedTensorVersioned { manager_ctx: ptr::null_mut(), deleter: Some(delete_share), ..original };
    NonNull::from(Box::leak(Box::new(Share { managed, received: Arc::clone(received) }))).cast()
}

/// # Safety
///
/// `managed` is a tensor of [`share`], not deleted yet.
unsafe extern "C" fn delete_share(managed: *mut DLManagedTensorVersioned) {
    let share: *mut Share = managed.cast();
    // SAFETY: the struct is the first field of a leaked box.
    let share = unsafe { Box::from_raw(share) };
    drop(share.received);
}
