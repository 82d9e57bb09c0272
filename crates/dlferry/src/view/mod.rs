//! Stratum 3: looking at a tensor's elements, and the refusals of those who cannot be looked at.
//!
//! A [`TensorView`] borrows a tensor and reads its elements as [`Scalar`](crate::element::Scalar)s, whatever their
//! dtype. [`TensorView::typed`] checks the dtype once and gives a [`TypedView`], which reads elements of one Rust type
//! at any stride and alignment, and hands out slices where the layout is one. [`TypedViewMut`] also writes.
//!
//! Only memory that the host can read is read; for every other device there is an error and the pointer is not touched.
//!
//! # Examples
//!
//! ```
//! use dlferry::export::Export;
//!
//! let tensor = Export::writable(vec![1.0_f32, 2.0, 3.0, 4.0]).shape(&[2, 2]).finish()?;
//! let view = tensor.view().typed::<f32>()?;
//! assert_eq!(view.get(&[1, 0]), Some(3.0));
//! assert_eq!(view.as_slice()?, [1.0, 2.0, 3.0, 4.0]);
//! assert!(tensor.view().typed::<i64>().is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod typed;
mod untyped;

pub use error::ViewError;
pub use typed::{Iter, TypedView, TypedViewMut};
pub use untyped::{Scalars, SmallBits, TensorView};

#[cfg(test)]
mod tests;
