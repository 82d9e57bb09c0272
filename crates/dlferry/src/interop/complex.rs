//! The complex numbers of the crate `num-complex`: the real part, then the imaginary one (`repr(C)`).

use num_complex::Complex;

use crate::element::numbers;

numbers! {
    Complex<f32> => C64,
    Complex<f64> => C128,
}

#[cfg(feature = "half")]
numbers! {
    Complex<half::f16> => C32,
    Complex<half::bf16> => BCOMPLEX32,
}
