//! Stratum 3: producing managed tensors.
//!
//! [`Export`] makes a [`Tensor`](crate::managed::Tensor) of data that Rust owns: no `unsafe`, no copy. The owner is
//! moved into its final place first and only then borrowed, once, for the address of its elements; from there on it is
//! left alone until the deleter drops it. So data that lives *inside* the owner (an array, a small vector) has a
//! stable address too.
//!
//! Struct, owner, shape and strides share one allocation.
//!
//! # Examples
//!
//! ```
//! use dlferry::abi::DLManagedTensorVersioned;
//! use dlferry::export::Export;
//!
//! // Two rows of three, writable by whoever takes it.
//! let tensor = Export::writable(vec![0_i64, 1, 2, 3, 4, 5]).shape(&[2, 3]).finish()?;
//! assert_eq!(tensor.descriptor().strides(), [3, 1]);
//!
//! // The same for a C consumer: it owns the struct and calls the deleter.
//! let managed = tensor.into_managed::<DLManagedTensorVersioned>()?;
//! # // SAFETY: made one line above, and handed to nobody else.
//! # drop(unsafe { dlferry::managed::Tensor::from_raw_versioned(managed) }?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod builder;
mod error;
mod owner;
mod reexport;
mod release;

pub use builder::Export;
pub use error::ExportError;
pub use owner::{Owner, OwnerMut};
pub use release::{AtOnce, Last, Release};

#[cfg(test)]
mod tests;
