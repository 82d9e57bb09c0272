use core::alloc::Layout;
use core::ptr::NonNull;

use super::CopyError;

/// Initialised bytes at an aligned address, owned.
#[derive(Debug)]
pub struct Memory {
    // Invariant: `len` initialised bytes at `first`, within a block that was allocated with `layout(len)` and begins
    // `skipped` bytes before; no block when `len` is 0.
    first: NonNull<u8>,
    len: usize,
    skipped: usize,
}

// SAFETY: plain bytes, owned alone.
unsafe impl Send for Memory {}
// SAFETY: a shared reference only reads.
unsafe impl Sync for Memory {}

/// The alignment that is asked of the allocator: what any allocator has ready. Of more, some clear the bytes themselves
/// when zeros are wanted, though the system gave zeros, and so touch each page once too often.
const BLOCK_ALIGNMENT: usize = 16;

impl Memory {
    /// Bytes that the address is a multiple of: what the pickiest consumer needs to share memory (rule R9.3).
    pub const ALIGNMENT: usize = 64;

    /// Allocates `len` bytes of zero.
    ///
    /// # Errors
    ///
    /// [`CopyError::OutOfMemory`].
    pub fn zeroed(len: usize) -> Result<Self, CopyError> {
        // SAFETY: the allocator's own function; `new` gives it a layout of some bytes.
        Self::new(len, |layout| unsafe { alloc::alloc::alloc_zeroed(layout) })
    }

    /// Finds an aligned place in a block.
    fn new(len: usize, allocate: impl FnOnce(Layout) -> *mut u8) -> Result<Self, CopyError> {
        if len == 0 {
            return Ok(Self { first: NonNull::<Aligned>::dangling().cast(), len, skipped: 0 });
        }
        let refused = CopyError::OutOfMemory { bytes: len };
        let Some(layout) = Self::layout(len) else {
            return Err(refused);
        };
        let block = allocate(layout);
        let skipped = block.align_offset(Self::ALIGNMENT);
        match NonNull::new(block) {
            // The block has room for that: it begins at a multiple of `BLOCK_ALIGNMENT`.
            Some(block) => {
                let first = NonNull::new(block.as_ptr().wrapping_add(skipped)).unwrap_or(block);
                Ok(Self { first, len, skipped })
            }
            None => Err(refused),
        }
    }

    fn layout(len: usize) -> Option<Layout> {
        let room = len.checked_add(Self::ALIGNMENT.saturating_sub(BLOCK_ALIGNMENT))?;
        Layout::from_size_align(room, BLOCK_ALIGNMENT).ok()
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
            let block = self.first.as_ptr().wrapping_sub(self.skipped);
            // SAFETY: allocated there with this layout (invariant), freed once.
            unsafe { alloc::alloc::dealloc(block, layout) };
        }
    }
}

/// Memory on its way: its bytes may not have been written yet.
#[derive(Debug)]
pub(super) struct Unwritten(
    // All of `Memory`'s invariant but that the bytes are initialised.
    Memory,
);

impl Unwritten {
    /// Allocates `len` bytes.
    pub(super) fn new(len: usize) -> Result<Self, CopyError> {
        // SAFETY: the allocator's own function; `Memory::new` gives it a layout of some bytes.
        Memory::new(len, |layout| unsafe { alloc::alloc::alloc(layout) }).map(Self)
    }

    /// Allocates `len` bytes of zero.
    pub(super) fn zeroed(len: usize) -> Result<Self, CopyError> {
        Memory::zeroed(len).map(Self)
    }

    /// The address of the first byte, for writing.
    pub(super) fn first(&self) -> *mut u8 {
        self.0.first.as_ptr()
    }

    /// The memory.
    ///
    /// # Safety
    ///
    /// All bytes have been written.
    pub(super) unsafe fn written(self) -> Memory {
        self.0
    }
}
