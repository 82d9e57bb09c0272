//! The two managed structs, built from a recipe and deleted under its record.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dlferry::abi::{DLManagedTensor, DLManagedTensorVersioned, DLTensor};

use crate::memory::{Memory, POISON};
use crate::recipe::{After, Crafted, PADDED_NDIM};
use crate::record::{self, Record};

/// One of the two managed structs.
pub(crate) trait Managed: Copy + Sized {
    /// The struct of `recipe` around `dl_tensor`.
    fn assemble(recipe: &Crafted, dl_tensor: DLTensor, manager_ctx: *mut c_void) -> Self;
    /// Its `manager_ctx`.
    fn manager_ctx(&self) -> *mut c_void;
    /// The struct as poison leaves it: `manager_ctx` and `deleter` as they are, `rest` elsewhere.
    fn poisoned(&self, rest: &Self) -> Self;
}

impl Managed for DLManagedTensorVersioned {
    fn assemble(recipe: &Crafted, dl_tensor: DLTensor, manager_ctx: *mut c_void) -> Self {
        let deleter = recipe.has_deleter.then_some(delete::<Self> as unsafe extern "C" fn(*mut Self));
        Self { version: recipe.version, manager_ctx, deleter, flags: recipe.flags, dl_tensor }
    }

    fn manager_ctx(&self) -> *mut c_void {
        self.manager_ctx
    }

    fn poisoned(&self, rest: &Self) -> Self {
        Self { manager_ctx: self.manager_ctx, deleter: self.deleter, ..*rest }
    }
}

impl Managed for DLManagedTensor {
    fn assemble(recipe: &Crafted, dl_tensor: DLTensor, manager_ctx: *mut c_void) -> Self {
        let deleter = recipe.has_deleter.then_some(delete::<Self> as unsafe extern "C" fn(*mut Self));
        Self { dl_tensor, manager_ctx, deleter }
    }

    fn manager_ctx(&self) -> *mut c_void {
        self.manager_ctx
    }

    fn poisoned(&self, rest: &Self) -> Self {
        Self { manager_ctx: self.manager_ctx, deleter: self.deleter, ..*rest }
    }
}

/// Everything that one tensor owns. `manager_ctx` points here.
#[repr(C)]
struct Holder<S> {
    managed: S,
    shape: Axes,
    strides: Axes,
    memory: Arc<Memory>,
    record: Arc<Record>,
    after: After,
    deleted: AtomicBool,
}

/// The array behind `shape` or `strides`, or NULL. Raw, because consumers read it while the holder is not borrowed.
struct Axes(Option<NonNull<[i64]>>);

impl Axes {
    /// Copies `values`, filled up with ones to `ndim`.
    fn new(values: Option<&[i64]>, ndim: i32) -> Self {
        Self(values.map(|values| {
            let wanted = usize::try_from(ndim.min(PADDED_NDIM)).unwrap_or(0);
            let mut values = values.to_vec();
            values.resize(values.len().max(wanted), 1);
            NonNull::from(Box::leak(values.into_boxed_slice()))
        }))
    }

    fn as_ptr(&self) -> *mut i64 {
        self.0.map_or(ptr::null_mut(), |values| values.as_ptr().cast())
    }

    fn poison(&self) {
        if let Some(values) = self.0 {
            // SAFETY: the array is alive until `Axes` is dropped, and holds `len` values.
            unsafe { ptr::write_bytes(self.as_ptr(), POISON, values.len()) };
        }
    }
}

impl Drop for Axes {
    fn drop(&mut self) {
        if let Some(values) = self.0 {
            // SAFETY: the pointer came from a leaked box in `new` and is freed here only.
            drop(unsafe { Box::from_raw(values.as_ptr()) });
        }
    }
}

/// Builds one tensor; its deleter, or nobody, frees it.
pub(crate) fn build<S: Managed>(recipe: &Crafted) -> NonNull<S> {
    let ndim = recipe.written_ndim();
    let shape = Axes::new(recipe.shape.as_deref(), ndim);
    let strides = Axes::new(recipe.strides.as_deref(), ndim);
    let dl_tensor = DLTensor {
        data: recipe.data(),
        device: recipe.device,
        ndim,
        dtype: recipe.dtype,
        shape: shape.as_ptr(),
        strides: strides.as_ptr(),
        byte_offset: recipe.byte_offset,
    };
    let holder = NonNull::from(Box::leak(Box::new(Holder {
        managed: S::assemble(recipe, dl_tensor, ptr::null_mut()),
        shape,
        strides,
        memory: Arc::clone(&recipe.memory),
        record: Arc::clone(&recipe.record),
        after: recipe.after,
        deleted: AtomicBool::new(false),
    })));
    // SAFETY: the holder was leaked above, so the place is alive; nothing is read.
    let managed = unsafe { &raw mut (*holder.as_ptr()).managed };
    // SAFETY: the place is alive and nobody else knows it yet.
    unsafe { managed.write(S::assemble(recipe, dl_tensor, holder.as_ptr().cast())) };
    if recipe.has_deleter {
        record::born();
    }
    // SAFETY: a field of a live box is not NULL.
    unsafe { NonNull::new_unchecked(managed) }
}

/// The deleter of every crafted tensor.
///
/// # Safety
///
/// `managed` points to a struct of [`build`] that was not freed, or to a copy of one.
unsafe extern "C" fn delete<S: Managed>(managed: *mut S) {
    // SAFETY: the caller passes a readable struct of this type.
    let context = unsafe { managed.read() }.manager_ctx();
    let holder: *mut Holder<S> = context.cast();
    // SAFETY: `manager_ctx` is the holder that `build` leaked; it is freed at the end of this function only.
    let held = unsafe { &*holder };
    held.record.note(managed.cast_const() == &raw const held.managed);
    if held.deleted.swap(true, Ordering::SeqCst) {
        record::again();
    } else {
        record::gone();
    }
    match held.after {
        After::Keep => {}
        After::Free if record::keeps_all() => {}
        After::Poison => {
            held.memory.poison();
            held.shape.poison();
            held.strides.poison();
            // SAFETY: the struct is the first field of the holder, alive and plain data that nobody has borrowed.
            unsafe { poison(holder.cast::<S>()) };
        }
        // SAFETY: `build` leaked this box, and a tensor that is freed is deleted once only.
        After::Free => drop(unsafe { Box::from_raw(holder) }),
    }
}

/// Overwrites a struct with poison, all but what a second deletion needs.
///
/// # Safety
///
/// `managed` is valid for reads and writes.
unsafe fn poison<S: Managed>(managed: *mut S) {
    // SAFETY: the caller says the place is readable.
    let before = unsafe { managed.read() };
    let mut rest = before;
    // SAFETY: `rest` is a local of this size; every field takes any bit pattern but zero, which poison is not.
    unsafe { ptr::write_bytes(&raw mut rest, POISON, 1) };
    // SAFETY: the caller says the place is writable.
    unsafe { managed.write(before.poisoned(&rest)) };
}
