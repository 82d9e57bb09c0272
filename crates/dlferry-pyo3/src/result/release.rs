use core::any::TypeId;
use std::sync::Arc;

use dlferry::export::{Last, Owner, Release};

use crate::python::detached;

/// Drops owners detached from the interpreter: a destructor may wait for a lock, or for a thread, of somebody who waits for
/// the interpreter.
#[derive(Debug)]
pub(super) struct Detached;

impl Release for Detached {
    fn release<O: Send>(last: Last<'_, O>) {
        detached(|| drop(last));
    }
}

/// Whether an owner is memory and nothing else, so that its destructor waits for nobody.
pub(super) fn is_plain<O: Owner>() -> bool {
    let plain = [
        TypeId::of::<Vec<O::Item>>(),
        TypeId::of::<Box<[O::Item]>>(),
        TypeId::of::<Arc<[O::Item]>>(),
        TypeId::of::<Arc<Vec<O::Item>>>(),
    ];
    !core::mem::needs_drop::<O>() || plain.contains(&TypeId::of::<O>())
}
