//! Floats of eight bits, as Rust types: their bits, and the value that they stand for.

use super::minifloat::Minifloat;
use super::{Element, assert_element};
use crate::abi::DLDataType;

/// Declares one newtype over the bits for each format.
macro_rules! float8 {
    ($($(#[$doc:meta])* $name:ident => $dtype:ident),* $(,)?) => {$(
        $(#[$doc])*
        ///
        /// Equality is that of the bits: not a number equals itself, and the two zeros differ.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(
            /// The bits.
            pub u8,
        );

        impl $name {
            /// The value that the bits stand for; exact.
            #[must_use]
            pub fn to_f64(self) -> f64 {
                Minifloat::of(DLDataType::$dtype).map_or(f64::NAN, |format| format.decode(u16::from(self.0)))
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> Self {
                value.to_f64()
            }
        }

        // SAFETY: 1 and 2 are asserted below, with `Raw` the byte itself. 3 and 5: a byte has no padding, no interior
        // mutability and no pointers, and any bits are a value. 4: `is_valid` is always true, and both conversions keep
        // the bits.
        unsafe impl Element for $name {
            type Raw = u8;
            const DTYPE: DLDataType = DLDataType::$dtype;
            const ALL_BITS_VALID: bool = true;

            #[inline]
            fn from_raw(raw: u8) -> Self {
                Self(raw)
            }

            #[inline]
            fn to_raw(self) -> u8 {
                self.0
            }

            #[inline]
            fn is_valid(_: &u8) -> bool {
                true
            }
        }

        const _: () = assert_element::<$name>();
    )*};
}

float8! {
    /// A float of 3 exponent and 4 mantissa bits, IEEE-like.
    F8E3M4 => F8_E3M4,
    /// A float of 4 exponent and 3 mantissa bits, IEEE-like.
    F8E4M3 => F8_E4M3,
    /// A float of 4 exponent and 3 mantissa bits, bias 11, no infinities, one zero.
    F8E4M3B11Fnuz => F8_E4M3B11FNUZ,
    /// A float of 4 exponent and 3 mantissa bits, no infinities.
    F8E4M3Fn => F8_E4M3FN,
    /// A float of 4 exponent and 3 mantissa bits, no infinities, one zero.
    F8E4M3Fnuz => F8_E4M3FNUZ,
    /// A float of 5 exponent and 2 mantissa bits, IEEE-like.
    F8E5M2 => F8_E5M2,
    /// A float of 5 exponent and 2 mantissa bits, no infinities, one zero.
    F8E5M2Fnuz => F8_E5M2FNUZ,
    /// A power of two: 8 exponent bits, neither sign nor zero.
    F8E8M0Fnu => F8_E8M0FNU,
}
