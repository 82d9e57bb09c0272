//! The strides of elements that lie next to each other.

/// Writes the strides of a row-major tensor: the last axis moves fastest.
///
/// Extents of zero count as one and products saturate, so each stride is at least 1; only an empty tensor can
/// saturate, and its strides carry no meaning. Of lists of different length the common axes are written.
#[inline]
pub fn c_strides(shape: &[i64], strides: &mut [i64]) {
    write(strides.iter_mut().zip(shape).rev());
}

/// Writes the strides of a column-major tensor: the first axis moves fastest.
///
/// Zero extents, saturation and lists of different length are as in [`c_strides`].
#[inline]
pub fn f_strides(shape: &[i64], strides: &mut [i64]) {
    write(strides.iter_mut().zip(shape));
}

/// Writes strides from the fastest axis to the slowest.
#[inline]
fn write<'a>(axes: impl Iterator<Item = (&'a mut i64, &'a i64)>) {
    let mut step = 1_i64;
    for (stride, &extent) in axes {
        *stride = step;
        step = step.saturating_mul(extent.max(1));
    }
}
