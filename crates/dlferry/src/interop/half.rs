//! The 16-bit floats of the crate `half`, each one `u16` (`repr(transparent)`).

use ::half::{bf16, f16};

use crate::element::{FromScalar, Scalar, numbers};

numbers! {
    f16 => F16,
    bf16 => BF16,
}

impl FromScalar for f16 {
    #[inline]
    fn from_scalar(scalar: Scalar) -> Option<Self> {
        single(scalar).map(Self::from_f32)
    }
}

impl FromScalar for bf16 {
    #[inline]
    fn from_scalar(scalar: Scalar) -> Option<Self> {
        single(scalar).map(Self::from_f32)
    }
}

/// The number as 24 bits that round to fewer as the number itself does: to the nearest when that is exact, else to the
/// neighbor whose last bit is one, which is never halfway between two shorter numbers. A number that is rounded to the
/// nearest twice can end up at the second nearest.
fn single(scalar: Scalar) -> Option<f32> {
    match scalar {
        Scalar::Int(value) => {
            let size = f64_to_odd(u64_to_odd(value.unsigned_abs()));
            Some(if value < 0 { -size } else { size })
        }
        Scalar::UInt(value) => Some(f64_to_odd(u64_to_odd(value))),
        other => f64::from_scalar(other).map(f64_to_odd),
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "there is none: the lowest bits of what has more than 53 are zero by then"
)]
fn u64_to_odd(value: u64) -> f64 {
    const LOST: u64 = 0x7ff;
    let kept = value & !LOST;
    if value >> 53 == 0 || kept == value {
        return value as f64;
    }
    // At least 42 bits are left, of which the last says that there were others.
    (kept | (LOST + 1)) as f64
}

#[allow(clippy::cast_possible_truncation, reason = "what that loses is what the function is about")]
fn f64_to_odd(value: f64) -> f32 {
    let near = value as f32;
    #[allow(clippy::float_cmp, reason = "exactly")]
    let is_whole = f64::from(near) == value || !near.is_finite();
    if is_whole {
        return near;
    }
    let is_beyond = f64::from(near).abs() > value.abs();
    // Not zero, when the number was rounded away from it.
    let toward_zero = near.to_bits().wrapping_sub(u32::from(is_beyond));
    f32::from_bits(toward_zero | 1)
}
