//! Array exchange for Rust: DLPack 1.3 and its unversioned struct, sound by construction, without a dependency.
//!
//! A tensor that another library made arrives as a pointer to a C struct. This crate checks what the struct says,
//! owns it, and lets its elements be looked at; and it makes such structs of data that Rust owns. Python is elsewhere:
//! `dlferry-pyo3` builds on this crate.
//!
//! | I have | I want | see |
//! | --- | --- | --- |
//! | a `Vec`, an `Arc`, an owner of my own | a tensor for others | [`export::Export`] |
//! | a `DLManagedTensorVersioned *` from C | a tensor that is checked and freed once | [`managed::Tensor`] |
//! | a tensor | its elements | [`view`] |
//! | an array of the crate `ndarray` | a tensor, or the other way round | [`interop`] |
//! | a tensor with awkward strides | a contiguous copy | [`copy`] |
//!
//! # Strata
//!
//! Each module uses only those above it in this list, and a test holds that: [`abi`] declares the C structs;
//! [`layout`] calculates with shapes and strides and never touches a pointer, [`element`] knows dtypes and values;
//! [`managed`] owns, and reads foreign fields; [`view`] looks, [`export`] produces; [`copy`] copies, and [`interop`]
//! knows the types of other crates.
//!
//! # Soundness
//!
//! Safe functions never lead to undefined behaviour, whatever safe code does with them. What cannot be checked is
//! asked for by the `unsafe` functions of [`managed`], as numbered conditions, and nowhere else. The repository's
//! `SAFETY.md` tells which promise is shown by which test.
//!
//! # Features
//!
//! * `std` (default): a panic in an owner's destructor is caught before it could leave the deleter. Without it the
//!   crate is `no_std` with `alloc`, and such a panic aborts the process.
//! * `ndarray`, `half`, `num-complex`: arrays and numbers of these crates, see [`interop`].
//! * `threads`: large copies are shared between threads.

#![no_std]
#![deny(clippy::alloc_instead_of_core, clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod abi;
pub mod copy;
pub mod element;
pub mod export;
pub mod interop;
pub mod layout;
pub mod managed;
pub mod view;

/// Holds the README's examples, which run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
