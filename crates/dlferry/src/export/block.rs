use core::alloc::Layout as Memory;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::release::let_go;
use super::{AtOnce, ExportError, Last, Release};
use crate::abi::DLTensor;
use crate::layout::Layout;
use crate::managed::{Descriptor, Fields, ManagedStruct};

/// The one allocation behind an exported tensor. Shape and strides follow it, `2 * ndim` integers.
#[repr(C)]
struct Block<S, O> {
    // First, so that the struct's address is the block's.
    managed: S,
    owner: O,
    memory: Memory,
}

/// A block whose owner is in place and whose struct is not yet written. Dropping it releases the owner.
pub(super) struct Draft<S: ManagedStruct, O: Send, R: Release = AtOnce> {
    // Invariant: allocated with `memory`; `owner` is initialised, `managed` is not.
    block: NonNull<Block<S, O>>,
    memory: Memory,
    dims: usize,
    releases: PhantomData<R>,
}

impl<S: ManagedStruct, O: Send + 'static, R: Release> Draft<S, O, R> {
    /// Allocates room for a tensor of `ndim` axes and moves the owner in.
    pub(super) fn new(owner: O, ndim: usize) -> Result<Self, ExportError> {
        let Some((memory, dims)) = Self::memory(ndim) else {
            let_go::<R, O>(owner);
            return Err(ExportError::OutOfMemory { bytes: usize::MAX });
        };
        // SAFETY: the size is not zero: a managed struct is part of it.
        let block = unsafe { alloc::alloc::alloc(memory) };
        // The allocator aligned it for `Block<S, O>`, whose layout `memory` extends.
        #[allow(clippy::cast_ptr_alignment, reason = "allocated with the alignment of the target type")]
        let Some(block) = NonNull::new(block.cast::<Block<S, O>>()) else {
            let_go::<R, O>(owner);
            return Err(ExportError::OutOfMemory { bytes: memory.size() });
        };
        // SAFETY: within the block just allocated.
        let place = unsafe { &raw mut (*block.as_ptr()).owner };
        // SAFETY: as above; nothing was there before.
        unsafe { place.write(owner) };
        Ok(Self { block, memory, dims, releases: PhantomData })
    }

    fn memory(ndim: usize) -> Option<(Memory, usize)> {
        let dims = Memory::array::<i64>(ndim.checked_mul(2)?).ok()?;
        let (memory, at) = Memory::new::<Block<S, O>>().extend(dims).ok()?;
        Some((memory.pad_to_align(), at))
    }

    /// The owner, in its final place.
    pub(super) fn owner(&mut self) -> &mut O {
        // SAFETY: initialised (invariant), and `&mut self` is the only access.
        unsafe { &mut (*self.block.as_ptr()).owner }
    }

    /// Writes the struct and hands it over: from here the deleter owns the block.
    ///
    /// The layout must have the `ndim` that the draft was made for; its integers are copied.
    pub(super) fn finish(self, descriptor: &Descriptor, fields: Fields) -> NonNull<S> {
        let this = ManuallyDrop::new(self);
        let block = this.block.as_ptr();
        // SAFETY: `dims` is the place of the integers within the allocation.
        let dims = unsafe { block.byte_add(this.dims) };
        #[allow(clippy::cast_ptr_alignment, reason = "`extend` placed the integers at their alignment")]
        let shape = dims.cast::<i64>();
        // SAFETY: room for `2 * ndim` integers was allocated there.
        let strides = unsafe { write_dims(shape, descriptor.layout()) };
        let layout = descriptor.layout();
        let tensor = DLTensor {
            data: if layout.is_empty() { core::ptr::null_mut::<c_void>() } else { descriptor.data() },
            device: descriptor.device(),
            // A layout of more axes than an `i32` counts would need 32 GiB of integers; it exports as a malformed
            // tensor that every consumer refuses.
            ndim: i32::try_from(layout.ndim()).unwrap_or(-1),
            dtype: descriptor.dtype(),
            shape,
            strides,
            byte_offset: descriptor.byte_offset(),
        };
        // SAFETY: within the block.
        let managed = unsafe { &raw mut (*block).managed };
        // SAFETY: within the block.
        let memory = unsafe { &raw mut (*block).memory };
        // SAFETY: nobody has seen the block yet.
        unsafe { managed.write(S::compose(tensor, fields, delete::<S, O, R>)) };
        // SAFETY: as above.
        unsafe { memory.write(this.memory) };
        // `managed` is the first field: the pointer that goes out spans the whole block.
        this.block.cast::<S>()
    }
}

impl<S: ManagedStruct, O: Send, R: Release> Drop for Draft<S, O, R> {
    fn drop(&mut self) {
        // SAFETY: the owner is initialised and the block allocated with `memory` (invariant); this is their end.
        unsafe { release::<S, O, R>(self.block, self.memory) };
    }
}

/// Writes shape and strides one behind the other; returns where the strides begin.
///
/// # Safety
///
/// There is room for `2 * ndim` integers.
unsafe fn write_dims(shape: *mut i64, layout: &Layout) -> *mut i64 {
    let ndim = layout.ndim();
    // SAFETY: room for `ndim` integers, vouched for by the caller; the layout is elsewhere.
    unsafe { shape.copy_from_nonoverlapping(layout.shape().as_ptr(), ndim) };
    // SAFETY: within, or one past, the room.
    let strides = unsafe { shape.add(ndim) };
    // SAFETY: room for another `ndim` integers; a layout has as many strides as extents.
    unsafe { strides.copy_from_nonoverlapping(layout.strides().as_ptr(), ndim) };
    strides
}

/// The deleter of every tensor made here. May run on any thread; nothing leaves it, no panic either.
///
/// # Safety
///
/// `managed` came from [`Draft::finish`] of the same types, and this is the only call for it.
unsafe extern "C" fn delete<S: ManagedStruct, O: Send + 'static, R: Release>(managed: *mut S) {
    #[allow(clippy::cast_ptr_alignment, reason = "the struct is the first field of an aligned block")]
    let Some(block) = NonNull::new(managed.cast::<Block<S, O>>()) else {
        return;
    };
    // SAFETY: `finish` wrote it.
    let memory = unsafe { (*block.as_ptr()).memory };
    // SAFETY: `finish` handed the block over with its owner in place, and this is its end.
    unsafe { release::<S, O, R>(block, memory) };
}

/// Releases the owner and frees the block. A panic of the owner's destructor ends here.
///
/// # Safety
///
/// The owner is initialised, the block allocated with `memory`, and neither is used again.
unsafe fn release<S, O: Send, R: Release>(block: NonNull<Block<S, O>>, memory: Memory) {
    // SAFETY: within the block.
    let owner = unsafe { &raw mut (*block.as_ptr()).owner };
    // SAFETY: initialised, and the wrapper has the same layout; nobody else looks at it.
    let owner = unsafe { &mut *owner.cast::<ManuallyDrop<O>>() };
    // SAFETY: not used again, and dropped here only.
    let last = unsafe { Last::new(owner) };
    contain(|| R::release(last));
    // SAFETY: allocated with this layout.
    unsafe { alloc::alloc::dealloc(block.as_ptr().cast(), memory) };
}

/// Runs `action` and keeps a panic from leaving it. Without `std` a panic cannot be caught, and the `extern "C"` frame above
/// aborts.
fn contain(action: impl FnOnce()) {
    #[cfg(not(feature = "std"))]
    action();
    // What the panic carried is left behind: dropping it could panic again.
    #[cfg(feature = "std")]
    if let Err(payload) = std::panic::catch_unwind(core::panic::AssertUnwindSafe(action)) {
        let _leaked = ManuallyDrop::new(payload);
    }
}
