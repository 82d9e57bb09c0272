//! Crafted DLPack producers with counting deleters, for testing whatever consumes arrays.
//!
//! Real libraries only produce what they happen to produce. A consumer must also live with a NULL shape, a negative
//! extent, a version of the next decade, a deleter that is NULL and a producer that forgot what it was asked. Here
//! every field of the managed struct is settable, and everything that the consumer does with it is written down. [`Crafted`] is where to begin.
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
pub use record::{Call, Interpreter, Record, Totals, live, thread_id, totals};

#[cfg(test)]
mod tests;
