//! Whether elements lie next to each other, in which order.

/// Says whether the elements, last axis fastest, fill memory upwards without a gap.
///
/// Strides of axes of extent 1 do not matter, and no stride of an empty tensor does. Lists of different
/// length are not contiguous.
#[inline]
#[must_use]
pub fn is_c_contiguous(shape: &[i64], strides: &[i64]) -> bool {
    shape.len() == strides.len() && (is_compact(shape.iter().zip(strides).rev()) || shape.contains(&0))
}

/// Says whether the elements, first axis fastest, fill memory upwards without a gap.
///
/// What does not matter is as in [`is_c_contiguous`].
#[inline]
#[must_use]
pub fn is_f_contiguous(shape: &[i64], strides: &[i64]) -> bool {
    shape.len() == strides.len() && (is_compact(shape.iter().zip(strides)) || shape.contains(&0))
}

/// Goes through the axes from the fastest to the slowest.
#[inline]
fn is_compact<'a>(axes: impl Iterator<Item = (&'a i64, &'a i64)>) -> bool {
    // `None` once the product is beyond `i64`: no stride equals it.
    let mut step = Some(1_i64);
    for (&extent, &stride) in axes {
        if extent != 1 {
            if step != Some(stride) {
                return false;
            }
            step = stride.checked_mul(extent);
        }
    }
    true
}
