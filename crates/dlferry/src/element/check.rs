use core::error::Error;
use core::fmt;

use super::family::{Family, Width};
use crate::abi::DLDataType;

/// Why a dtype contradicts itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DTypeError {
    /// An element has no scalars.
    ZeroLanes {
        /// The dtype found.
        dtype: DLDataType,
    },
    /// A number has no bits.
    ZeroBits {
        /// The dtype found.
        dtype: DLDataType,
    },
    /// The code has one width, and this is another.
    WrongBits {
        /// The dtype found.
        dtype: DLDataType,
        /// The name of what the code means.
        name: &'static str,
        /// The bits that the code has.
        wanted: u8,
    },
}

impl fmt::Display for DTypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ZeroLanes { dtype } => write!(f, "{dtype} has 0 lanes, but an element has at least 1"),
            Self::ZeroBits { dtype } => write!(f, "{dtype} has 0 bits, but a number has at least 1"),
            Self::WrongBits { dtype, name, wanted } => {
                write!(f, "{dtype} has {found} bits, but {name} has {wanted}", found = dtype.bits)
            }
        }
    }
}

impl Error for DTypeError {}

/// Says what is wrong with a dtype, or `None` when it may pass.
///
/// Passing does not mean that the dtype is known: a code from a newer header passes opaque, with any number of bits, and
/// so do widths of integers, floats and complex numbers that nothing here can decode. What is refused contradicts the
/// header itself: no lanes, numbers without bits, and a width other than the one that the code has (rules R1.10 to R1.12).
#[inline]
#[must_use]
pub fn dtype_fault(dtype: DLDataType) -> Option<DTypeError> {
    if dtype.lanes == 0 {
        return Some(DTypeError::ZeroLanes { dtype });
    }
    let family = Family::of(dtype.code)?;
    match family.width {
        Width::Positive if dtype.bits == 0 => Some(DTypeError::ZeroBits { dtype }),
        Width::Exactly(wanted) if dtype.bits != wanted => {
            Some(DTypeError::WrongBits { dtype, name: family.stem, wanted })
        }
        Width::Any | Width::Positive | Width::Exactly(_) => None,
    }
}

/// Refuses a dtype that contradicts itself; [`dtype_fault`] as a `Result`.
///
/// # Errors
///
/// The fault that [`dtype_fault`] finds.
#[inline]
pub fn check_dtype(dtype: DLDataType) -> Result<(), DTypeError> {
    dtype_fault(dtype).map_or(Ok(()), Err)
}
