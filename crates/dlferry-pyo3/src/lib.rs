//! dlferry for `PyO3`: DLPack capsules, the Python protocol, the C exchange API and the buffer protocol.
//!
//! [`import`](protocol::import) takes an array of any library as a [`Tensor`]; a [`Tensor`] goes to any library. To
//! Python it is a class like `dlferry.Tensor`; each extension has its own, and adds it to its module when users shall see it.
//! Only those of `import dlferry` pickle.
//!
//! # Examples
//!
//! ```no_run
//! use dlferry_pyo3::protocol::{Request, import};
//! use dlferry_pyo3::Tensor;
//! use pyo3::prelude::*;
//!
//! /// The sum of any array of 32-bit floats, wherever it came from.
//! #[pyfunction]
//! fn total(array: &Bound<'_, PyAny>) -> PyResult<f32> {
//!     let tensor = import(array, &Request::default())?;
//!     let view = tensor.typed::<f32>(array.py())?;
//!     Ok(view.iter().sum())
//! }
//!
//! #[pymodule]
//! fn example(module: &Bound<'_, PyModule>) -> PyResult<()> {
//!     module.add_class::<Tensor>()?;
//!     module.add_function(wrap_pyfunction!(total, module)?)
//! }
//! ```
//!
//! # Soundness
//!
//! The functions here are safe relative to four assumptions about other people's code that no check can establish: a
//! producer's description is truthful; nobody outside writes memory while it is looked at; nobody frees or moves it
//! meanwhile; other extension modules are sound. `SAFETY.md` says what that covers and what is checked.

mod address;
pub mod argument;
mod asarray;
pub mod borrow;
pub mod buffer;
pub mod capsule;
mod copying;
mod device;
mod dtype;
mod error;
pub mod exchange;
pub mod integer;
mod interface;
mod memory;
pub mod numpy;
mod once;
pub mod producer;
pub mod protocol;
mod python;
mod read_only;
mod remedy;
pub mod result;
mod settle;
mod tensor;
pub mod trace;

pub use address::from_address;
pub use argument::{AnyView, AnyViewMut, Dyn, View, ViewMut};
pub use asarray::asarray;
#[cfg(feature = "threads")]
pub use copying::num_threads;
pub use dtype::DType;
pub use error::{CopyRequiredError, IntoPyErr};
pub use producer::{Producer, producer};
pub use result::{IntoTensor, Jax, Like, Memoryview, Numpy, Torch};
pub use tensor::{Source, Tensor, copyto};

pub use dlferry;

/// Holds the examples of the page, which are compiled with those of the documentation.
#[cfg(all(doctest, feature = "ndarray"))]
#[doc = include_str!("../../../docs/coming-from-rust-numpy.md")]
struct ComingFromRustNumpy;
