use alloc::alloc::{alloc, dealloc, handle_alloc_error};
use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering, fence};

/// A value that several references share: an `Arc` without weak references, whose last reference goes without an atomic
/// exchange and whose value is made in its place.
///
/// Nearly every tensor has one reference all its life, and is made and dropped more often than it is looked at.
pub(super) struct Counted<T> {
    // Invariant: allocated by `Inner::<T>::LAYOUT`, initialised, and counted once for each value of this type.
    inner: NonNull<Inner<T>>,
    owns: PhantomData<T>,
}

struct Inner<T> {
    count: AtomicUsize,
    value: T,
}

impl<T> Inner<T> {
    const LAYOUT: Layout = Layout::new::<Self>();
}

// SAFETY: as `Arc`: a reference gives shared access on its thread, and the last one drops the value there.
unsafe impl<T: Send + Sync> Send for Counted<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Counted<T> {}

impl<T> Counted<T> {
    /// The first reference to a value.
    #[inline]
    pub(super) fn new(value: T) -> Self {
        // SAFETY: the value is written.
        unsafe { Self::made(|place| place.write(value)) }
    }

    /// The first reference to a value that `make` writes to its place.
    ///
    /// # Safety
    ///
    /// `make` initialises the value, or does not return.
    #[inline]
    pub(super) unsafe fn made(make: impl FnOnce(*mut T)) -> Self {
        // SAFETY: the layout has the size of a counter at least.
        let inner = unsafe { alloc(Inner::<T>::LAYOUT) };
        #[allow(clippy::cast_ptr_alignment, reason = "allocated with the layout of the target type")]
        let Some(inner) = NonNull::new(inner.cast::<Inner<T>>()) else { handle_alloc_error(Inner::<T>::LAYOUT) };
        // SAFETY: within the block just allocated.
        let (count, value) = unsafe { (&raw mut (*inner.as_ptr()).count, &raw mut (*inner.as_ptr()).value) };
        // SAFETY: as above.
        unsafe { count.write(AtomicUsize::new(1)) };
        make(value);
        Self { inner, owns: PhantomData }
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
        let this = core::mem::ManuallyDrop::new(self);
        // SAFETY: initialised (invariant), read once: this reference, the only one, is not dropped.
        let value = unsafe { (&raw const (*this.inner.as_ptr()).value).read() };
        // SAFETY: allocated with this layout, and the end of it.
        unsafe { dealloc(this.inner.as_ptr().cast(), Inner::<T>::LAYOUT) };
        Ok(value)
    }

    #[inline]
    fn count(&self) -> &AtomicUsize {
        // SAFETY: initialised and alive (invariant).
        unsafe { &(*self.inner.as_ptr()).count }
    }

    /// Drops the value and frees the block.
    ///
    /// # Safety
    ///
    /// This was the last reference.
    #[inline(never)]
    unsafe fn end(&mut self) {
        // SAFETY: initialised (invariant), and nobody else looks at it.
        unsafe { (&raw mut (*self.inner.as_ptr()).value).drop_in_place() };
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.inner.as_ptr().cast(), Inner::<T>::LAYOUT) };
    }
}

impl<T> Clone for Counted<T> {
    #[inline]
    fn clone(&self) -> Self {
        // Relaxed: the new reference comes from one that exists, as in `Arc`.
        let before = self.count().fetch_add(1, Ordering::Relaxed);
        if before > usize::MAX / 2 {
            // So many can only have been leaked; the count stays too high, and the value is never freed.
            panic!("a tensor has too many references");
        }
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
