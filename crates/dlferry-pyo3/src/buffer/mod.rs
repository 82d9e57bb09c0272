//! The buffer protocol, both ways: [`import`](import()) takes the memory of `bytes`, `bytearray`, `mmap`, `array.array`,
//! `ctypes` arrays and all else that lends a buffer; the export is what `memoryview(tensor)` gets.

pub(crate) mod export;
mod import;

pub(crate) use import::Flat;
pub use import::import;
