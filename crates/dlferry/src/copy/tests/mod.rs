#![allow(
    clippy::arithmetic_side_effects,
    reason = "test arithmetic is checked by the overflow checks of the test profile"
)]

mod bits;
mod jobs;
mod kernels;
mod naive;
mod packed;
mod tensors;
