//! The borrow registry without Python: its files, compiled once more, for a program that links no interpreter.
//!
//! `make test` runs these with threads; `make loom` plays all orders of what few threads do.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    private_interfaces,
    reason = "the files are written for another place; test arithmetic is checked by the profile"
)]

#[path = "../../src/borrow/record.rs"]
mod record;
#[path = "../../src/borrow/region.rs"]
mod region;
#[path = "../../src/borrow/registry.rs"]
mod registry;
#[path = "../../src/borrow/sync.rs"]
mod sync;
#[path = "../../src/borrow/territory.rs"]
mod territory;

#[cfg(not(loom))]
mod blocks;
#[cfg(loom)]
mod orders;
#[cfg(not(loom))]
mod regions;
#[cfg(not(loom))]
mod territories;
#[cfg(not(loom))]
mod threads;
