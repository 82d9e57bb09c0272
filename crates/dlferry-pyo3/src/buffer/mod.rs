//! The buffer protocol: what `memoryview(tensor)` gets.

pub(crate) mod export;
mod format;

pub(crate) use format::format_of;
