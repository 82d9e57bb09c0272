//! The C exchange API of DLPack 1.3: a table of C functions on a Python type, faster than `__dlpack__`.
//!
//! [`import`](crate::protocol::import()) uses the table of another library's type; [`Tensor`](crate::Tensor) has one of its own.

pub(crate) mod export;
pub(crate) mod import;
#[cfg(not(feature = "abi3"))]
mod known;

pub(crate) use import::{Loan, Table, known_table, table_of};

/// Whether an error says that something cannot be exchanged: some tables do with a `RuntimeError` of the depths (rule E9), for
/// which their `__dlpack__` has better words, and so does NumPy before 2.5.
pub(crate) fn is_refusal(error: &pyo3::PyErr, py: pyo3::Python<'_>) -> bool {
    error.is_instance_of::<pyo3::exceptions::PyBufferError>(py)
        || error.is_instance_of::<pyo3::exceptions::PyRuntimeError>(py)
}
