use std::alloc::{Layout, alloc_zeroed, dealloc};

/// Page-aligned bytes that both sides share.
pub(crate) struct Block {
    first: *mut u8,
    layout: Layout,
}

unsafe extern "C" {
    fn madvise(first: *mut u8, len: usize, advice: i32) -> i32;
}

impl Block {
    /// With `huge` the system is asked for huge pages, as NumPy asks for its own arrays.
    pub(crate) fn new(len: usize, huge: bool) -> Self {
        let layout = Layout::from_size_align(len, 2 << 20).expect("small");
        // SAFETY: the size is not zero.
        let first = unsafe { alloc_zeroed(layout) };
        assert!(!first.is_null(), "out of memory");
        if huge && cfg!(target_os = "linux") {
            // SAFETY: advice about the pages of this block; 14 is `MADV_HUGEPAGE`.
            unsafe { madvise(first, len, 14) };
        }
        Self { first, layout }
    }

    pub(crate) fn first(&self) -> *mut u8 {
        self.first
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: initialised, and `&mut self` is the only access.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.layout.size()) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.first, self.layout) };
    }
}
