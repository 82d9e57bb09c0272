//! Views with other axes: `reshape`, `permute_dims`, `squeeze` and their like.

use std::sync::OnceLock;

use dlferry::layout::Layout;
use dlferry::managed::DescribeError;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::Tensor;
use crate::error::CopyRequiredError;
use crate::integer::{integer, integers};
use crate::python::{counted, tuple_text};

/// The view of a tensor with another layout, `first` elements from its first.
pub(super) fn view_of(py: Python<'_>, tensor: &Tensor, layout: &Layout, first: i64) -> PyResult<Tensor> {
    // SAFETY: every caller derives the layout from the tensor's own, so its elements are among the tensor's.
    let shared = unsafe { tensor.shared.with_layout(layout, first) }.map_err(|error| {
        let is_within_byte = matches!(error, DescribeError::WithinByte { .. });
        let remedy = if is_within_byte { ": tensor.tolist() or tensor.numpy() has each of them by itself" } else { "" };
        PyBufferError::new_err(format!("{error}{remedy}"))
    })?;
    Ok(Tensor {
        shared,
        source: tensor.source,
        owner: tensor.owner.as_ref().map(|owner| owner.clone_ref(py)),
        shown: OnceLock::new(),
    })
}

/// `reshape(2, 3)` or `reshape((2, 3))`, one extent of which may be -1.
pub(super) fn reshape(tensor: &Tensor, py: Python<'_>, shape: &Bound<'_, PyTuple>) -> PyResult<Tensor> {
    let only = if shape.len() == 1 { shape.get_item(0)? } else { shape.clone().into_any() };
    let shape = one_or_more(&only, "a shape is made of integers")?;
    let layout = tensor.shared.descriptor().layout();
    let resolved = resolve(&shape, layout.size())?;
    match layout.reshaped(&resolved) {
        Some(layout) => view_of(py, tensor, &layout, 0),
        None => Err(CopyRequiredError::new_err(
            py,
            format!(
                "shape {} would need a copy, for the strides are {}: tensor.copy().reshape(...)",
                tuple_text(&resolved),
                tuple_text(layout.strides())
            ),
        )),
    }
}

/// An integer or a sequence of them; `TypeError` with the text for anything else.
fn one_or_more(value: &Bound<'_, PyAny>, text: &'static str) -> PyResult<Vec<i64>> {
    // Any other error is a bad value, or that of an integer's own code.
    let is_kind = |error: &PyErr| error.is_instance_of::<PyTypeError>(value.py());
    let read = integer(value)
        .map(|number| vec![number])
        .or_else(|error| if is_kind(&error) { integers(value) } else { Err(error) });
    read.map_err(|error| if is_kind(&error) { PyTypeError::new_err(text) } else { error })
}

/// The shape with -1 replaced, and as many elements as there are.
fn resolve(shape: &[i64], size: usize) -> PyResult<Vec<i64>> {
    let misfit = || {
        let elements = counted(size, "element", "elements");
        PyValueError::new_err(format!("{elements} cannot have shape {}", tuple_text(shape)))
    };
    let open = shape.iter().filter(|extent| **extent == -1).count();
    if open > 1 || shape.iter().any(|extent| *extent < -1) {
        return Err(PyValueError::new_err(format!(
            "shape {} is not one: at most one extent may be -1",
            tuple_text(shape)
        )));
    }
    let size = i64::try_from(size)?;
    let mut known = shape.iter().filter(|extent| **extent != -1);
    // A zero makes the product zero, whatever the others are.
    let known = if shape.contains(&0) {
        Some(0)
    } else {
        known.try_fold(1_i64, |product, extent| product.checked_mul(*extent))
    };
    let known = known.ok_or_else(misfit)?;
    let missing = match (open, size.checked_rem(known), size.checked_div(known)) {
        (0, _, _) if known == size => 1,
        (1, Some(0), Some(missing)) => missing,
        _ => return Err(misfit()),
    };
    Ok(shape.iter().map(|extent| if *extent == -1 { missing } else { *extent }).collect())
}

/// `permute_dims(2, 0, 1)` or `permute_dims((2, 0, 1))`.
pub(super) fn permute_dims(tensor: &Tensor, py: Python<'_>, axes: &Bound<'_, PyTuple>) -> PyResult<Tensor> {
    let only = if axes.len() == 1 { axes.get_item(0)? } else { axes.clone().into_any() };
    permuted(tensor, py, &one_or_more(&only, "axes are integers")?)
}

fn permuted(tensor: &Tensor, py: Python<'_>, axes: &[i64]) -> PyResult<Tensor> {
    let layout = tensor.shared.descriptor().layout();
    let ndim = layout.ndim();
    let wrapped = axes.iter().map(|axis| wrap(*axis, ndim)).collect::<PyResult<Vec<_>>>()?;
    let layout = layout.permuted(&wrapped).ok_or_else(|| {
        let all = counted(ndim, "axis", "axes");
        PyValueError::new_err(format!("axes {} are no permutation of {all}", tuple_text(axes)))
    })?;
    view_of(py, tensor, &layout, 0)
}

/// All axes in reverse.
pub(super) fn transposed(tensor: &Tensor, py: Python<'_>) -> PyResult<Tensor> {
    view_of(py, tensor, &tensor.shared.descriptor().layout().transposed(), 0)
}

/// The last two axes swapped.
pub(super) fn matrix_transposed(tensor: &Tensor, py: Python<'_>) -> PyResult<Tensor> {
    let ndim = i64::try_from(tensor.shared.descriptor().layout().ndim())?;
    let mut axes: Vec<i64> = (0..ndim).collect();
    match axes.as_mut_slice() {
        [.., one, other] => core::mem::swap(one, other),
        _ => {
            return Err(PyValueError::new_err(format!("mT needs at least two axes, and this tensor has {ndim}")));
        }
    }
    permuted(tensor, py, &axes)
}

/// Without the axes of extent 1 that are named, or all of them.
pub(super) fn squeeze(tensor: &Tensor, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>) -> PyResult<Tensor> {
    let mut layout = tensor.shared.descriptor().layout().clone();
    let ndim = layout.ndim();
    let mut axes: Vec<usize> = match axis {
        None => (0..ndim).filter(|axis| layout.shape().get(*axis) == Some(&1)).collect(),
        Some(axis) => one_or_more(axis, "axis is an integer or a tuple of them")?
            .into_iter()
            .map(|axis| wrap(axis, ndim))
            .collect::<PyResult<_>>()?,
    };
    axes.sort_unstable();
    axes.dedup();
    for axis in axes.into_iter().rev() {
        layout = layout.without_axis(axis).ok_or_else(|| {
            let extent = layout.shape().get(axis).copied().unwrap_or(0);
            PyValueError::new_err(format!("axis {axis} has extent {extent}; only axes of extent 1 can be squeezed"))
        })?;
    }
    view_of(py, tensor, &layout, 0)
}

/// With a new axis of extent 1 at a place.
pub(super) fn expand_dims(tensor: &Tensor, py: Python<'_>, axis: i64) -> PyResult<Tensor> {
    let layout = tensor.shared.descriptor().layout();
    let at = wrap(axis, layout.ndim().saturating_add(1))?;
    let layout = layout.with_axis(at).ok_or_else(|| PyValueError::new_err("the tensor has too many axes"))?;
    view_of(py, tensor, &layout, 0)
}

/// Repeated to a shape, read-only: the repeated elements are the same memory.
pub(super) fn broadcast_to(tensor: &Tensor, py: Python<'_>, shape: &[i64]) -> PyResult<Tensor> {
    let layout = tensor.shared.descriptor().layout();
    let wider = layout.broadcast_to(shape).ok_or_else(|| {
        PyValueError::new_err(format!(
            "shape {} cannot be broadcast to {}",
            tuple_text(layout.shape()),
            tuple_text(shape)
        ))
    })?;
    let view = view_of(py, tensor, &wider, 0)?;
    Ok(Tensor { shared: view.shared.to_read_only(), ..view })
}

/// An axis, counted from the end when negative.
fn wrap(axis: i64, ndim: usize) -> PyResult<usize> {
    let wrapped = if axis < 0 { i64::try_from(ndim).ok().and_then(|ndim| axis.checked_add(ndim)) } else { Some(axis) };
    wrapped.and_then(|axis| usize::try_from(axis).ok()).filter(|axis| *axis < ndim).ok_or_else(|| {
        let all = counted(ndim, "axis", "axes");
        PyValueError::new_err(format!("axis {axis} is out of range for {all}"))
    })
}
