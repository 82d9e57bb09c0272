//! Stratum 4: copying, when sharing is not possible or not wanted.
//!
//! | the source | new memory, in any order | memory that is there |
//! | --- | --- | --- |
//! | a tensor | [`to_contiguous`](crate::view::TensorView::to_contiguous), [`Tensor::copy_of`](crate::managed::Tensor::copy_of) | [`copy_into`] |
//! | one of a known type | [`to_vec`](crate::view::TypedView::to_vec) | [`copy_to`](crate::view::TypedView::copy_to) |
//! | what DLPack cannot describe: strides in bytes, the other byte order | [`Tensor::copy_strided`](crate::managed::Tensor::copy_strided) | [`Job::copy_strided_into`], [`Plan`] |
//!
//! All of them make a [`Plan`] and carry it out, but for a few elements, which are copied before a plan is made. A [`Job`] says how:
//! on how many threads, and who may stop it.
//!
//! # How a copy is made
//!
//! A plan drops axes of one element, turns the others so that the target is walked upwards, sorts them by the target's
//! strides and merges neighbors. What lies densest in the target and what lies densest in the source decide on the loop:
//!
//! * one run of bytes, or several: moved as they are;
//! * the same axis: elements are collected into a cache line, which is written at once (gaps, reversal, byte order);
//! * different axes: a transpose, by tiles of as many cache lines as a line has elements;
//! * a few interleaved channels on either side: bytes of some vectors are mixed into those of others;
//! * anything else: element by element, in blocks.
//!
//! Packed elements below a byte are copied as runs of bytes where they are that. Else their plan counts bits: runs are shifted,
//! and elements that lie apart have a byte each while they are moved, in a transpose too. So they go to and from tensors in which
//! each has a byte ([`Tensor::spread`](crate::managed::Tensor::spread), [`copy_into`]).
//!
//! Large copies write past the caches where the processor can, for a line that is written whole need not be read first. What
//! they will read they fetch some pages side by side, for memory is slower at one page after another; and a transpose puts
//! a block of lines together before it writes them, for it is slower where reads and writes take turns.
//! Vectors are those that the processor is found to have ([`Level`]); every level gives the same bytes.
//!
//! # Examples
//!
//! ```
//! use dlferry::copy::Order;
//! use dlferry::export::Export;
//! use dlferry::layout::Layout;
//!
//! // Columns of a matrix, backwards.
//! let layout = Layout::new(&[2, 3], &[1, -2])?;
//! let tensor = Export::read_only([0_u8, 1, 2, 3, 4, 5]).layout(layout, 4).finish()?;
//! let copy = tensor.view().to_contiguous(Order::C)?;
//! assert_eq!(copy.view().typed::<u8>()?.as_slice()?, [4, 2, 0, 5, 3, 1]);
//! assert_eq!(copy.descriptor().copied(), Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod into;
mod job;
mod kernel;
mod memory;
mod new;
mod order;
mod plan;
mod small;
mod spread;
mod strided;
#[cfg(feature = "threads")]
mod threads;
mod typed;

pub use error::CopyError;
pub use into::copy_into;
pub use job::Job;
pub use kernel::Level;
pub use memory::Memory;
pub use order::Order;
pub use plan::Plan;
pub use strided::Strided;
#[cfg(feature = "threads")]
pub use threads::{ignored_num_threads, num_threads, set_num_threads};

#[cfg(test)]
mod tests;
