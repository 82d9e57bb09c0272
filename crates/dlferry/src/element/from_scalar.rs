//! Values of one type made of values of another, as a conversion that somebody asked for makes them.

use super::{Element, Scalar};

/// A Rust type that values of other dtypes can be turned into without becoming something else.
///
/// A kind of number goes to a kind that holds it: booleans to all, integers to integers and floats, floats to floats, and
/// all to complex numbers. An
/// integer that does not fit is refused; floats are rounded to the nearest, as Rust's `as` does. A float never becomes
/// an integer, nor a number a boolean, for that loses what nobody may want to lose.
pub trait FromScalar: Element {
    /// Makes the value, or `None` when there is none that holds it.
    fn from_scalar(scalar: Scalar) -> Option<Self>;
}

impl FromScalar for bool {
    #[inline]
    fn from_scalar(scalar: Scalar) -> Option<Self> {
        match scalar {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }
    }
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl FromScalar for $integer {
            #[inline]
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                match scalar {
                    Scalar::Bool(value) => Some(Self::from(value)),
                    Scalar::Int(value) => Self::try_from(value).ok(),
                    Scalar::UInt(value) => Self::try_from(value).ok(),
                    Scalar::Float(_) | Scalar::Complex(..) => None,
                }
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($float:ty),*) => {$(
        impl FromScalar for $float {
            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                trivial_numeric_casts,
                reason = "rounding is what is promised; the widest of these types has nothing to round"
            )]
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                match scalar {
                    Scalar::Bool(value) => Some(if value { 1.0 } else { 0.0 }),
                    Scalar::Int(value) => Some(value as Self),
                    Scalar::UInt(value) => Some(value as Self),
                    Scalar::Float(value) => Some(value as Self),
                    Scalar::Complex(..) => None,
                }
            }
        }
    )*};
}

floats!(f32, f64);
