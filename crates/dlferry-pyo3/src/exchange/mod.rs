//! The C exchange API of DLPack 1.3: a table of C functions on a Python type, faster than `__dlpack__`.
//!
//! [`table_of`] finds the table of another library's type; [`Tensor`](crate::Tensor) has one of its own.

pub(crate) mod export;
pub(crate) mod import;
#[cfg(not(feature = "abi3"))]
mod known;

pub use import::{Table, table_of};
