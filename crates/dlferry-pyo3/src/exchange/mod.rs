//! The C exchange API of DLPack 1.3: a table of C functions on a Python type, faster than `__dlpack__`.
//!
//! [`import`] uses the table of another library's type; [`export`] is the table of [`Tensor`](crate::Tensor).

pub(crate) mod export;
pub(crate) mod import;

pub use import::{Table, table_of};
