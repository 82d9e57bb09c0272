use alloc::boxed::Box;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::Deref;
use core::ptr::NonNull;

use super::sync::{AtomicUsize, Ordering, fence};

/// A value that several references share: an `Arc` without weak references, whose last reference goes without an atomic
/// exchange and whose value is made in its place.
///
/// Nearly every tensor has one reference all its life, and is made and dropped more often than it is looked at.
pub(super) struct Counted<T> {
    // Invariant: made of a box, and counted once for each value of this type.
    inner: NonNull<Inner<T>>,
    owns: PhantomData<T>,
}

struct Inner<T> {
    count: AtomicUsize,
    value: T,
}

// SAFETY: as `Arc`: a reference gives shared access on its thread, and the last one drops the value there.
unsafe impl<T: Send + Sync> Send for Counted<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Counted<T> {}

impl<T> Counted<T> {
    /// The first reference to a value.
    #[inline]
    pub(super) fn new(value: T) -> Self {
        Self::of(Box::new(Inner { count: AtomicUsize::new(1), value }))
    }

    /// The first reference to a value that `make` writes to its place.
    ///
    /// # Safety
    ///
    /// `make` initialises the value, or does not return.
    #[inline]
    pub(super) unsafe fn made(make: impl FnOnce(*mut T)) -> Self {
        let mut inner = Box::<Inner<T>>::new_uninit();
        let place = inner.as_mut_ptr();
        // SAFETY: within the box.
        let count = unsafe { &raw mut (*place).count };
        // SAFETY: within the box.
        let value = unsafe { &raw mut (*place).value };
        // SAFETY: within the box, which nobody else has.
        unsafe { count.write(AtomicUsize::new(1)) };
        make(value);
        // SAFETY: both fields are written, one of them as the caller vouches.
        Self::of(unsafe { inner.assume_init() })
    }

    #[inline]
    fn of(inner: Box<Inner<T>>) -> Self {
        Self { inner: NonNull::from(Box::leak(inner)), owns: PhantomData }
    }

    /// Whether this is the only reference. Nobody can make another one meanwhile, for that takes a reference.
    #[inline]
    pub(super) fn is_sole(&self) -> bool {
        // Acquire: whatever others did with the value before they let go of it has happened.
        self.count().load(Ordering::Acquire) == 1
    }

    /// The value, to be changed.
    ///
    /// # Safety
    ///
    /// This is the only reference.
    #[inline]
    pub(super) unsafe fn sole_mut(&mut self) -> &mut T {
        // SAFETY: initialised and counted (invariant); vouched for by the caller.
        unsafe { &mut self.inner.as_mut().value }
    }

    /// The value, or the reference when it is not the only one.
    #[inline]
    pub(super) fn into_sole(self) -> Result<T, Self> {
        if !self.is_sole() {
            return Err(self);
        }
        let this = ManuallyDrop::new(self);
        // SAFETY: made of a box (invariant); the only reference, which is not dropped.
        let inner = unsafe { Box::from_raw(this.inner.as_ptr()) };
        Ok(inner.value)
    }

    #[inline]
    fn count(&self) -> &AtomicUsize {
        // SAFETY: initialised and alive (invariant).
        unsafe { &(*self.inner.as_ptr()).count }
    }

    /// Drops the value and frees its box.
    ///
    /// # Safety
    ///
    /// This was the last reference.
    #[inline(never)]
    unsafe fn end(&mut self) {
        // SAFETY: made of a box (invariant), and nobody else looks at it.
        drop(unsafe { Box::from_raw(self.inner.as_ptr()) });
    }
}

impl<T> Clone for Counted<T> {
    #[inline]
    fn clone(&self) -> Self {
        // Relaxed: the new reference comes from one that exists, as in `Arc`.
        let before = self.count().fetch_add(1, Ordering::Relaxed);
        // So many can only have been leaked; the count stays too high, and the value is never freed.
        assert!(before <= usize::MAX / 2, "a tensor has too many references");
        Self { inner: self.inner, owns: PhantomData }
    }
}

impl<T> Drop for Counted<T> {
    #[inline]
    fn drop(&mut self) {
        if !self.is_sole() {
            // Release: what was done with the value through this reference happens before its end.
            if self.count().fetch_sub(1, Ordering::Release) != 1 {
                return;
            }
            fence(Ordering::Acquire);
        }
        // SAFETY: the only reference, or the last one of all.
        unsafe { self.end() };
    }
}

impl<T> Deref for Counted<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: initialised and alive (invariant).
        unsafe { &(*self.inner.as_ptr()).value }
    }
}

impl<T: fmt::Debug> fmt::Debug for Counted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
