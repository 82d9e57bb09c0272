//! Stratum 2: ownership of managed tensors, and the one place where foreign fields are read.
//!
//! A managed tensor arrives as a pointer to a [`DLManagedTensorVersioned`](crate::abi::DLManagedTensorVersioned) or a
//! [`DLManagedTensor`](crate::abi::DLManagedTensor). Two questions are answered here, apart from each other:
//!
//! * *What is it?* [`describe`] reads each field once, checks it and copies it into a [`Descriptor`]. Everything later
//!   works on that copy; a producer that changes its struct afterwards changes nothing here.
//! * *Whose is it?* [`Handle`] owns the struct and calls its deleter exactly once.
//!
//! A [`Tensor`] is both together. The two C structs share all code through the sealed trait [`ManagedStruct`].
//!
//! # What a caller vouches for
//!
//! Reading a pointer that somebody else made can never be checked in full. Every `unsafe fn` here names which of these
//! numbered conditions it asks for:
//!
//! 1. The pointer points to a live managed struct of the named kind, and nobody else frees or changes it meanwhile.
//! 2. When its major version is 1: `shape`, and `strides` unless NULL, point to `ndim` readable integers.
//! 3. When its major version is 1: the memory that the fields describe is readable, and writable unless the struct
//!    says read-only, until the deleter runs, as far as the device is one that the host can read.
//! 4. The struct is handed over: nobody but the new owner calls the deleter, and it may be called on any thread.
//! 5. While a view of the tensor exists nobody writes the memory; while a mutable view exists nobody else reads it.
//!
//! Not asked for, because checked: version, signs, overflow, NULL pointers, dtype, alignment.

mod counted;
mod describe;
mod descriptor;
mod error;
mod handle;
mod structs;
mod sync;
mod tensor;

pub use describe::{Prototype, describe, describe_borrowed, describe_prototype};
pub use descriptor::{Descriptor, Outline, Strides};
pub use error::DescribeError;
pub use handle::{Handle, Keeping};
pub use structs::{Fields, ManagedStruct};
pub use tensor::{SharedTensor, Tensor};

#[cfg(test)]
mod tests;
