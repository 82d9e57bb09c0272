//! The buffer protocol, both ways: [`import`](import()) takes the memory of `bytes`, `bytearray`, `mmap`, `array.array`,
//! `ctypes` arrays and all else that lends a buffer; the export is what `memoryview(tensor)` gets.
//!
//! Without the feature `buffer` no object has one: the functions are there, and refuse.

#[cfg(not(feature = "buffer"))]
mod absent;
#[cfg(feature = "buffer")]
pub(crate) mod export;
#[cfg(feature = "buffer")]
mod import;

#[cfg(not(feature = "buffer"))]
use absent as import;

pub use import::import;
pub(crate) use import::{Flat, is_lent};
