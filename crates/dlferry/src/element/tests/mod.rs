#![allow(
    clippy::arithmetic_side_effects,
    reason = "test arithmetic is checked by the overflow checks of the test profile"
)]

mod dtypes;
mod elements;
mod known_values;
mod minifloats;
mod names;
mod scalars;

use crate::abi::{DLDataType, DLDataTypeCode};

/// A dtype like another but for its code.
fn with_code(dtype: DLDataType, code: DLDataTypeCode) -> DLDataType {
    DLDataType { code, ..dtype }
}

/// A dtype like another but for its bits.
fn with_bits(dtype: DLDataType, bits: u8) -> DLDataType {
    DLDataType { bits, ..dtype }
}

/// A dtype like another but for its lanes.
fn with_lanes(dtype: DLDataType, lanes: u16) -> DLDataType {
    DLDataType { lanes, ..dtype }
}
