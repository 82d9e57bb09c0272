//! Arrays of the crate `ndarray`: tensors lent as array views, and arrays exported as tensors.
//!
//! | I have | I want | see |
//! | --- | --- | --- |
//! | a [`TypedView`](crate::view::TypedView) | an `ArrayView` over its memory | `as_array` |
//! | a [`TypedViewMut`](crate::view::TypedViewMut) | an `ArrayViewMut` over its memory | `as_array_mut` |
//! | a [`TypedView`](crate::view::TypedView), whatever its alignment | an `Array` of its own | `to_array` |
//! | an `Array` | a tensor that owns it, writable | `Tensor::try_from`, [`Export::array`](crate::export::Export) |
//! | an `ArcArray` | a tensor that shares it, read-only | `Tensor::try_from` |
//! | an address, extents and strides | an `ArrayView` | [`view`], [`view_mut`] |
//!
//! Strides of any kind are kept: negative ones, zeros of a broadcast, those of a column of a matrix. An array without
//! elements has any extents, one without axes has one element.
//!
//! # Examples
//!
//! ```
//! use dlferry::export::Export;
//! use dlferry::managed::Tensor;
//! use ndarray::{Array2, Ix2, array};
//!
//! // An array becomes a tensor, in the order in which its elements lie.
//! let tensor = Tensor::try_from(array![[1.0_f32, 2.0], [3.0, 4.0], [5.0, 6.0]].reversed_axes())?;
//! assert_eq!((tensor.descriptor().shape(), tensor.descriptor().strides()), (&[2, 3][..], &[1, 2][..]));
//!
//! // A tensor is looked at as an array.
//! let elements = tensor.view().typed::<f32>()?;
//! let columns = elements.as_array::<Ix2>()?;
//! assert_eq!(columns.sum_axis(ndarray::Axis(1)), array![9.0, 12.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod export;
mod parts;
mod view;

pub use view::{view, view_mut};
