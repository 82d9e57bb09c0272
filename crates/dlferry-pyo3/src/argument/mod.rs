//! Arrays of any library as arguments of Rust functions: checked before the function runs, and not copied.
//!
//! [`View`] for reading, [`ViewMut`] for writing, [`AnyView`] and [`AnyViewMut`] for any dtype. `Option<View<...>>` takes
//! None as well. What more is wanted of an array than elements and rank is said by their last parameter, see [`require`].
//!
//! # Examples
//!
//! ```no_run
//! use dlferry_pyo3::{View, ViewMut};
//! use pyo3::prelude::*;
//!
//! /// Writes a multiple of one array to another: of NumPy, PyTorch, JAX, `bytearray`, whatever there is.
//! #[pyfunction]
//! fn scale(x: View<'_, f32, 2>, mut out: ViewMut<'_, f32, 2>, by: f32) -> PyResult<()> {
//!     let values: Vec<f32> = x.iter().map(|value| value * by).collect();
//!     out.copy_from(&values)
//! }
//! ```
//!
//! In Python:
//!
//! ```text
//! >>> scale(numpy.zeros((2, 3)), out, 2.0)
//! TypeError: argument 'x': wanted an array of float32 with 2 axes on cpu, found one of float64 with 2 axes of extents
//! (2, 3) in C order on cpu
//! >>> scale(x, x, 2.0)
//! BufferError: wanted a writable array of float32 with 2 axes on cpu, found a writable one of float32 with 2 axes of
//! extents (2, 3) in C order on cpu whose memory is borrowed: another argument, or a function that still runs, reads it;
//! pass a copy of the other, or an array of its own here
//! ```
//!
//! # How an array comes
//!
//! By the first way that does not refuse: the structure of NumPy's array; the tensor that an exchange table lends; the
//! managed tensor of the table or of `__dlpack__`; the buffer. Shape and strides are copied then and there. The object is
//! held until the view is dropped. [`borrow`](crate::borrow) tells how reading and writing are kept apart.
//!
//! # Element types
//!
//! All of [`Element`](dlferry::element::Element): integers, floats, `bool`, the 8-bit floats, types of your own.

mod any;
mod any_mut;
mod convert;
mod held;
#[cfg(feature = "ndarray")]
mod ndarray;
mod refusal;
pub mod require;
mod view;
mod view_mut;
mod wanted;
mod ways;

#[cfg(feature = "ndarray")]
pub use self::ndarray::{Axes, HasDimension};
pub use any::AnyView;
pub use any_mut::AnyViewMut;
pub use require::{
    AnyDevice, COrder, Convert, Cpu, Cuda, Dyn, Extents, FOrder, Metal, OnDevice, OnHost, Requirement, Rocm,
};
pub use view::View;
pub use view_mut::ViewMut;
