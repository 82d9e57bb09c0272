//! The complex numbers of the crate `num-complex`: the real part, then the imaginary one (`repr(C)`).

use num_complex::Complex;

use crate::element::{Element, FromScalar, Scalar, numbers};

numbers! {
    Complex<f32> => C64,
    Complex<f64> => C128,
}

#[cfg(feature = "half")]
numbers! {
    Complex<half::f16> => C32,
    Complex<half::bf16> => BCOMPLEX32,
}

/// What is no complex number becomes the real part of one.
impl<T: FromScalar> FromScalar for Complex<T>
where
    Self: Element,
{
    #[inline]
    fn from_scalar(scalar: Scalar) -> Option<Self> {
        let (real, imaginary) = match scalar {
            Scalar::Complex(real, imaginary) => (Scalar::Float(real), Scalar::Float(imaginary)),
            real => (real, Scalar::Float(0.0)),
        };
        Some(Self::new(T::from_scalar(real)?, T::from_scalar(imaginary)?))
    }
}
