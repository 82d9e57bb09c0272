//! `view(dtype)`: the same bytes as elements of another type.

use std::sync::OnceLock;

use dlferry::abi::DLDataType;
use dlferry::layout::Layout;
use dlferry::managed::Descriptor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Tensor;
use crate::error::{CopyRequiredError, IntoPyErr};
use crate::python::counted;

/// The tensor with its bytes read as another type. Where the sizes differ, the last axis shrinks or grows, and must be
/// without gaps.
pub(crate) fn view(tensor: &Tensor, py: Python<'_>, dtype: DLDataType) -> PyResult<Tensor> {
    let descriptor = tensor.shared.descriptor();
    let padded = descriptor.fields().padded && dtype.is_sub_byte();
    let (old, new) = (descriptor.storage_bits(), if padded { 8 } else { dtype.item_bits() });
    let layout = rescaled(py, descriptor, i64::from(old), i64::from(new))?;
    let fields = dlferry::managed::Fields { padded, ..descriptor.fields() };
    let (data, offset, device) = (descriptor.data(), descriptor.byte_offset(), descriptor.device());
    let view =
        Descriptor::with_byte_offset(data, offset, device, dtype, layout, fields).map_err(IntoPyErr::into_py_err)?;
    // SAFETY: the same bytes, read-only where the tensor is; every dtype is read as any bytes.
    let shared = unsafe { tensor.shared.with_descriptor(view) };
    Ok(Tensor {
        shared,
        source: tensor.source,
        owner: tensor.owner.as_ref().map(|owner| owner.clone_ref(py)),
        shown: OnceLock::new(),
    })
}

/// Extents and strides counted in elements of `new` bits in place of `old`.
fn rescaled(py: Python<'_>, descriptor: &Descriptor, old: i64, new: i64) -> PyResult<Layout> {
    let layout = descriptor.layout();
    if old == new {
        return Ok(layout.clone());
    }
    // A number of elements of the old size as one of elements of the new.
    let divide = |count: i64, what: &str| {
        let bits = count.checked_mul(old);
        match bits.map(|bits| (bits.checked_rem(new), bits.checked_div(new))) {
            Some((Some(0), Some(count))) => Ok(count),
            _ => Err(PyValueError::new_err(format!(
                "{what} {} of {} does not divide into elements of {}",
                counted(count, "element", "elements"),
                counted(old, "bit", "bits"),
                counted(new, "bit", "bits")
            ))),
        }
    };
    let mut shape = layout.shape().to_vec();
    let mut strides = layout.strides().to_vec();
    let (Some(extent), Some((last, outer))) = (shape.last_mut(), strides.split_last_mut()) else {
        return Err(PyValueError::new_err(format!(
            "an element of {} without an axis is not read as elements of {}: tensor.reshape(1).view(...)",
            counted(old, "bit", "bits"),
            counted(new, "bit", "bits")
        )));
    };
    if *extent > 1 && *last != 1 && !layout.is_empty() {
        return Err(CopyRequiredError::new_err(
            py,
            format!(
                "the last axis has stride {last}; bytes can be regrouped only where it is 1: tensor.copy().view(...)"
            ),
        ));
    }
    *extent = divide(*extent, "a last axis of")?;
    *last = 1;
    for (stride, extent) in outer.iter_mut().zip(layout.shape()) {
        let meaningless = *extent <= 1 || layout.is_empty();
        *stride = if meaningless { 0 } else { divide(*stride, "a stride of")? };
    }
    Layout::new(&shape, &strides).map_err(IntoPyErr::into_py_err)
}
