//! The rules of `layout`, held against an oracle that goes through every index with 128-bit numbers.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "test arithmetic is checked by the overflow checks of the test profile"
)]

mod edges;
mod oracle;
mod overlap;
mod properties;
mod refusals;
mod reshape;
mod units;
mod views;
