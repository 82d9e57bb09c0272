//! Which memory the arguments of Rust functions borrow, so that none is written while somebody else looks at it.
//!
//! A [`View`](crate::View) borrows its elements for reading, a [`ViewMut`](crate::ViewMut) for writing, from when it is
//! made until it is dropped. Any number may read the same memory; who writes is alone. What does not fit is refused with
//! `BufferError`, before the function runs.
//!
//! # Examples
//!
//! With a function `blend(a: View<'_, f32, 1>, mut out: ViewMut<'_, f32, 1>)`:
//!
//! ```text
//! blend(x, y)              two arrays
//! blend(x, x)              refused: x would be written while it is read
//! blend(x[:4], x[4:])      the bytes are apart
//! blend(x[0::2], x[1::2])  interleaved: no byte is in both
//! blend(x[:6], x[4:])      refused: two elements are in both
//! blend(t, t.numpy())      refused: two objects of two libraries, one memory
//! ```
//!
//! # What is seen
//!
//! All views of all extension modules that are built with dlferry, whatever version and whatever release of `PyO3`, in all
//! threads: they share one registry (`share`), found under the key `dlferry.borrow.v2` of the interpreter's dictionary.
//! An overlap of two of them is never missed. Ranges of bytes that are apart are always accepted, and so are the
//! elements of two strided arrays that the greatest common divisor of their strides tells apart (`region`). Others may be
//! refused although they share no byte.
//!
//! Not seen is what others do with the memory: NumPy, PyTorch, the borrows of other crates such as `numpy` for Rust.
//! `SAFETY.md` calls this assumption P2.
//!
//! # How
//!
//! A borrow is a record in memory that is never freed: a state and the region (`record`). Records come in blocks, of which
//! each thread has its own (`slot`), so that threads do not wait for one another; nobody takes a lock. What a thread borrows is
//! not looked at by those that borrow elsewhere (`territory`). `registry` says why no overlap is missed nevertheless.
//!
//! A view that is leaked (`mem::forget`) keeps its memory borrowed, and alive too.

mod record;
mod region;
mod registry;
mod share;
mod slot;
mod sync;
mod territory;

use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

pub(crate) use record::Kind;
pub(crate) use region::Region;
pub(crate) use slot::{Body, Slot};

/// A place for a borrow, in the registry of this process.
///
/// # Errors
///
/// As the registry is found, which once found is there.
#[inline]
pub(crate) fn reserve(py: Python<'_>) -> PyResult<Slot<'_>> {
    share::registry(py).map(|registry| Slot::reserve(py, registry))
}

/// Borrows some bytes as long as the slot is kept, beside those that the same user has in `own`; `which` array they are is said
/// in a refusal. Nothing is borrowed where there are none.
///
/// # Errors
///
/// `BufferError` when others have borrowed some of them in a way that excludes this one.
pub(crate) fn bytes<'py>(
    py: Python<'py>,
    region: Option<Region>,
    kind: Kind,
    which: &str,
    own: Option<&Slot<'py>>,
) -> PyResult<Option<Slot<'py>>> {
    let Some(region) = region else { return Ok(None) };
    let mut slot = reserve(py)?;
    slot.borrow_region(&region, kind, own).map_err(|taken| {
        let does = if taken == Kind::Shared { "reads" } else { "writes" };
        PyBufferError::new_err(format!("the {which} is borrowed: a function that still runs {does} its memory"))
    })?;
    Ok(Some(slot))
}
