//! The elements of a tensor as plain bytes.

use std::sync::OnceLock;

use dlferry::abi::DLDataType;
use dlferry::copy::Order;
use dlferry::layout::Layout;
use dlferry::managed::{Descriptor, Fields};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Tensor;
use super::copies::{in_order, order_of};
use crate::error::IntoPyErr;

/// The elements as a `bytes` object.
pub(super) fn tobytes<'py>(tensor: &Tensor, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyBytes>> {
    let flat = in_one_run(tensor, py, order_of(order)?)?;
    let view = flat.shared.view().typed::<u8>().map_err(IntoPyErr::into_py_err)?;
    Ok(PyBytes::new(py, view.as_slice().map_err(IntoPyErr::into_py_err)?))
}

/// All elements as one run of bytes, in an order: the tensor's own memory when they lie so and end with a byte. What is behind
/// the last packed element is nobody's value, and zero in a copy.
pub(super) fn in_one_run(tensor: &Tensor, py: Python<'_>, order: Order) -> PyResult<Tensor> {
    let descriptor = tensor.shared.descriptor();
    let layout = descriptor.layout();
    let bits = u32::try_from(layout.size() % 8).unwrap_or(0).checked_mul(descriptor.storage_bits());
    let ends_with_byte = bits.is_some_and(|bits| bits % 8 == 0);
    let lies_so = ends_with_byte
        && match order {
            Order::C => layout.is_c_contiguous(),
            Order::F => layout.is_f_contiguous(),
            Order::K => layout.is_c_contiguous() || layout.is_f_contiguous(),
        };
    let copy = if lies_so { None } else { Some(in_order(tensor, py, order)?) };
    let whole = copy.as_ref().unwrap_or(tensor);
    let descriptor = whole.shared.descriptor();
    let layout = Layout::c_contiguous(&[i64::try_from(descriptor.nbytes())?]).map_err(IntoPyErr::into_py_err)?;
    let fields = Fields { padded: false, ..descriptor.fields() };
    let bytes = Descriptor::new(descriptor.data(), descriptor.device(), DLDataType::U8, layout, fields);
    // SAFETY: the bytes that the elements occupy, which have no gaps in either case; read-only where the tensor is.
    let shared = unsafe { whole.shared.with_descriptor(bytes.map_err(IntoPyErr::into_py_err)?) };
    Ok(Tensor {
        shared,
        source: whole.source,
        owner: whole.owner.as_ref().map(|owner| owner.clone_ref(py)),
        shown: OnceLock::new(),
    })
}
