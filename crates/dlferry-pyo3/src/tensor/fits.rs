//! What another library cannot take of a tensor, told before it fails in words of its own.

use dlferry::abi::DLDataType;
use dlferry::layout::Layout;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

use super::Tensor;
use crate::once::interned;
use crate::python::tuple_text;
use crate::read_only::Why;

/// Libraries whose arrays can always be written, and which take no notice of `READ_ONLY`.
const WRITERS: [&str; 2] = ["torch", "paddle"];
/// Libraries that take wide elements as narrow ones, and what to do.
const NARROWING: [(&str, &str); 2] =
    [("jax", "set jax_enable_x64, or convert the elements first"), ("mlx", "convert the elements first")];
/// Libraries whose arrays never run backwards.
const FORWARD: [&str; 1] = ["torch"];
/// Libraries whose arrays have no gaps and repeat nothing; their axes may be in any order.
const COMPACT: [&str; 1] = ["jax"];

/// Refuses to hand a tensor to a library that cannot have it as it is: read-only memory to one that would write it
/// (decision 5.1), strides to one that has no such strides. `library` is a module's name.
pub(super) fn check(py: Python<'_>, tensor: &Tensor, library: &str) -> PyResult<()> {
    let root = library.split('.').next().unwrap_or_default();
    let descriptor = tensor.shared.descriptor();
    let layout = descriptor.layout();
    // A copy of packed elements is packed, and those libraries have none.
    let is_packed = descriptor.dtype().is_sub_byte();
    let remedy = if is_packed { "tensor.numpy() has a byte for each element" } else { "hand on tensor.copy()" };
    if WRITERS.contains(&root) && descriptor.is_read_only() {
        let owner = tensor.owner.as_ref().map(|owner| owner.bind(py));
        let why = Why::of(py, descriptor, tensor.source, owner)?.reason(false);
        return Err(PyBufferError::new_err(format!(
            "the tensor is read-only, and {root} has no read-only arrays: {remedy} ({why})"
        )));
    }
    let refusal = layout_refusal(layout, root).map(|reason| PyBufferError::new_err(format!("{reason}: {remedy}")));
    refusal.map_or(Ok(()), Err)
}

/// Refuses an array into which a library cut the values: JAX, unless told otherwise, knows no elements of 64 bits, and MLX no
/// `float64`.
pub(super) fn check_narrowed(tensor: &Tensor, array: &Bound<'_, PyAny>, library: &str) -> PyResult<()> {
    let root = library.split('.').next().unwrap_or_default();
    let Some((_, remedy)) = NARROWING.iter().find(|(library, _)| *library == root) else { return Ok(()) };
    let dtype = tensor.shared.descriptor().dtype();
    let found = array.getattr(interned!(array.py(), "dtype"))?.str()?.to_string();
    let found = found.rsplit('.').next().unwrap_or_default();
    match DLDataType::from_name(found) {
        Some(narrow) if narrow.item_bits() < dtype.item_bits() => {
            Err(PyBufferError::new_err(format!("{root} makes {found} of {dtype}, which cuts the values: {remedy}")))
        }
        _ => Ok(()),
    }
}

/// Why no array of a library has such strides; `None` when some could.
pub(super) fn layout_refusal(layout: &Layout, root: &str) -> Option<String> {
    if FORWARD.contains(&root) && meaningful(layout).any(|(_, stride)| stride < 0) {
        return Some(format!(
            "the tensor has strides {}, and {root} has no negative strides",
            tuple_text(layout.strides())
        ));
    }
    if COMPACT.contains(&root) && !is_compact(layout) {
        return Some(format!(
            "the tensor has shape {} and strides {}, and arrays of {root} have no gaps, no repetitions and no negative \
            strides",
            tuple_text(layout.shape()),
            tuple_text(layout.strides())
        ));
    }
    None
}

/// Extents and strides of the axes whose stride means something; of none when there are no elements.
fn meaningful(layout: &Layout) -> impl Iterator<Item = (i64, i64)> {
    let is_empty = layout.is_empty();
    let axes = layout.shape().iter().copied().zip(layout.strides().iter().copied());
    axes.filter(move |(extent, _)| *extent > 1 && !is_empty)
}

/// Whether the elements fill their memory, in whatever order of the axes.
fn is_compact(layout: &Layout) -> bool {
    let mut axes: Vec<(i64, i64)> = meaningful(layout).collect();
    axes.sort_unstable_by_key(|(_, stride)| *stride);
    let mut wanted = Some(1_i64);
    axes.into_iter().all(|(extent, stride)| {
        let fits = wanted == Some(stride);
        wanted = stride.checked_mul(extent);
        fits
    })
}
