//! Which dtypes of NumPy are which of DLPack's: NumPy's own by their numbers, those of `ml_dtypes` by their scalar types.

use core::ffi::{c_int, c_long};

use dlferry::abi::{DLDataType, DLDataTypeCode};
use pyo3::exceptions::{PyBufferError, PyImportError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use super::Array;
use crate::once::interned;
use crate::python::loaded_module;

const IS_LONG_WIDE: bool = size_of::<c_long>() == 8;

/// The dtype of a number of NumPy's `NPY_TYPES`, which are the same in all versions.
#[inline]
pub(super) fn of_number(number: c_int) -> Option<DLDataType> {
    Some(match number {
        0 => DLDataType::BOOL,
        1 => DLDataType::I8,
        2 => DLDataType::U8,
        3 => DLDataType::I16,
        4 => DLDataType::U16,
        // 7 and 8 are C's `long`.
        7 | 9 if IS_LONG_WIDE => DLDataType::I64,
        8 | 10 if IS_LONG_WIDE => DLDataType::U64,
        5 | 7 => DLDataType::I32,
        6 | 8 => DLDataType::U32,
        9 => DLDataType::I64,
        10 => DLDataType::U64,
        11 => DLDataType::F32,
        12 => DLDataType::F64,
        14 => DLDataType::C64,
        15 => DLDataType::C128,
        23 => DLDataType::F16,
        _ => return None,
    })
}

/// The number of a dtype that NumPy has by itself; for integers of 64 bits that of C's `long` where it has them, as
/// `numpy.int64` does.
#[inline]
pub(super) fn to_number(dtype: DLDataType) -> Option<c_int> {
    if dtype.lanes != 1 {
        return None;
    }
    Some(match (dtype.code, dtype.bits) {
        (DLDataTypeCode::BOOL, 8) => 0,
        (DLDataTypeCode::INT, 8) => 1,
        (DLDataTypeCode::UINT, 8) => 2,
        (DLDataTypeCode::INT, 16) => 3,
        (DLDataTypeCode::UINT, 16) => 4,
        (DLDataTypeCode::INT, 32) => 5,
        (DLDataTypeCode::UINT, 32) => 6,
        (DLDataTypeCode::INT, 64) if IS_LONG_WIDE => 7,
        (DLDataTypeCode::UINT, 64) if IS_LONG_WIDE => 8,
        (DLDataTypeCode::INT, 64) => 9,
        (DLDataTypeCode::UINT, 64) => 10,
        (DLDataTypeCode::FLOAT, 32) => 11,
        (DLDataTypeCode::FLOAT, 64) => 12,
        (DLDataTypeCode::COMPLEX, 64) => 14,
        (DLDataTypeCode::COMPLEX, 128) => 15,
        (DLDataTypeCode::FLOAT, 16) => 23,
        _ => return None,
    })
}

/// The dtype of an array whose elements are of a type of `ml_dtypes`, by the scalar type itself; never by a name alone,
/// which anybody can take.
pub(super) fn of_scalar_type(py: Python<'_>, array: &Array<'_>) -> PyResult<Option<DLDataType>> {
    let item_bytes = array.item_bytes();
    let Some(kind) = array.scalar_type(py) else { return Ok(None) };
    let Ok(kind) = kind.cast_into::<PyType>() else { return Ok(None) };
    let Some(module) = loaded_module(py, interned!(py, "ml_dtypes")) else { return Ok(None) };
    let name = kind.name()?;
    let Some(dtype) = DLDataType::from_name(&name.to_cow()?) else { return Ok(None) };
    let own = module.getattr_opt(&name)?;
    let is_own = own.is_some_and(|own| own.is(&kind));
    // Each element stands in its own bytes, those of less than a byte too.
    Ok((is_own && item_bytes == dtype.item_bytes()).then_some(dtype))
}

/// The type of `ml_dtypes` for elements that NumPy has only with it.
pub(super) fn ml_dtype(py: Python<'_>, dtype: DLDataType) -> PyResult<Bound<'_, PyAny>> {
    let name = dtype.to_string();
    let module = py.import(interned!(py, "ml_dtypes")).map_err(|cause| {
        if !cause.is_instance_of::<PyImportError>(py) {
            return cause;
        }
        let error = PyImportError::new_err(format!("NumPy has {name} only with ml_dtypes: pip install ml_dtypes"));
        error.set_cause(py, Some(cause));
        error
    })?;
    module.getattr_opt(name.as_str())?.ok_or_else(|| {
        PyImportError::new_err(format!("this version of ml_dtypes has no {name}; a newer one may have it"))
    })
}

/// Whether `ml_dtypes` may have a type for such elements.
pub(super) fn is_in_ml_dtypes(dtype: DLDataType) -> bool {
    let small_floats = DLDataTypeCode::FLOAT8_E3M4..=DLDataTypeCode::FLOAT4_E2M1FN;
    let is_one = match dtype.code {
        DLDataTypeCode::INT | DLDataTypeCode::UINT => matches!(dtype.bits, 1 | 2 | 4),
        DLDataTypeCode::COMPLEX => dtype == DLDataType::C32,
        DLDataTypeCode::BFLOAT | DLDataTypeCode::BCOMPLEX => true,
        code => small_floats.contains(&code),
    };
    is_one && dtype.lanes == 1
}

/// Whether this NumPy lets others register dtypes for DLPack, which then count before ours.
pub(super) fn has_registry(py: Python<'_>) -> PyResult<bool> {
    let Some(module) = loaded_module(py, interned!(py, "numpy.dtypes")) else { return Ok(false) };
    module.hasattr(interned!(py, "register_dlpack_dtype"))
}

/// The refusal of an array whose elements DLPack cannot describe: what they are, and what to do.
pub(super) fn refusal(object: &Bound<'_, PyAny>, number: c_int) -> PyErr {
    let py = object.py();
    let dtype = object.getattr(interned!(py, "dtype")).ok();
    let order = dtype.as_ref().and_then(other_order);
    // What is viewed keeps its bytes, and so the order of these.
    let numbers = |what: &str, native: &str, kind: &str| match &order {
        None => format!("for {what}, pass array.view(\"{native}\")"),
        Some(order) => format!("for {what}, pass array.view(\"{order}{kind}\") to asarray, which copies them"),
    };
    let remedy = match number {
        13 => "it has no agreed form: pass array.astype(\"float64\")",
        16 => "it has no agreed form: pass array.astype(\"complex128\")",
        17 => "the elements are references to Python objects: pass array.astype(...) of a number type",
        19 => &numbers("the code points", "uint32", "u4"),
        20 if has_fields(object) => "it is a whole structure: pass one field, array[\"name\"]",
        18 | 20 => "for the bytes as they are, pass array.view(\"uint8\")",
        21 | 22 => &numbers("the numbers as they are", "int64", "i8"),
        _ => "pass array.astype(...) of a number type",
    };
    let dtype = dtype.and_then(|dtype| dtype.str().ok()).unwrap_or_else(|| PyString::new(py, "this dtype"));
    PyBufferError::new_err(format!("DLPack has no type for NumPy's {dtype}; {remedy}"))
}

/// NumPy's sign for the byte order of a dtype, where that is not this machine's.
fn other_order(dtype: &Bound<'_, PyAny>) -> Option<String> {
    let py = dtype.py();
    let is_native = dtype.getattr(interned!(py, "isnative")).and_then(|native| native.is_truthy()).unwrap_or(true);
    if is_native { None } else { dtype.getattr(interned!(py, "byteorder")).and_then(|order| order.extract()).ok() }
}

fn has_fields(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    let names = object.getattr(interned!(py, "dtype")).and_then(|dtype| dtype.getattr(interned!(py, "names")));
    names.is_ok_and(|names| !names.is_none())
}
