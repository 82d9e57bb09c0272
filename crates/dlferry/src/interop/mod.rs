//! Stratum 4: arrays and numbers of other crates, each behind a feature of its name.
//!
//! * `ndarray`: [`TypedView::as_array`](crate::view::TypedView) lends a tensor's elements as an array view, whatever their
//!   strides; an array that owns its elements becomes a tensor by `Tensor::try_from` or `Export::array`.
//! * `half`: `f16` and `bf16` are [`Element`](crate::element::Element)s.
//! * `num-complex`: `Complex<f32>` and `Complex<f64>` are; with `half` also `Complex<f16>` and `Complex<bf16>`.

#[cfg(feature = "num-complex")]
mod complex;
#[cfg(feature = "half")]
mod half;
#[cfg(feature = "ndarray")]
pub mod ndarray;

#[cfg(test)]
mod tests;
