//! NumPy's arrays, read and made through NumPy's own C structures: found at run time, when NumPy is there.
//!
//! NumPy is never linked and never imported to read an array: an object can only be one when somebody else has imported
//! it. What is known of NumPy's structures is checked against a probe before it is relied on; a NumPy of another kind is
//! spoken to through its `__dlpack__`, as any library.

mod array;
mod dtype;
mod exchange;
mod export;
mod import;
mod owned;
mod runtime;

pub use exchange::{disable_exchange_api, enable_exchange_api, exchange_api_enabled};
pub use export::{asarray, from_dlpack, to_dlpack};

#[cfg(feature = "buffer")]
pub(crate) use array::without_format;
pub(crate) use array::{Array, array, derived, is_one};
pub(crate) use exchange::is_ours;
pub(crate) use export::{spreads, to_ndarray, to_ndarray_unless_copied};
pub(crate) use import::{awkward, import, numbers, owner};
#[cfg(feature = "ndarray")]
pub(crate) use owned::MAX_AXES;
pub(crate) use owned::of_vec;
