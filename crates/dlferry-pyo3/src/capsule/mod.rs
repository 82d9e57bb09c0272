//! DLPack capsules: who owns the managed tensor at which moment.
//!
//! ```text
//!            export::capsule                import::take
//! Tensor ───────────────────▶  "dltensor…"  ────────────▶  "used_dltensor…"
//!                                   │                             │
//!                     dropped: the destructor         dropped: nothing; the taker's
//!                     calls the deleter               Handle calls the deleter
//! ```
//!
//! The name is the state. A capsule with its first name owns the tensor; renaming it is the moment of taking over, and
//! whatever is refused is refused before that, so that the capsule's own destructor still does its duty.

mod export;
mod import;
mod look;

pub use export::{capsule, capsule_of_unique};
pub(crate) use import::{is_capsule, take};
pub use look::{Look, Told, look};
