//! The Python protocol: `__dlpack__`, `__dlpack_device__` and what `from_dlpack` makes of them.
//!
//! [`import`](import()) is `dlferry.from_dlpack`; its mirror, the export, answers `Tensor.__dlpack__`.

mod call;
pub(crate) mod export;
mod import;
mod request;
pub(crate) mod values;

pub use import::{import, import_object};
pub(crate) use import::{source_of, take};
pub use request::Request;

/// Reads a `device` argument: `"cpu"`, or a pair of integers such as `(2, 0)`.
///
/// # Errors
///
/// `ValueError` for another string, `TypeError` for anything else.
pub fn device(argument: &pyo3::Bound<'_, pyo3::PyAny>) -> pyo3::PyResult<dlferry::abi::DLDevice> {
    crate::device::from_argument(argument)
}
