use core::fmt;

use crate::abi::{DLDataType, DLPackVersion};
use crate::element::DTypeError;
use crate::layout::LayoutError;
use crate::layout::text::Counted;

/// Why a tensor cannot be taken: the field that is at fault and what it holds.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DescribeError {
    /// The struct is of a major version that this crate does not know; nothing else of it was read.
    MajorVersion {
        /// The version found.
        found: DLPackVersion,
    },
    /// `ndim` is negative.
    NegativeNdim {
        /// The value found.
        ndim: i32,
    },
    /// `shape` is NULL although there are axes.
    NullShape {
        /// The number of axes.
        ndim: i32,
    },
    /// `shape` or `strides` is not aligned to eight bytes.
    MisalignedDims {
        /// `"shape"` or `"strides"`.
        field: &'static str,
    },
    /// `data` is NULL although there are elements.
    NullData {
        /// The number of elements.
        size: usize,
    },
    /// The elements reach beyond what addresses can express.
    AddressOverflow {
        /// Bytes from `data` to the first element.
        byte_offset: u64,
    },
    /// The padded flag stands on a type for which no padding is defined.
    Padding {
        /// The type.
        dtype: DLDataType,
    },
    /// A view would begin within a byte.
    WithinByte {
        /// The type of the elements.
        dtype: DLDataType,
    },
    /// The dtype is malformed.
    DType(DTypeError),
    /// Shape and strides are malformed.
    Layout(LayoutError),
}

impl fmt::Display for DescribeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MajorVersion { found } => {
                let known = DLPackVersion::CURRENT;
                write!(
                    f,
                    "the tensor is of DLPack {found}, and only major version {} is known here ({known})",
                    known.major
                )
            }
            Self::NegativeNdim { ndim } => write!(f, "ndim is {ndim}, which is negative"),
            Self::NullShape { ndim } => write!(f, "shape is NULL although ndim is {ndim}"),
            Self::MisalignedDims { field } => {
                write!(f, "{field} points to an address that is not a multiple of 8")
            }
            Self::NullData { size } => {
                write!(f, "data is NULL although the tensor has {}", Counted(*size, "element", "elements"))
            }
            Self::AddressOverflow { byte_offset } => {
                write!(f, "the elements reach beyond the address space (byte_offset is {byte_offset})")
            }
            Self::Padding { dtype } => {
                write!(f, "the padded flag is set for {dtype}, but padding is defined only for elements below 8 bits")
            }
            Self::WithinByte { dtype } => {
                write!(f, "the view would begin within a byte, where packed elements of {dtype} cannot be pointed to")
            }
            Self::DType(error) => error.fmt(f),
            Self::Layout(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for DescribeError {}

impl From<LayoutError> for DescribeError {
    fn from(error: LayoutError) -> Self {
        Self::Layout(error)
    }
}

impl From<DTypeError> for DescribeError {
    fn from(error: DTypeError) -> Self {
        Self::DType(error)
    }
}
