use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::{self, NonNull};

/// What the start of every allocation is a multiple of; the strictest alignment that a peer is known to want.
pub(crate) const ALIGN: usize = 64;

/// What a poisoned byte holds.
pub(crate) const POISON: u8 = 0xDD;

/// The bytes behind crafted tensors: one allocation, freed when its last owner goes.
///
/// Consumers reach the bytes through raw pointers, so no reference to them is ever made.
#[derive(Debug)]
pub(crate) struct Memory {
    base: NonNull<u8>,
    layout: Layout,
    start: usize,
    len: usize,
}

// SAFETY: the allocation belongs to this value alone and may be freed on any thread. Whoever writes to it through a
// tensor's raw pointer answers for races, as for any memory behind a raw pointer.
unsafe impl Send for Memory {}
// SAFETY: as above; shared use only copies bytes out or, when a tensor is deleted, overwrites them.
unsafe impl Sync for Memory {}

impl Memory {
    /// Copies `bytes` to an address that leaves `misalign` when divided by [`ALIGN`].
    pub(crate) fn new(bytes: &[u8], misalign: usize) -> Self {
        let start = misalign % ALIGN;
        // An empty tensor gets an address too, so that "not NULL" can be tested.
        let size = bytes.len().checked_add(start).expect("a slice and 63 bytes fit the address space").max(1);
        let layout = Layout::from_size_align(size, ALIGN).expect("a slice and 63 bytes make a layout");
        // SAFETY: the size of the layout is at least 1.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) });
        let Some(base) = base else { handle_alloc_error(layout) };
        let memory = Self { base, layout, start, len: bytes.len() };
        // SAFETY: the allocation is new and holds `start + len` bytes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), memory.data(), bytes.len()) };
        memory
    }

    /// The first byte of the data.
    pub(crate) fn data(&self) -> *mut u8 {
        self.base.as_ptr().wrapping_add(self.start)
    }

    /// A copy of the bytes as they are now.
    pub(crate) fn read(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        // SAFETY: the allocation lives as long as `self` and holds `len` bytes from `data`; the vector is new.
        unsafe { ptr::copy_nonoverlapping(self.data(), bytes.as_mut_ptr(), self.len) };
        bytes
    }

    /// Overwrites every byte with [`POISON`].
    pub(crate) fn poison(&self) {
        // SAFETY: the allocation lives as long as `self` and holds `len` bytes from `data`.
        unsafe { ptr::write_bytes(self.data(), POISON, self.len) };
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: `base` came from the allocator with this very layout and is freed here only.
        unsafe { dealloc(self.base.as_ptr(), self.layout) };
    }
}
