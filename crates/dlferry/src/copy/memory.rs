use core::alloc::Layout;
use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::CopyError;
use crate::managed::{Handle, Keeping};

/// Initialised bytes at an aligned address, owned.
#[derive(Debug)]
pub struct Memory {
    // Invariant: `len` initialised bytes at `first`, behind their head within a block that was allocated with `layout(len)`;
    // no block and no head when `len` is 0.
    first: NonNull<u8>,
    len: usize,
}

/// What stands right before the bytes, for who has no more than their address.
#[repr(C, align(16))]
struct Head {
    len: usize,
    /// Bytes of the block before the first one.
    skipped: usize,
}

// SAFETY: plain bytes, owned alone.
unsafe impl Send for Memory {}
// SAFETY: a shared reference only reads.
unsafe impl Sync for Memory {}

/// The alignment that is asked of the allocator: what any allocator has ready. Of more, some clear the bytes themselves
/// when zeros are wanted, though the system gave zeros, and so touch each page once too often.
const BLOCK_ALIGNMENT: usize = align_of::<Head>();

const _: () = assert!(size_of::<Head>() == BLOCK_ALIGNMENT);

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
            return Ok(Self { first: NonNull::<Aligned>::dangling().cast(), len });
        }
        let refused = CopyError::OutOfMemory { bytes: len };
        let Some(layout) = Self::layout(len) else {
            return Err(refused);
        };
        let Some(block) = NonNull::new(allocate(layout)) else {
            return Err(refused);
        };
        huge::advise(block, layout.size());
        let block = block.as_ptr();
        let past = block.addr() % Self::ALIGNMENT;
        // A multiple of `BLOCK_ALIGNMENT`, as the block's address is, and at least that: room for the head.
        let skipped = Self::ALIGNMENT.wrapping_sub(past);
        // SAFETY: the block has `ALIGNMENT` bytes more than are wanted, and no more than those are skipped.
        let first = unsafe { block.add(skipped) };
        // SAFETY: at least a head's bytes were skipped.
        let head = unsafe { head_of(first) };
        // SAFETY: within the block, which nobody else has, and aligned: see above.
        unsafe { head.write(Head { len, skipped }) };
        // SAFETY: within a block.
        Ok(Self { first: unsafe { NonNull::new_unchecked(first) }, len })
    }

    fn layout(len: usize) -> Option<Layout> {
        Layout::from_size_align(len.checked_add(Self::ALIGNMENT)?, BLOCK_ALIGNMENT).ok()
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

/// Where the head of some bytes is.
///
/// # Safety
///
/// The bytes have a head.
unsafe fn head_of(first: *mut u8) -> *mut Head {
    // SAFETY: the head stands right before, vouched for by the caller.
    let head = unsafe { first.sub(size_of::<Head>()) };
    #[allow(clippy::cast_ptr_alignment, reason = "the bytes are aligned to more than a head and its size")]
    head.cast::<Head>()
}

/// Frees a block by the address of its first byte behind the head.
///
/// # Safety
///
/// `first` is that of a [`Memory`] of some bytes, which nobody uses any more.
unsafe fn free(first: NonNull<u8>) {
    // SAFETY: some bytes have a head.
    let head = unsafe { head_of(first.as_ptr()) };
    // SAFETY: written when the block was allocated.
    let Head { len, skipped } = unsafe { head.read() };
    if let Some(layout) = Memory::layout(len) {
        let block = first.as_ptr().wrapping_sub(skipped);
        // SAFETY: allocated there with this layout (invariant), freed once.
        unsafe { alloc::alloc::dealloc(block, layout) };
    }
}

/// Carries the alignment of the address that stands for no bytes.
#[repr(align(64))]
struct Aligned;

impl Drop for Memory {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: this is the end of the bytes.
            unsafe { free(self.first) };
        }
    }
}

/// Blocks that tensors have, by the addresses of their first bytes.
static BLOCKS: Keeping = Keeping::new(release);
/// No block at all.
static NOTHING: Keeping = Keeping::new(|_| {});

/// # Safety
///
/// `first` was given to a handle by [`Unwritten::into_handle`].
unsafe fn release(first: NonNull<c_void>) {
    // SAFETY: vouched for by the caller.
    unsafe { free(first.cast()) };
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

    /// The memory as a handle, which frees it: nothing is allocated for that.
    pub(super) fn into_handle(self) -> Handle {
        let Memory { first, len } = *ManuallyDrop::new(self.0);
        // SAFETY: freed once, by the handle, on whichever thread that is.
        unsafe { Handle::keeper(first.cast(), if len > 0 { &BLOCKS } else { &NOTHING }) }
    }
}

/// Pages of some megabytes for large blocks, where the system has them and wants to be asked: each page is cleared when it
/// is first written, and of the usual ones there are 512 times as many to find.
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
mod huge {
    use core::ffi::{c_int, c_void};
    use core::ptr::NonNull;

    /// Blocks of this many bytes and more are asked for.
    const FROM: usize = 4 << 20;
    /// Advice is for whole pages of this size, or of a size that divides it.
    const PAGE: usize = 64 << 10;
    const MADV_HUGEPAGE: c_int = 14;

    unsafe extern "C" {
        fn madvise(address: *mut c_void, len: usize, advice: c_int) -> c_int;
    }

    /// Asks for them.
    pub(super) fn advise(block: NonNull<u8>, len: usize) {
        if len < FROM {
            return;
        }
        let skipped = block.as_ptr().align_offset(PAGE);
        let len = len.saturating_sub(skipped);
        let first = block.as_ptr().wrapping_add(skipped);
        // SAFETY: pages of the block, and what is advised changes nothing that is in them. Where the advice is not known, an
        // error is returned, and nothing is lost.
        unsafe { madvise(first.cast(), len, MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(feature = "std", target_os = "linux", not(miri))))]
mod huge {
    /// Nothing to be asked.
    pub(super) fn advise(_block: core::ptr::NonNull<u8>, _len: usize) {}
}
