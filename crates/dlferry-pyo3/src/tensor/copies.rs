//! Private copies of a tensor, and copies into memory that is there.

use dlferry::copy::Order;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Tensor;
use crate::asarray::asarray;
use crate::copying::{self, copying};
use crate::protocol::Request;

pub(super) fn copy(tensor: &Tensor, py: Python<'_>, order: &str) -> PyResult<Tensor> {
    let order = match order {
        "C" => Order::C,
        "F" => Order::F,
        "K" => Order::K,
        other => {
            return Err(PyValueError::new_err(format!("order={other:?}: wanted \"C\", \"F\" or \"K\"")));
        }
    };
    in_order(py, tensor, order)
}

/// A copy that is read-only where the tensor is, for `copy.deepcopy`.
pub(super) fn deep(tensor: &Tensor, py: Python<'_>) -> PyResult<Tensor> {
    let copy = in_order(py, tensor, Order::K)?;
    let shared = if tensor.shared.descriptor().is_read_only() { copy.shared.to_read_only() } else { copy.shared };
    Ok(Tensor { shared, source: copy.source, owner: None })
}

fn in_order(py: Python<'_>, tensor: &Tensor, order: Order) -> PyResult<Tensor> {
    let copy = copying::in_order(py, tensor.shared.view(), order)?;
    Ok(Tensor::new(copy.into_shared(), tensor.source, None))
}

/// Copies the elements of one array into the memory of another, as if through a temporary: what `dlferry.copyto` does.
///
/// Both may be of any library; `source` is broadcast to the shape of `target`, and the dtypes are equal.
///
/// # Errors
///
/// `BufferError` when an array cannot be taken or the target is read-only, `CopyRequiredError` when the target's memory
/// cannot be shared, `TypeError` for unequal dtypes, `ValueError` for shapes that do not fit.
pub fn copyto(target: &Bound<'_, PyAny>, source: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = target.py();
    let target = asarray(target, &Request { copy: Some(false), ..Request::default() })?;
    let source = asarray(source, &Request::default())?;
    let (target, source) = (target.shared.descriptor(), source.shared.view());
    // SAFETY: the memory may be written, for the target's producer says so (assumption P1), and nobody else looks at it
    // meanwhile (assumption P2).
    copying(py, target.nbytes(), |job| unsafe { job.copy_into(target, source) })
}
