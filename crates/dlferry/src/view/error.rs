use core::fmt;

use crate::abi::{DLDataType, DLDevice};
use crate::layout::text::Counted;

/// Why a tensor's elements cannot be looked at in the way that was asked for.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewError {
    /// The elements are of another type.
    DType {
        /// The type asked for.
        wanted: DLDataType,
        /// The type of the tensor.
        found: DLDataType,
    },
    /// The elements have no value that this crate knows how to read.
    Opaque {
        /// The type of the tensor.
        dtype: DLDataType,
    },
    /// The tensor has another number of axes.
    Rank {
        /// Axes asked for.
        wanted: usize,
        /// Axes of the tensor.
        found: usize,
    },
    /// The tensor has no elements, and extents that an array in memory cannot have.
    Extents,
    /// The elements of one axis lie between those of another, which what was asked for cannot write.
    Interleaved,
    /// The host cannot read the memory.
    Device {
        /// Where the memory is.
        device: DLDevice,
    },
    /// The tensor may only be read.
    ReadOnly,
    /// The elements do not lie one after another.
    NotContiguous,
    /// The first element is not at an address that references to its type need.
    Misaligned {
        /// The alignment that is needed, in bytes.
        needed: usize,
    },
    /// A byte of a boolean tensor is neither 0 nor 1, so it cannot be lent as `bool`.
    InvalidValue {
        /// Place of the element, counted in C order.
        at: usize,
    },
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DType { wanted, found } => write!(f, "wanted elements of {wanted}, found {found}"),
            Self::Opaque { dtype } => write!(f, "elements of {dtype} have no values that can be read here"),
            Self::Rank { wanted, found } => {
                write!(f, "wanted {}, found {found}", Counted(*wanted, "axis", "axes"))
            }
            Self::Extents => f.write_str("the tensor is empty, and its extents are larger than those of any array"),
            Self::Interleaved => {
                f.write_str("the elements of one axis lie between those of another, so they are not lent for writing")
            }
            Self::Device { device } => {
                write!(f, "the elements are on {device}, which the host cannot read")
            }
            Self::ReadOnly => f.write_str("the tensor is read-only"),
            Self::NotContiguous => {
                f.write_str("the elements do not lie one after another in row-major order, as a slice needs")
            }
            Self::Misaligned { needed } => {
                write!(f, "the elements are not at a multiple of {needed} bytes, as references to them need")
            }
            Self::InvalidValue { at } => {
                write!(f, "element {at} holds a byte that is neither 0 nor 1, so it cannot be lent as a bool")
            }
        }
    }
}

impl core::error::Error for ViewError {}
