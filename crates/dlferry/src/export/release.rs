use core::mem::ManuallyDrop;

/// How the owner of exported data is dropped, whoever calls the deleter and wherever.
///
/// What holds a lock or an attachment while it calls deleters may want to let go of it first, for the owner's destructor may
/// wait for somebody who needs the same. [`Export::finish_releasing`](super::Export::finish_releasing) takes one of these.
///
/// # Examples
///
/// ```
/// use std::thread;
///
/// use dlferry::export::{Export, Last, Release};
///
/// /// Drops owners on a thread of their own.
/// struct Apart;
///
/// impl Release for Apart {
///     fn release<O: Send>(last: Last<'_, O>) {
///         thread::scope(|scope| scope.spawn(|| drop(last)).join().ok());
///     }
/// }
///
/// let tensor = Export::writable(vec![1_u8, 2]).finish_releasing::<Apart>()?;
/// drop(tensor);
/// # Ok::<(), dlferry::export::ExportError>(())
/// ```
pub trait Release: 'static {
    /// Drops `last`, and with it the owner; where that does not happen, the owner is leaked.
    fn release<O: Send>(last: Last<'_, O>);
}

/// Drops the owner at once, where the deleter is called.
#[derive(Debug)]
pub struct AtOnce;

impl Release for AtOnce {
    #[inline]
    fn release<O: Send>(last: Last<'_, O>) {
        drop(last);
    }
}

/// The owner of data that nobody needs any more: dropping this drops the owner.
#[derive(Debug)]
pub struct Last<'a, O>(
    // Invariant: initialised, and not used again by whoever lent it.
    &'a mut ManuallyDrop<O>,
);

impl<'a, O> Last<'a, O> {
    /// An owner that is dropped once this is.
    ///
    /// # Safety
    ///
    /// The owner is not used again, and not dropped otherwise.
    pub(super) unsafe fn new(owner: &'a mut ManuallyDrop<O>) -> Self {
        Self(owner)
    }
}

impl<O> Drop for Last<'_, O> {
    fn drop(&mut self) {
        // SAFETY: initialised, and nobody else drops it (invariant).
        unsafe { ManuallyDrop::drop(self.0) };
    }
}

/// Releases an owner that has not found its place.
pub(super) fn let_go<R: Release, O: Send>(owner: O) {
    let mut owner = ManuallyDrop::new(owner);
    // SAFETY: a local, which is not used again.
    R::release(unsafe { Last::new(&mut owner) });
}
