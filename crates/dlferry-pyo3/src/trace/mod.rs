//! Who holds the memory of tensors: the exports that are alive, recorded while somebody wants to know.
//!
//! An export is what another library was given: a capsule, a managed tensor of the exchange API, a buffer, an array of
//! NumPy's. While [`set`] says so, each is exported as a tensor that owns a record besides what it owned before; the record
//! ends where the consumer lets go, on whatever thread that is, with or without an interpreter, for it is plain data and no
//! lock is taken. While tracing is off an export pays for one relaxed load.
//!
//! An extension module has a copy of this crate and a registry of its own: what its tensors are exported as is not known to
//! the module `dlferry`, and the other way round.

mod record;
mod report;
mod site;

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

use dlferry::managed::{Descriptor, SharedTensor, Tensor as Managed};
use pyo3::prelude::*;

use crate::borrow::Region;
use crate::tensor::Tensor;

pub use record::{Consumer, Record};
pub use report::report_at_exit;
pub use site::Frame;

/// How many frames of Python's stack are recorded for each export; 0: tracing is off.
static FRAMES: AtomicUsize = AtomicUsize::new(0);

/// Whether tracing was on at any time: else there is nothing to be known.
static EVER: AtomicBool = AtomicBool::new(false);

/// Turns tracing on, with at least one and at most `frames` frames of the stack for each export, or off with 0. What was
/// recorded stays known as long as it is alive.
pub fn set(frames: usize) {
    if frames > 0 {
        EVER.store(true, Ordering::Relaxed);
    }
    FRAMES.store(frames, Ordering::Relaxed);
}

/// Whether exports are recorded now.
#[must_use]
#[inline]
pub fn is_on() -> bool {
    FRAMES.load(Ordering::Relaxed) != 0
}

/// The exports that are alive, oldest first: all, or those that may have a byte in common with `tensor`. `None` when tracing
/// was never on.
#[must_use]
pub fn live(tensor: Option<&Tensor>) -> Option<Vec<Arc<Record>>> {
    if !EVER.load(Ordering::Relaxed) {
        return None;
    }
    let Some(tensor) = tensor else { return Some(record::live(|_| true)) };
    let Some(wanted) = Region::of(tensor.shared().descriptor()) else { return Some(Vec::new()) };
    Some(record::live(|record| record.may_meet(&wanted)))
}

/// The tensor to export in the place of a shared one, when exports are recorded.
#[inline]
pub(crate) fn traced(py: Python<'_>, tensor: &SharedTensor, consumer: Consumer) -> Option<Managed> {
    if !is_on() {
        return None;
    }
    let mut descriptor = tensor.descriptor().clone();
    // As in `SharedTensor::to_managed`: others see the memory too.
    descriptor.set_copied(Some(false));
    wrapped(py, tensor.clone(), descriptor, consumer).ok()
}

/// The tensor to keep for a consumer that is lent the memory of a shared one: the same once more, or one that is recorded.
#[cfg(feature = "buffer")]
#[inline]
pub(crate) fn kept(py: Python<'_>, tensor: &SharedTensor, consumer: Consumer) -> SharedTensor {
    match traced(py, tensor, consumer) {
        None => tensor.clone(),
        Some(traced) => traced.into_shared(),
    }
}

/// The tensor to export in the place of one that nobody shares: itself, or one that is recorded.
#[inline]
pub(crate) fn traced_unique(py: Python<'_>, tensor: Managed, consumer: Consumer) -> PyResult<Managed> {
    if !is_on() {
        return Ok(tensor);
    }
    let descriptor = tensor.descriptor().clone();
    wrapped(py, tensor, descriptor, consumer)
}

/// A tensor over the same memory that owns a record besides `owner`.
#[cold]
fn wrapped<O: Send + 'static>(
    py: Python<'_>,
    owner: O,
    descriptor: Descriptor,
    consumer: Consumer,
) -> PyResult<Managed> {
    let site = site::site(py, FRAMES.load(Ordering::Relaxed));
    let record = record::add(Record::new(&descriptor, consumer, site));
    // SAFETY: the descriptor is that of the owner's own tensor, whose memory it keeps as before.
    unsafe { Managed::from_owner((owner, record), descriptor) }.map_err(crate::error::IntoPyErr::into_py_err)
}
