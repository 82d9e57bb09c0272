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

/// Counts the elements of a layout that has some and fills memory upwards, last axis fastest; `None` for any other.
///
/// Lists are taken to be of equal length.
#[inline]
pub(super) fn row_major_size(shape: &[i64], strides: &[i64]) -> Option<usize> {
    let mut step = 1_i64;
    for (&extent, &stride) in shape.iter().zip(strides).rev() {
        if extent != 1 {
            if extent < 1 || stride != step {
                return None;
            }
            step = step.checked_mul(extent)?;
        }
    }
    // `isize` is the narrower on 32-bit machines.
    isize::try_from(step).ok().and_then(|size| usize::try_from(size).ok())
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
