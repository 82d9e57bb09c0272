//! `__array_interface__` and `__cuda_array_interface__`: arrays described by a dictionary.

pub(crate) mod export;
pub(crate) mod import;
