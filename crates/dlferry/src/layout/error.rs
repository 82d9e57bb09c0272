//! What can be wrong with a shape and its strides.

use core::fmt;

use super::text::Counted;

/// Says why a shape and strides are not a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// There are not as many strides as extents.
    RankMismatch {
        /// The number of extents.
        shape: usize,
        /// The number of strides.
        strides: usize,
    },
    /// An extent is below zero.
    NegativeExtent {
        /// The first axis of which that is true.
        axis: usize,
        /// Its extent.
        extent: i64,
    },
    /// There are more elements than `isize` or `i64` can count.
    SizeOverflow,
    /// The distance from the lowest element to the highest does not fit in `i64`.
    SpanOverflow,
    /// A stride in bytes is no whole number of elements.
    PartialStride {
        /// The stride.
        bytes: i64,
        /// Bytes of an element.
        item: usize,
    },
    /// The elements lie, counted in bytes, further apart than `isize` can say.
    ByteOverflow {
        /// The bits of one element.
        bits: u32,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RankMismatch { shape, strides } => {
                write!(f, "the shape has {}, and strides are given for {strides}", Counted(*shape, "axis", "axes"))
            }
            Self::NegativeExtent { axis, extent } => {
                write!(f, "axis {axis} has extent {extent}, which is negative")
            }
            Self::SizeOverflow => f.write_str("the shape has more elements than can be counted"),
            Self::SpanOverflow => f.write_str("the strides reach further than 64 bits can say"),
            Self::PartialStride { bytes, item } => {
                let (bytes, item) = (Counted(*bytes, "byte", "bytes"), Counted(*item, "byte", "bytes"));
                write!(f, "a stride of {bytes} is no whole number of elements of {item}, as DLPack counts")
            }
            Self::ByteOverflow { bits } => {
                write!(f, "elements of {} reach further than an address can", Counted(*bits, "bit", "bits"))
            }
        }
    }
}

impl core::error::Error for LayoutError {}
