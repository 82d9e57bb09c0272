//! An exchange table for `numpy.ndarray`, which NumPy does not bring: off until somebody turns it on.
//!
//! NumPy's type is one for the whole process, so this changes what every consumer of the exchange API sees. Derived types
//! inherit the attribute; their objects are asked through their own `__dlpack__`, if they have one.

use core::ffi::{c_int, c_void};
use core::ptr::NonNull;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use dlferry::abi::{
    DLDevice, DLManagedTensorVersioned, DLPackExchangeAPI, DLPackExchangeAPIHeader, DLPackVersion, DLTensor,
    EXCHANGE_API_CAPSULE,
};
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::export::to_ndarray;
use super::import::managed;
use super::runtime::Runtime;
use super::{Array, array, import};
use crate::error::IntoPyErr;
use crate::exchange::export::{Shared, allocate, answer, current_work_stream};
use crate::once::interned;
use crate::protocol::{self, Request};
use crate::python::name_of_type;
use crate::tensor::Tensor;
use crate::trace::{self, Consumer};

/// The table. It lives as long as the process, as consumers that keep its address rely on.
static TABLE: Shared = Shared(DLPackExchangeAPI {
    header: DLPackExchangeAPIHeader { version: DLPackVersion::CURRENT, prev_api: core::ptr::null_mut() },
    managed_tensor_allocator: Some(allocate),
    managed_tensor_from_py_object_no_sync: Some(from_object),
    managed_tensor_to_py_object_no_sync: Some(to_object),
    dltensor_from_py_object_no_sync: Some(borrow_from_object),
    current_work_stream: Some(current_work_stream),
});

/// Whether a table is the one made here, which asks no more than what is asked without it.
pub(crate) fn is_ours(table: NonNull<DLPackExchangeAPIHeader>) -> bool {
    core::ptr::eq(table.as_ptr().cast_const().cast(), &raw const TABLE.0)
}

/// Gives `numpy.ndarray` a `__dlpack_c_exchange_api__`, for all consumers in the process. Once more does nothing.
///
/// # Errors
///
/// `RuntimeError` outside the main interpreter, without a global interpreter lock, when NumPy or somebody else brought a
/// table, and for a NumPy whose structures are not known; `ImportError` without NumPy.
pub fn enable_exchange_api(py: Python<'_>) -> PyResult<()> {
    let refuse = |why: &str| Err(PyRuntimeError::new_err(format!("numpy.ndarray gets no exchange table: {why}")));
    if !is_main_interpreter(py) {
        return refuse("its type is shared by all interpreters, and this is not the main one");
    }
    if lacks_global_lock(py)? {
        return refuse("its type cannot be changed safely while other threads run, and this Python has no global lock");
    }
    let Some(runtime) = Runtime::load(py)? else {
        return refuse("the structures of this NumPy are not known to this version of dlferry");
    };
    let Some(dict) = runtime.type_dict(py) else {
        return refuse("this build, for many versions of Python, cannot reach the dictionary of a type");
    };
    match dict.get_item(name(py))? {
        Some(present) if is_own_capsule(&present) => return Ok(()),
        Some(_) => return refuse("it has one already, from NumPy itself or from another library"),
        None => {}
    }
    dict.set_item(name(py), capsule(py)?)?;
    runtime.type_changed(py);
    Ok(())
}

/// Takes the attribute away again, if it is the one made here. Consumers that have seen it may keep using the table, which
/// stays good; nobody can tell them.
///
/// # Errors
///
/// `ImportError` without NumPy.
pub fn disable_exchange_api(py: Python<'_>) -> PyResult<()> {
    if !exchange_api_enabled(py)? {
        return Ok(());
    }
    if let Some((runtime, dict)) = Runtime::load(py)?.and_then(|runtime| Some((runtime, runtime.type_dict(py)?))) {
        dict.del_item(name(py))?;
        runtime.type_changed(py);
    }
    Ok(())
}

/// Whether `numpy.ndarray` has the table made here. NumPy is not imported for the question.
///
/// # Errors
///
/// None that is expected.
pub fn exchange_api_enabled(py: Python<'_>) -> PyResult<bool> {
    let Some(dict) = Runtime::loaded().and_then(|runtime| runtime.type_dict(py)) else { return Ok(false) };
    Ok(dict.get_item(name(py))?.is_some_and(|present| is_own_capsule(&present)))
}

fn name(py: Python<'_>) -> &Bound<'_, PyString> {
    interned!(py, "__dlpack_c_exchange_api__")
}

fn capsule(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    crate::exchange::export::capsule_of(py, &TABLE)
}

fn is_own_capsule(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: attached, and the object is alive; another object than a capsule of this name is answered with 0.
    if unsafe { ffi::PyCapsule_IsValid(object.as_ptr(), EXCHANGE_API_CAPSULE.as_ptr()) } == 0 {
        return false;
    }
    // SAFETY: valid under this name.
    let table = unsafe { ffi::PyCapsule_GetPointer(object.as_ptr(), EXCHANGE_API_CAPSULE.as_ptr()) };
    NonNull::new(table.cast()).is_some_and(is_ours)
}

fn is_main_interpreter(_py: Python<'_>) -> bool {
    // SAFETY: attached, so there is an interpreter.
    let interpreter = unsafe { ffi::PyInterpreterState_Get() };
    // SAFETY: the interpreter just asked for.
    let number = unsafe { ffi::PyInterpreterState_GetID(interpreter) };
    number == 0
}

/// Whether this Python was built to run without a global lock, whether or not it does.
fn lacks_global_lock(py: Python<'_>) -> PyResult<bool> {
    let variable = py.import("sysconfig")?.call_method1("get_config_var", ("Py_GIL_DISABLED",))?;
    variable.is_truthy()
}

/// Refuses what is not of NumPy's type or of a derived one (rule E5).
fn check_derived(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if array::array_or_derived(object).is_some() {
        return Ok(());
    }
    let kind = name_of_type(object);
    Err(PyTypeError::new_err(format!("wanted a numpy.ndarray, found an object of type {kind}")))
}

/// What is not exported at once.
fn managed_by_tensor(
    object: &Bound<'_, PyAny>,
    array: Option<&Array<'_>>,
) -> PyResult<NonNull<DLManagedTensorVersioned>> {
    let request = Request::default();
    let tensor: Tensor = if let Some(array) = array {
        import(object, array, &request)?
    } else {
        check_derived(object)?;
        // A derived type may have an opinion of its own.
        protocol::import(object, &request)?
    };
    let managed = match trace::traced(object.py(), tensor.shared(), Consumer::Exchange) {
        Some(traced) => traced.into_managed(),
        None => tensor.into_shared().into_managed(),
    };
    managed.map_err(IntoPyErr::into_py_err)
}

unsafe extern "C" fn from_object(object: *mut c_void, out: *mut *mut DLManagedTensorVersioned) -> c_int {
    answer(|py| {
        // SAFETY: the caller passes a live object (rule E4).
        let object = unsafe { Borrowed::from_ptr(py, object.cast::<ffi::PyObject>()) };
        let array = array::array(&object);
        // What is traced goes through a tensor.
        let at_once = array.as_ref().filter(|_| !trace::is_on());
        let managed = match at_once.and_then(|array| managed(&object, array)) {
            Some(managed) => managed,
            None => managed_by_tensor(&object, array.as_ref())?,
        };
        // SAFETY: the caller passes a place for the result (rule E4).
        unsafe { out.write(managed.as_ptr()) };
        Ok(())
    })
}

/// Lends the array's own memory, for as long as the caller keeps it alive and as it is.
unsafe extern "C" fn borrow_from_object(object: *mut c_void, out: *mut DLTensor) -> c_int {
    answer(|py| {
        // SAFETY: the caller passes a live object (rule E4).
        let object = unsafe { Borrowed::from_ptr(py, object.cast::<ffi::PyObject>()) };
        let refused =
            || PyBufferError::new_err("a borrowed DLTensor cannot describe this array: take a managed tensor");
        let Some(array) = array::array(&object) else {
            check_derived(&object)?;
            return Err(refused());
        };
        if array.is_read_only() {
            // What is lent here has no flags, so the borrower could write to what must not be written (decision 5.1).
            return Err(PyBufferError::new_err(
                "the array is read-only, which a borrowed DLTensor cannot say: take a managed tensor",
            ));
        }
        let tensor: Tensor = import(&object, &array, &Request::default())?;
        let descriptor = tensor.shared().descriptor();
        if descriptor.fields().padded || descriptor.is_read_only() {
            return Err(refused());
        }
        let lent = DLTensor {
            data: if descriptor.layout().is_empty() { core::ptr::null_mut() } else { descriptor.data() },
            device: DLDevice::CPU,
            ndim: c_int::try_from(descriptor.layout().ndim())?,
            dtype: descriptor.dtype(),
            shape: kept(descriptor.shape())?,
            strides: kept(descriptor.strides())?,
            byte_offset: 0,
        };
        // SAFETY: the caller passes a place for the result (rule E4).
        unsafe { out.write(lent) };
        Ok(())
    })
}

/// Takes the managed tensor over on success only: a caller that sees -1 still owns it (rule R9.11).
unsafe extern "C" fn to_object(managed: *mut DLManagedTensorVersioned, out: *mut *mut c_void) -> c_int {
    answer(|py| {
        // SAFETY: the caller hands a managed tensor over (rule E4).
        let array = unsafe { crate::exchange::export::take_over(py, managed, |tensor| to_ndarray(tensor)) }?;
        // SAFETY: the caller passes a place for a new reference (rule E4).
        unsafe { out.write(array.into_ptr().cast()) };
        Ok(())
    })
}

/// Different lists of extents or strides that are kept for borrowers.
const MAX_KEPT: usize = 1 << 16;

/// The numbers, where they stay for as long as the process lives.
///
/// An array has no place for strides in elements, and what is lent has no end that anybody would be told of. Arrays have few
/// different shapes; of those of a program that makes ever new ones, the last are not lent.
fn kept(numbers: &[i64]) -> PyResult<*mut i64> {
    static KEPT: Mutex<Option<HashSet<&'static [i64]>>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = kept.get_or_insert_default();
    if let Some(present) = kept.get(numbers) {
        return Ok(present.as_ptr().cast_mut());
    }
    if kept.len() >= MAX_KEPT {
        return Err(PyBufferError::new_err("too many different shapes were lent: take a managed tensor"));
    }
    let numbers: &'static [i64] = Box::leak(numbers.into());
    kept.insert(numbers);
    Ok(numbers.as_ptr().cast_mut())
}
