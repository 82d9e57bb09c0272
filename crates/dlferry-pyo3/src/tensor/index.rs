//! `tensor[...]`: basic indexing, which always gives a view.

use dlferry::layout::Layout;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PySlice, PyTuple};

use super::Tensor;
use super::shape::view_of;
use crate::python::counted;

/// The view that an index selects.
pub(super) fn select(tensor: &Tensor, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let parts: Vec<Bound<'_, PyAny>> = match key.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => vec![key.clone()],
    };
    let mut cursor = Cursor { layout: tensor.shared.descriptor().layout().clone(), first: 0, axis: 0 };
    let ndim = cursor.layout.ndim();
    let used = parts.iter().filter(|part| !part.is_none() && !is_ellipsis(part)).count();
    if used > ndim {
        let (used, axes) = (counted(used, "index", "indices"), counted(ndim, "axis", "axes"));
        return Err(PyIndexError::new_err(format!("{used} for a tensor of {axes}")));
    }
    if parts.iter().filter(|part| is_ellipsis(part)).count() > 1 {
        return Err(PyIndexError::new_err("an index has at most one ellipsis"));
    }
    for part in &parts {
        if is_ellipsis(part) {
            cursor.axis = cursor.axis.saturating_add(ndim.saturating_sub(used));
        } else {
            cursor.apply(part)?;
        }
    }
    view_of(py, tensor, &cursor.layout, cursor.first)
}

fn is_ellipsis(part: &Bound<'_, PyAny>) -> bool {
    part.is_instance_of::<PyEllipsis>()
}

/// How far an index has been worked through.
struct Cursor {
    layout: Layout,
    /// Elements from the tensor's first to the view's.
    first: i64,
    axis: usize,
}

impl Cursor {
    fn apply(&mut self, part: &Bound<'_, PyAny>) -> PyResult<()> {
        if part.is_none() {
            self.layout = self.layout.with_axis(self.axis).ok_or_else(|| self.out_of_range(part))?;
            self.axis = self.axis.saturating_add(1);
            return Ok(());
        }
        let (layout, offset) = if let Ok(slice) = part.cast::<PySlice>() {
            let view = self.slice(slice)?;
            self.axis = self.axis.saturating_add(1);
            view
        } else {
            self.pick(part)?
        };
        self.layout = layout;
        self.first = self.first.checked_add(offset).ok_or_else(|| self.out_of_range(part))?;
        Ok(())
    }

    fn extent(&self) -> i64 {
        self.layout.shape().get(self.axis).copied().unwrap_or(0)
    }

    fn slice(&self, slice: &Bound<'_, PySlice>) -> PyResult<(Layout, i64)> {
        let indices = slice.indices(isize::try_from(self.extent())?)?;
        let start = usize::try_from(indices.start).unwrap_or(0);
        let step = i64::try_from(indices.step)?;
        let view = self.layout.slice_axis(self.axis, start, indices.slicelength, step);
        view.ok_or_else(|| PyIndexError::new_err("the slice reaches beyond the tensor"))
    }

    fn pick(&self, part: &Bound<'_, PyAny>) -> PyResult<(Layout, i64)> {
        // SAFETY: attached, and `part` is alive.
        let is_index = unsafe { ffi::PyIndex_Check(part.as_ptr()) } != 0;
        if !is_index || part.is_instance_of::<PyBool>() {
            return Err(PyTypeError::new_err(format!(
                "an index is made of integers, slices, ... and None, found {}; only these give a view",
                part.get_type()
            )));
        }
        let index: i64 = part.extract().map_err(|error: PyErr| {
            // Any other error is the index's own.
            if error.is_instance_of::<PyOverflowError>(part.py()) { self.out_of_range(part) } else { error }
        })?;
        let wrapped = if index < 0 { index.checked_add(self.extent()) } else { Some(index) };
        let wrapped = wrapped.and_then(|index| usize::try_from(index).ok());
        wrapped.and_then(|index| self.layout.index_axis(self.axis, index)).ok_or_else(|| self.out_of_range(part))
    }

    fn out_of_range(&self, part: &Bound<'_, PyAny>) -> PyErr {
        PyIndexError::new_err(format!(
            "index {part} is out of range for axis {} of extent {}",
            self.axis,
            self.extent()
        ))
    }
}
