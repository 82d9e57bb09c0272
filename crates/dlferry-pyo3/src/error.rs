//! The one table that says which fault is which Python exception (decision 5.10).
//!
//! `BufferError`: it cannot be exchanged. `TypeError`: the wrong kind of argument. `ValueError`: a bad value.
//! `MemoryError`: no memory. A producer's own exception never passes through here; it goes on unchanged.

use core::ptr;

use dlferry::copy::CopyError;
use dlferry::export::ExportError;
use dlferry::layout::LayoutError;
use dlferry::managed::DescribeError;
use dlferry::view::ViewError;
use pyo3::exceptions::{PyBufferError, PyException, PyMemoryError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::once::{Once, interned};

/// A fault of the core crate on its way to Python.
pub trait IntoPyErr {
    /// The Python exception for the fault.
    fn into_py_err(self) -> PyErr;
}

impl IntoPyErr for DescribeError {
    fn into_py_err(self) -> PyErr {
        let text = self.to_string();
        if denies_memory(&self) { broken(text) } else { PyBufferError::new_err(text) }
    }
}

/// Whether the fault is of the memory that is described, and not of what one way of describing has no words for.
fn denies_memory(fault: &DescribeError) -> bool {
    match fault {
        DescribeError::NegativeNdim { .. }
        | DescribeError::NullShape { .. }
        | DescribeError::MisalignedDims { .. }
        | DescribeError::NullData { .. }
        | DescribeError::AddressOverflow { .. } => true,
        DescribeError::Layout(fault) => !matches!(fault, LayoutError::PartialStride { .. }),
        _ => false,
    }
}

/// The refusal of an array whose memory cannot be as its producer says. Other ways to it lead to the same memory, so none is
/// tried: some do not look, and would hand on what is not there.
pub(crate) fn broken(text: String) -> PyErr {
    let error = PyBufferError::new_err(text);
    let _gone = Python::try_attach(|py| mark_broken(py, &error));
    error
}

/// Makes a refusal one of those that [`is_broken`] tells.
pub(crate) fn mark_broken(py: Python<'_>, error: &PyErr) {
    if let Err(failure) = error.value(py).setattr(interned!(py, "_is_broken"), true) {
        failure.write_unraisable(py, None);
    }
}

/// Whether an error is the refusal of an array whose memory cannot be as its producer says.
pub(crate) fn is_broken(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyBufferError>(py)
        && error.value(py).getattr_opt(interned!(py, "_is_broken")).is_ok_and(|mark| mark.is_some())
}

impl IntoPyErr for LayoutError {
    fn into_py_err(self) -> PyErr {
        PyValueError::new_err(self.to_string())
    }
}

impl IntoPyErr for ExportError {
    fn into_py_err(self) -> PyErr {
        let text = self.to_string();
        match self {
            Self::OutOfMemory { .. } => PyMemoryError::new_err(text),
            Self::OutOfBounds { .. } | Self::Layout(_) => PyValueError::new_err(text),
            _ => PyBufferError::new_err(text),
        }
    }
}

impl IntoPyErr for CopyError {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::OutOfMemory { .. } => PyMemoryError::new_err(self.to_string()),
            Self::Export(error) => error.into_py_err(),
            Self::DType { .. } => PyTypeError::new_err(self.to_string()),
            Self::Shape { .. } => PyValueError::new_err(self.to_string()),
            _ => PyBufferError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for ViewError {
    fn into_py_err(self) -> PyErr {
        let text = self.to_string();
        match self {
            Self::DType { .. } | Self::Rank { .. } | Self::NotContiguous => PyTypeError::new_err(text),
            Self::InvalidValue { .. } => PyValueError::new_err(text),
            _ => PyBufferError::new_err(text),
        }
    }
}

/// `dlferry.CopyRequiredError`: a copy would be needed, and `copy=False` forbids it.
///
/// The array-API standard names `BufferError` in one place and `ValueError` in another, so it is both (rule R9.1).
#[derive(Debug)]
pub struct CopyRequiredError(());

impl CopyRequiredError {
    /// The exception class.
    ///
    /// # Errors
    ///
    /// Whatever making the class raised.
    pub fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
        static CLASS: Once<Py<PyType>> = Once::new();
        let class = CLASS.get_or_try_init(py, || {
            let bases = PyTuple::new(py, [py.get_type::<PyBufferError>(), py.get_type::<PyValueError>()])?;
            let doc = c"A copy would be needed, and copy=False forbids it.";
            let name = c"dlferry.CopyRequiredError";
            let new_class = ffi::PyErr_NewExceptionWithDoc;
            // SAFETY: attached; C strings, a tuple of classes, and NULL for no dictionary.
            let class = unsafe { new_class(name.as_ptr(), doc.as_ptr(), bases.as_ptr(), ptr::null_mut()) };
            // SAFETY: a new reference, or NULL with an exception set.
            let class = unsafe { Bound::from_owned_ptr_or_err(py, class) }?;
            Ok::<_, PyErr>(class.cast_into::<PyType>()?.unbind())
        })?;
        Ok(class.bind(py))
    }

    /// An exception with a message.
    #[must_use]
    pub fn new_err(py: Python<'_>, message: String) -> PyErr {
        match Self::class(py) {
            Ok(class) => PyErr::from_type(class.clone(), message),
            Err(error) => error,
        }
    }
}

/// Runs `action` with the pending exception, if any, put aside, and brings it back afterwards.
///
/// Capsule destructors and deleters may run while an exception is on its way (rules R2.15 and R2.16), and what they
/// call must neither see it nor lose it.
#[allow(deprecated, reason = "the newer functions are absent before CPython 3.12; these work in all")]
pub(crate) fn with_exception_aside<R>(_py: Python<'_>, action: impl FnOnce() -> R) -> R {
    // The C functions, for pyo3's own way of fetching resumes a panic that is on its way as an exception.
    let (mut kind, mut value, mut trace) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: attached; three places to write to. Fetches NULLs when nothing is pending.
    unsafe { ffi::PyErr_Fetch(&raw mut kind, &raw mut value, &raw mut trace) };
    let result = action();
    // SAFETY: attached.
    if !unsafe { ffi::PyErr_Occurred() }.is_null() {
        // SAFETY: attached; NULL is allowed. Clears the exception.
        unsafe { ffi::PyErr_WriteUnraisable(ptr::null_mut()) };
    }
    // SAFETY: attached; gives back the references fetched above; all NULL means no exception.
    unsafe { ffi::PyErr_Restore(kind, value, trace) };
    result
}

/// An exception of somebody else's with a note behind it; it stays what it is. Before 3.11 Python has no notes.
pub(crate) fn with_note(py: Python<'_>, error: PyErr, note: &str) -> PyErr {
    // An exception that takes none goes without.
    let _refused = error.value(py).call_method1(interned!(py, "add_note"), (note,));
    error
}

/// What a panic in a C callback becomes.
pub(crate) fn panicked() -> PyErr {
    PyException::new_err("dlferry panicked; this is a bug, please report it")
}
