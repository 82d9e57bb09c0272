use core::alloc::Layout;
use core::ptr::NonNull;

use super::CopyError;

/// Initialised bytes at an aligned address, owned.
#[derive(Debug)]
pub struct Memory {
    // Invariant: `len` initialised bytes at `first`; allocated with `layout(len)` unless `len` is 0.
    first: NonNull<u8>,
    len: usize,
}

// SAFETY: plain bytes, owned alone.
unsafe impl Send for Memory {}
// SAFETY: a shared reference only reads.
unsafe impl Sync for Memory {}

impl Memory {
    /// Bytes that the address is a multiple of: what the pickiest consumer needs to share memory (rule R9.3).
    pub const ALIGNMENT: usize = 64;

    /// Allocates `len` bytes of zero.
    ///
    /// # Errors
    ///
    /// [`CopyError::OutOfMemory`].
    pub fn zeroed(len: usize) -> Result<Self, CopyError> {
        let refused = CopyError::OutOfMemory { bytes: len };
        if len == 0 {
            return Ok(Self { first: NonNull::<Aligned>::dangling().cast(), len });
        }
        let Some(layout) = Self::layout(len) else {
            return Err(refused);
        };
        // SAFETY: the size is not zero.
        let first = unsafe { alloc::alloc::alloc_zeroed(layout) };
        NonNull::new(first).map(|first| Self { first, len }).ok_or(refused)
    }

    fn layout(len: usize) -> Option<Layout> {
        Layout::from_size_align(len, Self::ALIGNMENT).ok()
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `len` initialised bytes, owned by `self` (invariant).
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }

    /// The bytes, for writing.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` is the only access.
        unsafe { core::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}

/// Carries the alignment of the address that stands for no bytes.
#[repr(align(64))]
struct Aligned;

impl Drop for Memory {
    fn drop(&mut self) {
        if self.len == 0 {
            return;
        }
        if let Some(layout) = Self::layout(self.len) {
            // SAFETY: allocated with this layout (invariant), freed once.
            unsafe { alloc::alloc::dealloc(self.first.as_ptr(), layout) };
        }
    }
}
