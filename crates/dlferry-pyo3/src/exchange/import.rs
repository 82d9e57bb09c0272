use core::ptr::NonNull;

use dlferry::abi::{
    DLManagedTensorVersioned, DLPackDLTensorFromPyObjectNoSync, DLPackExchangeAPI, DLPackExchangeAPIHeader,
    DLPackManagedTensorFromPyObjectNoSync, DLPackVersion, DLTensor, EXCHANGE_API_CAPSULE,
};
use dlferry::managed::{Descriptor, Tensor as Managed};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

#[cfg(not(feature = "abi3"))]
use super::known::{Memory, State};
use crate::error::IntoPyErr;
use crate::numpy;
use crate::once::interned;
#[cfg(not(feature = "abi3"))]
use crate::python::Getter;
use crate::python::type_attribute;

/// The most tables that are looked at for one of a known version: a guard against a list that ends in itself.
const MAX_TABLES: usize = 64;

/// A usable exchange table of another library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    from_object: DLPackManagedTensorFromPyObjectNoSync,
    lend: Option<DLPackDLTensorFromPyObjectNoSync>,
    /// The type's `requires_grad`.
    #[cfg(not(feature = "abi3"))]
    requires_grad: Option<Getter>,
}

/// The exchange table on the type of `object`, when that has been looked for before, and was found.
#[cfg_attr(feature = "abi3", allow(unused_variables, reason = "the limited API has no number of a type's state"))]
#[inline]
pub(crate) fn known_table(object: &Bound<'_, PyAny>) -> Option<Table> {
    #[cfg(not(feature = "abi3"))]
    if let Some(Memory::Found(table)) = State::of(object).map(State::recall) {
        return table;
    }
    None
}

/// The exchange table on the type of `object`, when there is one that can be used.
///
/// No table, one of an unknown version only, or one without the function that is needed: all are `None`, and the
/// caller goes on with `__dlpack__` (rule E11).
///
/// # Errors
///
/// What looking the attribute up raised, other than that it is absent.
#[inline]
pub(crate) fn table_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Table>> {
    #[cfg(not(feature = "abi3"))]
    if let Some(Memory::Found(table)) = State::of(object).map(State::recall) {
        return Ok(table);
    }
    let table = find_table(object)?;
    // The look-up is what gives a type its number.
    #[cfg(not(feature = "abi3"))]
    if let Some(state) = State::of(object) {
        state.remember(table);
    }
    Ok(table)
}

fn find_table(object: &Bound<'_, PyAny>) -> PyResult<Option<Table>> {
    let name = interned!(object.py(), "__dlpack_c_exchange_api__");
    let Some(capsule) = type_attribute(object, name)? else {
        return Ok(None);
    };
    // SAFETY: attached, and `capsule` is alive; another object than a capsule of this name is answered with 0.
    if unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), EXCHANGE_API_CAPSULE.as_ptr()) } == 0 {
        return Ok(None);
    }
    // SAFETY: valid under this name.
    let table = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), EXCHANGE_API_CAPSULE.as_ptr()) };
    // SAFETY: the name says that this is an exchange table, which lives as long as the process (assumption P1).
    let Some(table) = (unsafe { usable(table.cast()) }) else { return Ok(None) };
    // SAFETY: of the known major version, so the table is as declared here.
    let from_object = unsafe { (*table.as_ptr()).managed_tensor_from_py_object_no_sync };
    let Some(from_object) = from_object else { return Ok(None) };
    // SAFETY: as above.
    let lend = unsafe { (*table.as_ptr()).dltensor_from_py_object_no_sync };
    Ok(Some(Table {
        from_object,
        lend,
        #[cfg(not(feature = "abi3"))]
        requires_grad: Getter::of(object, interned!(object.py(), "requires_grad"))?,
    }))
}

/// Walks the list of tables to one of the known major version (rule E3).
///
/// # Safety
///
/// `header` begins a list of exchange tables that live as long as the process, or is NULL.
unsafe fn usable(mut header: *mut DLPackExchangeAPIHeader) -> Option<NonNull<DLPackExchangeAPI>> {
    for _ in 0..MAX_TABLES {
        let current = NonNull::new(header)?;
        // SAFETY: vouched for by the caller; every version of the table begins with a header.
        let DLPackExchangeAPIHeader { version, prev_api } = unsafe { current.read() };
        if version.major == DLPackVersion::CURRENT.major {
            if numpy::is_ours(current) {
                // It would only ask back.
                return None;
            }
            return Some(current.cast());
        }
        header = prev_api;
    }
    None
}

/// What a table lends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loan {
    /// Nothing, or nothing of this object that can be told.
    None,
    /// So many bytes of host memory, all of them elements' in C order.
    Solid(usize),
    /// Any other memory.
    Other,
}

#[cold]
fn refused_to_lend(py: Python<'_>) -> PyResult<Loan> {
    match PyErr::take(py) {
        Some(error) if !super::is_refusal(&error, py) => Err(error),
        _ => Ok(Loan::None),
    }
}

impl Table {
    /// Describes what the table lends of `object`: memory that the object keeps, and that must not be written, for the
    /// loan does not say whether it may.
    ///
    /// # Errors
    ///
    /// What the producer raised, unchanged, if it is neither of the two that mean a refusal (rule E9).
    #[inline]
    pub(crate) fn lend(&self, object: &Bound<'_, PyAny>, descriptor: &mut Descriptor) -> PyResult<Loan> {
        let Some(lend) = self.lend else { return Ok(Loan::None) };
        let mut lent = core::mem::MaybeUninit::<DLTensor>::uninit();
        // SAFETY: attached, as the function needs; the table is that of the object's type.
        let status = unsafe { lend(object.as_ptr().cast(), lent.as_mut_ptr()) };
        if status != 0 {
            return refused_to_lend(object.py());
        }
        // SAFETY: the function reported success, so it has filled the tensor; shape and strides are readable until
        // anything else is asked of the object (rule E4).
        Ok(match unsafe { descriptor.rewrite_borrowed(NonNull::from(&mut lent).cast()) } {
            Ok(Some(bytes)) => Loan::Solid(bytes),
            // Whether each such element has a byte of its own is said by the flags of a managed tensor alone (rule E12).
            Ok(None) if descriptor.dtype().is_sub_byte() => Loan::None,
            Ok(None) => Loan::Other,
            Err(_) => Loan::None,
        })
    }

    /// Whether a tensor says that it requires a gradient, which no table looks at.
    #[cfg_attr(feature = "abi3", allow(clippy::unused_self, reason = "the limited API has no getters to keep"))]
    #[inline]
    pub(crate) fn requires_grad(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        #[cfg(not(feature = "abi3"))]
        if let Some(getter) = &self.requires_grad {
            return getter.get(object)?.is_truthy();
        }
        match object.getattr_opt(interned!(object.py(), "requires_grad"))? {
            Some(value) => value.is_truthy(),
            None => Ok(false),
        }
    }

    /// Exports `object` through the table and takes the result over.
    ///
    /// Nothing waits for work on the device: right for memory that the host reads, and for nothing else.
    ///
    /// # Errors
    ///
    /// What the producer raised, unchanged; `BufferError` when its tensor is refused, after its deleter was called.
    pub(crate) fn export(&self, object: &Bound<'_, PyAny>) -> PyResult<Managed> {
        let mut managed: *mut DLManagedTensorVersioned = core::ptr::null_mut();
        // SAFETY: attached, as the function needs; the table is that of the object's type.
        let status = unsafe { (self.from_object)(object.as_ptr().cast(), &raw mut managed) };
        if status != 0 {
            return Err(PyErr::take(object.py()).unwrap_or_else(|| {
                PyBufferError::new_err("the producer's exchange table reported a failure and no exception")
            }));
        }
        let managed = NonNull::new(managed).ok_or_else(|| {
            PyBufferError::new_err("the producer's exchange table reported success and gave no tensor")
        })?;
        // SAFETY: the function's result belongs to the caller (rule E4); otherwise assumption P1.
        unsafe { Managed::from_raw_versioned(managed) }.map_err(IntoPyErr::into_py_err)
    }
}
