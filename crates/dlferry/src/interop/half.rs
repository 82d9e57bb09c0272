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
        f64::from_scalar(scalar).map(Self::from_f64)
    }
}

impl FromScalar for bf16 {
    #[inline]
    fn from_scalar(scalar: Scalar) -> Option<Self> {
        f64::from_scalar(scalar).map(Self::from_f64)
    }
}
