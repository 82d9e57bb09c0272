//! Why an argument is refused: one sentence, with what was wanted and what was found.

use core::fmt;

use dlferry::managed::Descriptor;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyTuple};

use super::require::{Dyn, Order};
use super::wanted::Wanted;
use crate::borrow::Kind;
use crate::error::{is_broken, mark_broken};
use crate::python::name_of_type;

/// The array is not as wanted.
#[cold]
pub(super) fn mismatch(wanted: &Wanted, found: &Descriptor) -> PyErr {
    PyTypeError::new_err(format!("wanted {wanted}, found {}", Found { wanted, found }))
}

/// The array must not be written.
#[cold]
pub(super) fn read_only(object: &Bound<'_, PyAny>, wanted: &Wanted, found: &Descriptor) -> PyErr {
    let why = if found.layout().has_overlap() { ", of which elements share memory" } else { "" };
    let kind = name_of_type(object);
    // The types of JAX's arrays live in another package.
    let remedy = if kind.starts_with("jaxlib.") || kind.starts_with("jax.") {
        String::from(
            "arrays of JAX are never written, copies neither: pass one of another library, such as numpy.array(x)",
        )
    } else {
        format!("pass a writable {kind}, such as a copy")
    };
    PyBufferError::new_err(format!("wanted {wanted}, found {}{why}: {remedy}", Found { wanted, found }))
}

/// The object is no array.
#[cold]
pub(super) fn no_array(object: &Bound<'_, PyAny>, wanted: &Wanted) -> PyErr {
    let kind = name_of_type(object);
    let is_number = object.is_instance_of::<PyFloat>() || object.is_instance_of::<PyInt>();
    let holds_numbers = is_number || object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    let remedy = if holds_numbers { ": make one of it first, with numpy.asarray or its like" } else { "" };
    PyTypeError::new_err(format!("wanted {wanted}, found an object of type {kind}, which is no array{remedy}"))
}

/// The object is an array that cannot be exchanged; `why` by its own account.
#[cold]
pub(super) fn not_exchanged(object: &Bound<'_, PyAny>, wanted: &Wanted, why: PyErr) -> PyErr {
    let py = object.py();
    let kind = name_of_type(object);
    let text = format!("wanted {wanted}, found an object of type {kind} that cannot be exchanged: {}", why.value(py));
    let error = PyBufferError::new_err(text);
    if is_broken(py, &why) {
        mark_broken(py, &error);
    }
    error.set_cause(py, Some(why));
    error
}

/// Others have borrowed memory of the array.
#[cold]
pub(super) fn borrowed(wanted: &Wanted, found: &Descriptor, taken: Kind) -> PyErr {
    let does = match taken {
        Kind::Shared => "reads",
        Kind::Exclusive => "writes",
    };
    // A copy of what is to be written would take the result.
    let remedy =
        if wanted.is_for_writing() { "pass a copy of the other, or an array of its own here" } else { "pass a copy" };
    PyBufferError::new_err(format!(
        "wanted {wanted}, found {} whose memory is borrowed: another argument, or a function that still runs, {does} it; \
         {remedy}",
        Found { wanted, found }
    ))
}

/// `a writable array of float32 with 2 axes in C order on cpu`.
impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_for_writing() { "a writable array" } else { "an array" })?;
        if let Some(dtype) = self.dtype {
            write!(f, " of {dtype}")?;
        }
        match self.ndim {
            ndim if ndim == Dyn => f.write_str(" with any number of axes")?,
            1 => f.write_str(" with 1 axis")?,
            ndim => write!(f, " with {ndim} axes")?,
        }
        if self.has_extents {
            self.write_extents(f)?;
        }
        match self.order {
            Order::Any => {}
            Order::C => f.write_str(" in C order")?,
            Order::F => f.write_str(" in F order")?,
        }
        write!(f, " on {}", self.devices)
    }
}

impl Wanted {
    fn write_extents(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.extents.iter().rposition(|extent| *extent != Dyn).map_or(0, |last| last.saturating_add(1));
        let shown = if self.ndim == Dyn { last } else { self.ndim };
        f.write_str(" of extents (")?;
        for (at, extent) in self.extents.iter().take(shown).enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            if *extent == Dyn { f.write_str("any")? } else { write!(f, "{extent}")? }
        }
        f.write_str(if self.ndim == Dyn { ", ...)" } else { ")" })
    }
}

/// What was found, in the words of what was wanted.
struct Found<'a> {
    wanted: &'a Wanted,
    found: &'a Descriptor,
}

/// `a read-only array of int64 with 2 axes of extents (3, 4) in F order on cpu`.
impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, layout) = (self.found, self.found.layout());
        f.write_str(match (self.wanted.is_for_writing(), found.is_read_only()) {
            (false, _) => "one",
            (true, true) => "a read-only one",
            (true, false) => "a writable one",
        })?;
        write!(f, " of {}", found.dtype())?;
        match layout.shape() {
            [] => f.write_str(" without axes")?,
            [extent] => write!(f, " with 1 axis of extent {extent}")?,
            shape => {
                write!(f, " with {} axes of extents (", shape.len())?;
                write_list(f, shape)?;
                f.write_str(")")?;
            }
        }
        match (layout.is_c_contiguous(), layout.is_f_contiguous()) {
            (true, true) => f.write_str(" in C and F order")?,
            (true, false) => f.write_str(" in C order")?,
            (false, true) => f.write_str(" in F order")?,
            (false, false) => {
                f.write_str(" in neither order, with strides (")?;
                write_list(f, layout.strides())?;
                f.write_str(if layout.ndim() == 1 { ",)" } else { ")" })?;
            }
        }
        write!(f, " on {}", found.device())
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, numbers: &[i64]) -> fmt::Result {
    numbers.iter().enumerate().try_for_each(|(at, number)| {
        f.write_str(if at == 0 { "" } else { ", " })?;
        write!(f, "{number}")
    })
}
