#![allow(
    clippy::arithmetic_side_effects,
    reason = "test arithmetic is checked by the overflow checks of the test profile"
)]

mod accepted;
mod counted;
mod craft;
mod deleter;
mod descriptor;
mod dtypes;
mod keeper;
mod lent;
mod pairs;
mod refused;
