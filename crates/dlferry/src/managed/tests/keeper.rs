//! Memory that something else than a managed struct keeps alive.

extern crate std;

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicUsize, Ordering};

use super::craft::{NOWHERE, compact};
use crate::abi::{DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned};
use crate::element::DTypeError;
use crate::layout::{Layout, LayoutError};
use crate::managed::{DescribeError, Descriptor, Fields, Handle, Keeping, Outline, SharedTensor, Strides, Tensor};

type Count = Arc<AtomicUsize>;

fn unshared(shared: SharedTensor) -> Result<Tensor, SharedTensor> {
    // SAFETY: nobody looks at the memory of these tests.
    unsafe { shared.try_unshare() }
}

/// # Safety
///
/// `keeper` is a boxed count, released nowhere else.
unsafe fn count(keeper: NonNull<c_void>) {
    // SAFETY: vouched for by the caller.
    let count = unsafe { Box::from_raw(keeper.as_ptr().cast::<Count>()) };
    count.fetch_add(1, Ordering::SeqCst);
}

static KEEPING: Keeping = Keeping::new(count);
/// The same, and another one all the same.
static OTHER: Keeping = Keeping::new(count);

/// A handle of a keeper, its address, and how often it was released.
fn keeper() -> (Handle, NonNull<c_void>, Count) {
    let released = Count::default();
    let keeper = NonNull::from(Box::leak(Box::new(Arc::clone(&released)))).cast();
    // SAFETY: a boxed count, handed over; it may go on any thread.
    (unsafe { Handle::keeper(keeper, &KEEPING) }, keeper, released)
}

fn outline<'a>(shape: &'a [i64], strides: Strides<'a>) -> Outline<'a> {
    let (device, dtype) = (DLDevice::CPU, DLDataType::F32);
    Outline { data: NOWHERE, device, dtype, shape, strides, fields: Fields::SHARED }
}

/// A tensor of two elements that a keeper keeps.
fn kept() -> (Tensor, NonNull<c_void>, Count) {
    let (handle, keeper, released) = keeper();
    // SAFETY: no element is looked at.
    let tensor = unsafe { Tensor::from_outline(handle, &outline(&[2], Strides::Bytes(&[4]))) };
    (tensor.expect("well-formed"), keeper, released)
}

#[test]
fn the_keeper_is_released_once() {
    let (handle, _, released) = keeper();
    drop(handle);
    assert_eq!(released.load(Ordering::SeqCst), 1);

    let (tensor, _, released) = kept();
    let (handle, descriptor) = tensor.into_parts();
    drop(descriptor);
    assert_eq!(released.load(Ordering::SeqCst), 0);
    drop(handle);
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn the_keeper_is_released_by_the_last_of_the_shared_tensors_on_any_thread() {
    let (tensor, _, released) = kept();
    let shared = tensor.into_shared();
    let all = [shared.clone(), shared.to_read_only(), shared.to_read_only().to_read_only(), shared];
    let threads: Vec<_> = all.into_iter().map(|shared| std::thread::spawn(move || drop(shared))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn the_keeper_is_released_by_an_exports_deleter() {
    let (tensor, _, released) = kept();
    let managed = tensor.into_managed::<DLManagedTensorVersioned>().unwrap();
    assert_eq!(released.load(Ordering::SeqCst), 0);
    // SAFETY: just made and handed to nobody else.
    drop(unsafe { Tensor::from_raw_versioned(managed) });
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn the_keeper_is_known_to_who_knows_its_keeping() {
    let (handle, own, _released) = keeper();
    assert_eq!(handle.kept_by(&KEEPING), Some(own));
    assert_eq!(handle.kept_by(&OTHER), None);

    let (tensor, own, _released) = kept();
    let shared = tensor.into_shared();
    let view = shared.to_read_only().to_read_only();
    drop(shared);
    assert_eq!(view.kept_by(&KEEPING), Some(own));
    assert_eq!(view.kept_by(&OTHER), None);
}

#[test]
fn what_a_managed_struct_keeps_has_no_keeper() {
    let (tensor, _log) = compact(&[2]).import::<DLManagedTensorVersioned>();
    assert_eq!(tensor.unwrap().into_shared().kept_by(&KEEPING), None);
    let (tensor, _log) = compact(&[2]).import::<DLManagedTensor>();
    assert_eq!(tensor.unwrap().into_shared().kept_by(&KEEPING), None);
}

#[test]
fn an_outline_is_described_as_a_layout_is() {
    let cases: [(&[i64], &[i64], DLDataType); 8] = [
        (&[], &[], DLDataType::F32),
        (&[2, 3], &[3, 1], DLDataType::F32),
        (&[2, 3], &[-3, 2], DLDataType::F64),
        (&[2, 3], &[0, 1], DLDataType::U8),
        (&[0, 3], &[77, -7], DLDataType::C128),
        (&[1, 3], &[i64::MAX, 1], DLDataType::F16),
        (&[1, 1, 1, 1, 1, 1, 1, 1, 2], &[9, 9, 9, 9, 9, 9, 9, 9, 1], DLDataType::I16),
        (&[2, 2], &[1, 1], DLDataType::I32),
    ];
    for (shape, strides, dtype) in cases {
        let layout = Layout::new(shape, strides).unwrap();
        let wanted = Descriptor::new(NOWHERE, DLDevice::CPU, dtype, layout, Fields::SHARED).unwrap();
        let item = i64::try_from(dtype.item_bytes()).unwrap();
        let bytes = strides.iter().map(|stride| stride.checked_mul(item)).collect::<Option<Vec<_>>>();
        let units = [Some(Strides::Elements(strides)), bytes.as_deref().map(Strides::Bytes)];
        for strides in units.into_iter().flatten() {
            let (handle, _, released) = keeper();
            // SAFETY: no element is looked at.
            let tensor = unsafe { Tensor::from_outline(handle, &Outline { dtype, ..outline(shape, strides) }) };
            let tensor = tensor.unwrap();
            let found = tensor.descriptor();
            assert_eq!((found.layout(), found.dtype()), (wanted.layout(), dtype));
            assert_eq!((found.data(), found.fields()), (wanted.data(), wanted.fields()));
            drop(tensor);
            assert_eq!(released.load(Ordering::SeqCst), 1);
        }
    }
}

#[test]
fn a_refused_outline_gives_its_handle_back() {
    let plain = outline(&[2], Strides::Bytes(&[4]));
    let partial = LayoutError::PartialStride { bytes: 6, item: 4 };
    let none = DLDataType { lanes: 0, ..DLDataType::F32 };
    let cases: [(Outline<'_>, DescribeError); 5] = [
        (outline(&[2], Strides::Bytes(&[6])), partial.into()),
        (outline(&[-1], Strides::Elements(&[1])), LayoutError::NegativeExtent { axis: 0, extent: -1 }.into()),
        (outline(&[2], Strides::Elements(&[])), LayoutError::RankMismatch { shape: 1, strides: 0 }.into()),
        (Outline { data: ptr::null_mut(), ..plain }, DescribeError::NullData { size: 2 }),
        (
            Outline { dtype: none, strides: Strides::Elements(&[1]), ..plain },
            DTypeError::ZeroLanes { dtype: none }.into(),
        ),
    ];
    for (outline, wanted) in cases {
        let (handle, own, released) = keeper();
        // SAFETY: no element is looked at.
        let (error, handle) = unsafe { Tensor::from_outline(handle, &outline) }.map(drop).unwrap_err();
        assert_eq!(error, wanted);
        assert_eq!(released.load(Ordering::SeqCst), 0);
        assert_eq!(handle.kept_by(&KEEPING), Some(own));
        drop(handle);
        assert_eq!(released.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn the_only_reference_to_a_tensor_is_no_longer_shared() {
    let (tensor, _, released) = kept();
    let shared = tensor.into_shared();
    let second = shared.clone();
    let shared = unshared(shared).expect_err("there are two");
    drop(second);
    let mut tensor = unshared(shared).expect("there is one");
    tensor.set_read_only();
    assert!(tensor.descriptor().is_read_only());
    assert_eq!(released.load(Ordering::SeqCst), 0);
    drop(tensor);
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn a_view_with_another_layout_keeps_the_memory_and_is_described_as_a_view_is() {
    let (tensor, own, released) = kept();
    let whole = tensor.into_shared();
    let layout = Layout::new(&[2], &[-1]).unwrap();
    let wanted = whole.descriptor().view(layout.clone(), 1).unwrap();
    // SAFETY: elements 1 and 0 of two.
    let view = unsafe { whole.with_layout(&layout, 1) }.unwrap();
    let (layout, first) = (Layout::new(&[1], &[1]).unwrap(), -1);
    // SAFETY: element 0, which is one before the first of the view.
    let part = unsafe { view.with_layout(&layout, first) }.unwrap();
    assert_eq!(format!("{:?}", view.descriptor()), format!("{wanted:?}"));
    assert_eq!((part.descriptor().data(), part.descriptor().shape()), (NOWHERE, &[1][..]));
    drop((whole, view));
    assert_eq!((part.kept_by(&KEEPING), released.load(Ordering::SeqCst)), (Some(own), 0));
    drop(part);
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn a_view_that_is_refused_leaves_nothing_behind() {
    let (tensor, _, released) = kept();
    let whole = tensor.into_shared();
    let layout = Layout::new(&[1], &[1]).unwrap();
    // SAFETY: not among the elements, which is refused before anybody looks.
    let refused = unsafe { whole.with_layout(&layout, i64::MAX) };
    assert!(matches!(refused, Err(DescribeError::AddressOverflow { .. })));
    drop(whole);
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn the_debug_form_of_a_tensor_says_what_it_is() {
    let (tensor, _, _released) = kept();
    let said = format!("{:?}", tensor.descriptor());
    assert!(format!("{tensor:?}").contains(&said));
    assert!(format!("{:?}", tensor.into_shared()).contains(&said));
}

#[test]
fn a_view_stays_shared_with_what_it_is_a_view_of() {
    let (tensor, _, released) = kept();
    let shared = tensor.into_shared();
    let view = shared.to_read_only();
    let view = unshared(view).expect_err("its root is there");
    let shared = unshared(shared).expect_err("its view is there");
    drop(shared);
    let view = unshared(view).expect_err("it has no handle of its own");
    assert_eq!(released.load(Ordering::SeqCst), 0);
    drop(view);
    assert_eq!(released.load(Ordering::SeqCst), 1);
}
