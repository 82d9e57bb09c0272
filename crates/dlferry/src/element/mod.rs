//! Stratum 1: which Rust type is which DLPack dtype, and what its bytes mean.
//!
//! - Constants and sizes of a [`DLDataType`](crate::abi::DLDataType): [`DLDataType::F32`](crate::abi::DLDataType::F32),
//!   [`item_bytes`](crate::abi::DLDataType::item_bytes).
//! - Names, both ways: its `Display`, and [`from_name`](crate::abi::DLDataType::from_name).
//! - Refusals: [`check_dtype`] holds dtypes that contradict themselves back; codes that nobody knows yet pass.
//! - [`Element`]: the Rust types whose memory is that of a dtype; those of other crates in [`interop`](crate::interop).
//! - [`notation`]: how the buffer protocol and the array interface write dtypes.
//! - [`Scalar`]: the value of one element of any dtype that has values, also those without a Rust type.
//!
//! # Examples
//!
//! ```
//! use dlferry::abi::DLDataType;
//! use dlferry::element::{Element, Scalar, check_dtype};
//!
//! assert_eq!(f32::DTYPE, DLDataType::F32);
//! assert_eq!(DLDataType::from_name("float8_e4m3fn"), Some(DLDataType::F8_E4M3FN));
//! assert_eq!(Scalar::decode(DLDataType::F8_E4M3FN, &[0x7e]), Some(Scalar::Float(448.0)));
//!
//! let bit = DLDataType { bits: 1, ..DLDataType::BOOL };
//! assert!(check_dtype(bit).is_err());
//! ```

mod check;
mod dtype;
mod element_trait;
mod family;
mod float8;
mod from_scalar;
mod minifloat;
mod name;
pub mod notation;
mod scalar;

pub use check::{DTypeError, check_dtype, dtype_fault};
#[cfg(any(feature = "half", feature = "num-complex"))]
pub(crate) use element_trait::numbers;
pub use element_trait::{Element, assert_element};
pub use float8::{F8E3M4, F8E4M3, F8E4M3B11Fnuz, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0Fnu};
pub use from_scalar::FromScalar;
pub use scalar::Scalar;

#[cfg(test)]
mod tests;
