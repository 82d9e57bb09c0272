use core::fmt;

use crate::layout::LayoutError;
use crate::managed::DescribeError;

/// Why data cannot be exported in the way that was asked for.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// The layout reaches elements that the owner does not have.
    OutOfBounds {
        /// Lowest element that the layout reaches, counted from the owner's first.
        lowest: i64,
        /// Highest element that the layout reaches, counted from the owner's first.
        highest: i64,
        /// Elements of the owner.
        len: usize,
    },
    /// An unversioned struct was asked for, and it cannot say that the data is read-only.
    ReadOnlyUnversioned,
    /// An unversioned struct was asked for, and it cannot say that elements below a byte are padded.
    PaddedUnversioned,
    /// The memory for the struct could not be had.
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// Shape and strides are malformed.
    Layout(LayoutError),
    /// The tensor cannot be described.
    Describe(DescribeError),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds { lowest, highest, len } => {
                write!(f, "the layout reaches elements {lowest} to {highest}, and the owner has {len}")
            }
            Self::ReadOnlyUnversioned => f.write_str(
                "the tensor is read-only, which an unversioned DLPack capsule cannot say: \
                 ask with max_version=(1, 0) or newer, or with copy=True",
            ),
            Self::PaddedUnversioned => f.write_str(
                "the tensor holds padded elements of less than a byte, which an unversioned DLPack capsule cannot say: \
                 ask with max_version=(1, 1) or newer",
            ),
            Self::OutOfMemory { bytes } => write!(f, "{bytes} bytes could not be allocated"),
            Self::Layout(error) => error.fmt(f),
            Self::Describe(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ExportError {}

impl From<LayoutError> for ExportError {
    fn from(error: LayoutError) -> Self {
        Self::Layout(error)
    }
}

impl From<DescribeError> for ExportError {
    fn from(error: DescribeError) -> Self {
        Self::Describe(error)
    }
}
