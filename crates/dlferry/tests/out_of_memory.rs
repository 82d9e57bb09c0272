//! What happens when the allocator has nothing left: an error, never an abort, and the owner is dropped.

use std::alloc::{GlobalAlloc, Layout as Request, System};
use std::cell::Cell;
use std::ptr;
use std::sync::Arc;

use dlferry::abi::DLManagedTensorVersioned;
use dlferry::copy::{CopyError, Memory};
use dlferry::export::{Export, ExportError, Owner};
use dlferry::managed::Tensor;

/// The system's allocator, which refuses everything on threads that ask it to.
struct Refusing;

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

thread_local! {
    static IS_EMPTY: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: the system's allocator does the work; a refusal is a null pointer, as the contract has it.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, request: Request) -> *mut u8 {
        if IS_EMPTY.get() {
            return ptr::null_mut();
        }
        // SAFETY: vouched for by the caller.
        unsafe { System.alloc(request) }
    }

    unsafe fn alloc_zeroed(&self, request: Request) -> *mut u8 {
        if IS_EMPTY.get() {
            return ptr::null_mut();
        }
        // SAFETY: vouched for by the caller.
        unsafe { System.alloc_zeroed(request) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, request: Request) {
        // SAFETY: vouched for by the caller; all memory is the system's.
        unsafe { System.dealloc(memory, request) }
    }
}

fn without_memory<R>(action: impl FnOnce() -> R) -> R {
    IS_EMPTY.set(true);
    let result = action();
    IS_EMPTY.set(false);
    result
}

/// Alive as long as the other half of its counter is not alone.
struct Kept([u8; 4], #[allow(dead_code, reason = "counted, not read")] Arc<()>);

impl Owner for Kept {
    type Item = u8;

    fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

fn kept() -> (Export<Kept>, Arc<()>) {
    let counter = Arc::new(());
    (Export::read_only(Kept([1; 4], Arc::clone(&counter))), counter)
}

#[test]
fn an_export_without_memory_is_refused_and_drops_its_owner() {
    let (export, counter) = kept();
    let refusal = without_memory(|| export.finish().map(drop)).unwrap_err();
    assert!(matches!(refusal, ExportError::OutOfMemory { bytes } if bytes > 80), "{refusal:?}");
    assert_eq!(Arc::strong_count(&counter), 1);

    let (export, counter) = kept();
    assert!(without_memory(|| export.into_managed::<DLManagedTensorVersioned>()).is_err());
    assert_eq!(Arc::strong_count(&counter), 1);
}

#[test]
fn a_tensor_that_is_handed_on_without_memory_is_dropped() {
    let (export, counter) = kept();
    let tensor = export.finish().unwrap();
    assert!(without_memory(|| tensor.into_managed::<DLManagedTensorVersioned>()).is_err());
    assert_eq!(Arc::strong_count(&counter), 1);

    let (export, counter) = kept();
    let shared = export.finish().unwrap().into_shared();
    assert!(without_memory(|| shared.to_managed::<DLManagedTensorVersioned>()).is_err());
    assert_eq!(Arc::strong_count(&counter), 2, "a shared tensor stays");
    assert_eq!(shared.view().typed::<u8>().unwrap().to_vec(), [1; 4]);
}

#[test]
fn a_copy_without_memory_is_refused() {
    let tensor = kept().0.finish().unwrap();
    let refusal = without_memory(|| Tensor::copy_of(tensor.view()).map(drop)).unwrap_err();
    assert_eq!(refusal, CopyError::OutOfMemory { bytes: 4 });
    assert_eq!(without_memory(|| Memory::zeroed(100).map(drop)), Err(CopyError::OutOfMemory { bytes: 100 }));
    assert!(without_memory(|| Memory::zeroed(0)).is_ok(), "no bytes need no memory");
}
