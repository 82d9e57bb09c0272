//! A `#[pyclass]` of one's own that every library takes: `__dlpack__`, the C exchange API and the buffer protocol.
//!
//! The class says which tensor it has, by the trait [`Producer`]; the attribute [`producer`](macro@producer) above its
//! `#[pymethods]` gives it the methods. The tensor may be made when it is first asked for.
//!
//! # Examples
//!
//! ```no_run
//! use dlferry_pyo3::{Producer, Tensor, producer};
//! use pyo3::prelude::*;
//! use pyo3::sync::PyOnceLock;
//!
//! /// The squares of the first numbers, which are computed when somebody wants them.
//! #[pyclass(frozen)]
//! struct Squares {
//!     count: u32,
//!     values: PyOnceLock<Tensor>,
//! }
//!
//! impl Producer for Squares {
//!     fn tensor(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
//!         let (this, py) = (slf.get(), slf.py());
//!         let values = || Tensor::of((0..this.count).map(|n| u64::from(n).pow(2)).collect::<Vec<_>>());
//!         Ok(this.values.get_or_try_init(py, values)?.clone_ref(py))
//!     }
//! }
//!
//! #[producer]
//! #[pymethods]
//! impl Squares {
//!     #[new]
//!     fn new(count: u32) -> Self {
//!         Self { count, values: PyOnceLock::new() }
//!     }
//! }
//! ```
//!
//! In Python, `numpy.from_dlpack(Squares(4))` and `memoryview(Squares(4))` have the memory of the vector.

#[doc(hidden)]
pub mod attribute;

use pyo3::PyClass;
use pyo3::prelude::*;

use crate::tensor::Tensor;
use attribute::Attributed;

pub use dlferry_macros::producer;

/// A Python class that has a tensor.
///
/// The attribute [`producer`](macro@producer) makes the Python methods of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which tensor it has",
    label = "`dlferry_pyo3::Producer` is not implemented for `{Self}`",
    note = "`#[producer]` makes the Python methods; `impl Producer for {Self}` says what they export"
)]
pub trait Producer: PyClass {
    /// The tensor that is exported: asked for at each export, and at each question for the device.
    ///
    /// The same one each time, as [`Tensor::clone_ref`] gives it, or another one when the object has new contents; who
    /// took an older one keeps it.
    ///
    /// # Errors
    ///
    /// What this raises, the consumer gets.
    fn tensor(slf: &Bound<'_, Self>) -> PyResult<Tensor>;
}

/// What has a tensor to export: [`Tensor`] itself, and every [`Producer`] with the attribute.
pub(crate) trait Exporter: PyClass {
    /// Works on the tensor.
    fn with<R>(slf: &Bound<'_, Self>, action: impl FnOnce(&Tensor) -> PyResult<R>) -> PyResult<R>;
}

impl Exporter for Tensor {
    fn with<R>(slf: &Bound<'_, Self>, action: impl FnOnce(&Tensor) -> PyResult<R>) -> PyResult<R> {
        action(slf.get())
    }
}

impl<P: Attributed> Exporter for P {
    fn with<R>(slf: &Bound<'_, Self>, action: impl FnOnce(&Tensor) -> PyResult<R>) -> PyResult<R> {
        action(&P::export(slf)?)
    }
}
