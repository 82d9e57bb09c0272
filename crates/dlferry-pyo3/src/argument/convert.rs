//! Copies that fit, for arguments that asked for them.

use dlferry::abi::DLDataType;
use dlferry::copy::{Job, Order};
use dlferry::element::{Element, F8E3M4, F8E4M3, F8E4M3B11Fnuz, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0Fnu};
use dlferry::element::{FromScalar, Scalar};
use dlferry::export::Export;
use dlferry::layout::Layout;
use dlferry::managed::Tensor as Managed;
use dlferry::view::{TensorView, TypedView};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::error::IntoPyErr;

/// Copies elements as they are.
pub(super) fn copy(view: TensorView<'_>, order: Order) -> PyResult<Managed> {
    Job::new().to_contiguous(view, order).map_err(IntoPyErr::into_py_err)
}

/// Copies elements as values of `T`.
pub(super) fn convert<T: FromScalar>(view: TensorView<'_>, order: Order) -> PyResult<Managed> {
    if view.dtype() == T::DTYPE {
        return copy(view, order);
    }
    let values = values::<T>(view)?;
    let layout = Layout::c_contiguous(view.shape()).map_err(IntoPyErr::into_py_err)?;
    let copied = vector(values).layout(layout, 0).copied().finish().map_err(IntoPyErr::into_py_err)?;
    match order {
        Order::C | Order::K => Ok(copied),
        Order::F => copy(copied.view(), order),
    }
}

/// A converted vector is looked at and never written, whatever its elements are.
fn vector<T: Element>(values: Vec<T>) -> Export<Vec<T>> {
    Export::read_only(values)
}

/// All elements as values of `T`, in C order.
fn values<T: FromScalar>(view: TensorView<'_>) -> PyResult<Vec<T>> {
    match view.dtype() {
        DLDataType::BOOL => of(view.typed(), Scalar::Bool),
        DLDataType::I8 => of(view.typed::<i8>(), |value| Scalar::Int(value.into())),
        DLDataType::I16 => of(view.typed::<i16>(), |value| Scalar::Int(value.into())),
        DLDataType::I32 => of(view.typed::<i32>(), |value| Scalar::Int(value.into())),
        DLDataType::I64 => of(view.typed(), Scalar::Int),
        DLDataType::U8 => of(view.typed::<u8>(), |value| Scalar::UInt(value.into())),
        DLDataType::U16 => of(view.typed::<u16>(), |value| Scalar::UInt(value.into())),
        DLDataType::U32 => of(view.typed::<u32>(), |value| Scalar::UInt(value.into())),
        DLDataType::U64 => of(view.typed(), Scalar::UInt),
        DLDataType::F32 => of(view.typed::<f32>(), |value| Scalar::Float(value.into())),
        DLDataType::F64 => of(view.typed(), Scalar::Float),
        DLDataType::F8_E3M4 => of(view.typed::<F8E3M4>(), |value| Scalar::Float(value.to_f64())),
        DLDataType::F8_E4M3 => of(view.typed::<F8E4M3>(), |value| Scalar::Float(value.to_f64())),
        DLDataType::F8_E4M3B11FNUZ => of(view.typed::<F8E4M3B11Fnuz>(), |value| Scalar::Float(value.to_f64())),
        DLDataType::F8_E4M3FN => of(view.typed::<F8E4M3Fn>(), |value| Scalar::Float(value.to_f64())),
        DLDataType::F8_E4M3FNUZ => of(view.typed::<F8E4M3Fnuz>(), |value| Scalar::Float(value.to_f64())),
        DLDataType::F8_E5M2 => of(view.typed::<F8E5M2>(), |value| Scalar::Float(value.to_f64())),
        DLDataType::F8_E5M2FNUZ => of(view.typed::<F8E5M2Fnuz>(), |value| Scalar::Float(value.to_f64())),
        DLDataType::F8_E8M0FNU => of(view.typed::<F8E8M0Fnu>(), |value| Scalar::Float(value.to_f64())),
        dtype => collect(dtype, view.scalars().map_err(IntoPyErr::into_py_err)?),
    }
}

fn of<S: Element, T: FromScalar>(
    view: Result<TypedView<'_, S>, dlferry::view::ViewError>,
    scalar: impl Fn(S) -> Scalar,
) -> PyResult<Vec<T>> {
    let view = view.map_err(IntoPyErr::into_py_err)?;
    collect(S::DTYPE, view.iter().map(scalar))
}

fn collect<T: FromScalar>(found: DLDataType, scalars: impl ExactSizeIterator<Item = Scalar>) -> PyResult<Vec<T>> {
    let mut values = Vec::new();
    values
        .try_reserve_exact(scalars.len())
        .map_err(|_| pyo3::exceptions::PyMemoryError::new_err("no memory for a copy"))?;
    for scalar in scalars {
        values.push(T::from_scalar(scalar).ok_or_else(|| refusal(T::DTYPE, found, scalar))?);
    }
    Ok(values)
}

/// An integer that does not fit is a bad value; a kind of number that the other does not hold is the wrong kind.
#[cold]
fn refusal(wanted: DLDataType, found: DLDataType, scalar: Scalar) -> PyErr {
    match scalar {
        Scalar::Int(value) if is_integer(wanted) => {
            PyValueError::new_err(format!("{value} of an array of {found} does not fit {wanted}"))
        }
        Scalar::UInt(value) if is_integer(wanted) => {
            PyValueError::new_err(format!("{value} of an array of {found} does not fit {wanted}"))
        }
        _ => PyTypeError::new_err(format!(
            "wanted an array of {wanted} or of what converts to it, found one of {found}, whose values it does not hold"
        )),
    }
}

fn is_integer(dtype: DLDataType) -> bool {
    use dlferry::abi::DLDataTypeCode;

    matches!(dtype.code, DLDataTypeCode::INT | DLDataTypeCode::UINT)
}
