//! Crafted DLPack producers with counting deleters, for testing whatever consumes arrays.
//!
//! Real libraries only produce what they happen to produce. A consumer must also live with a NULL shape, a negative
//! extent, a version of the next decade, a deleter that is NULL and a producer that forgot what it was asked. Here
//! every field of the managed struct is settable, and everything that the consumer does with it is written down.
//!
//! # Examples
//!
//! ```
//! use dlferry_testing::Crafted;
//!
//! let recipe = Crafted::new(&[1, 2, 3, 4]).shape([2, 2]).strides([2, 1]).misalign(1);
//! let (managed, record) = recipe.build_versioned();
//!
//! // A consumer would stand here. This one only gives the tensor back.
//! // Sound: the struct was built above and nobody has deleted it.
//! let deleter = unsafe { (*managed.as_ptr()).deleter };
//! // Sound: the deleter is called once, with the pointer it belongs to.
//! unsafe { deleter.unwrap()(managed.as_ptr()) };
//!
//! assert_eq!(record.count(), 1);
//! assert!(record.calls()[0].original);
//! ```
//!
//! # Features
//!
//! - `python`: the Python module `dlferry_testing` (see the module `python`), and the state of the interpreter in each
//!   [`Call`].

mod managed;
mod memory;
#[cfg(feature = "python")]
pub mod python;
mod recipe;
mod record;

pub use recipe::{Crafted, PADDED_NDIM};
pub use record::{Call, Interpreter, Record, live, thread_id};

#[cfg(test)]
mod tests;
