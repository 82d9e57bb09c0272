use alloc::vec::Vec;
use core::fmt;

use crate::abi::{DLDataType, DLDevice};
use crate::export::ExportError;
use crate::layout::LayoutError;
use crate::layout::text::Tuple;
use crate::managed::DescribeError;

/// Why a tensor was not copied.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyError {
    /// The host cannot read the memory.
    Device {
        /// Where the memory is.
        device: DLDevice,
    },
    /// The memory for the copy could not be had.
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// The target may only be read.
    ReadOnly,
    /// The target's elements are of another type.
    DType {
        /// The type of the target.
        wanted: DLDataType,
        /// The type of the source.
        found: DLDataType,
    },
    /// The source cannot be broadcast to the target's shape.
    Shape {
        /// The shape of the target.
        wanted: Vec<i64>,
        /// The shape of the source.
        found: Vec<i64>,
    },
    /// The elements have whole bytes already.
    NotPacked {
        /// The type of the elements.
        dtype: DLDataType,
    },
    /// Who was asked between two pieces of the copy wanted no more of it.
    Interrupted,
    /// The copy cannot be exported.
    Export(ExportError),
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device { device } => {
                write!(f, "the elements are on {device}, which the host cannot copy from")
            }
            Self::OutOfMemory { bytes } => write!(f, "{bytes} bytes could not be allocated for a copy"),
            Self::ReadOnly => f.write_str("the target is read-only"),
            Self::DType { wanted, found } => {
                write!(f, "the target holds {wanted} and the source {found}; a copy converts nothing")
            }
            Self::Shape { wanted, found } => {
                let (found, wanted) = (Tuple(found), Tuple(wanted));
                write!(f, "the source has shape {found}, which cannot be broadcast to the target's {wanted}")
            }
            Self::NotPacked { dtype } => write!(f, "elements of {dtype} have whole bytes already"),
            Self::Interrupted => f.write_str("the copy was interrupted"),
            Self::Export(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CopyError {}

impl From<ExportError> for CopyError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::OutOfMemory { bytes } => Self::OutOfMemory { bytes },
            other => Self::Export(other),
        }
    }
}

impl From<LayoutError> for CopyError {
    fn from(error: LayoutError) -> Self {
        Self::Export(error.into())
    }
}

impl From<DescribeError> for CopyError {
    fn from(error: DescribeError) -> Self {
        Self::Export(error.into())
    }
}
