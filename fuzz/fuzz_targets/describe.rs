//! Managed structs of both kinds, every field from the input, over real memory: what is taken is what the rules say, no more
//! and no less, and each of its elements is read and is the one that a naive reader finds.

#![no_main]

#[path = "../shared/bytes.rs"]
mod bytes;
#[path = "../shared/fields.rs"]
mod fields;

use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use dlferry::abi::{DLDataType, DLManagedTensor, DLManagedTensorVersioned, DLTensor};
use dlferry::copy::Order;
use dlferry::element::Element;
use dlferry::managed::{DescribeError, Tensor, describe_borrowed, describe_prototype};
use fields::{Fields, Meaning};
use libfuzzer_sys::fuzz_target;

static DELETED: AtomicUsize = AtomicUsize::new(0);

/// A struct with all that it points to, each in an allocation that is not a byte too long.
#[allow(dead_code, reason = "what the tensor points to is held for its drop alone")]
struct Block<S> {
    managed: S,
    shape: Option<Box<[i64]>>,
    strides: Option<Box<[i64]>>,
    memory: Box<[u8]>,
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensor) {
    DELETED.fetch_add(1, Ordering::SeqCst);
    // SAFETY: the context is the box that was made below.
    drop(unsafe { Box::from_raw((*managed).manager_ctx.cast::<Block<DLManagedTensor>>()) });
}

unsafe extern "C" fn delete_versioned(managed: *mut DLManagedTensorVersioned) {
    DELETED.fetch_add(1, Ordering::SeqCst);
    // SAFETY: as above.
    drop(unsafe { Box::from_raw((*managed).manager_ctx.cast::<Block<DLManagedTensorVersioned>>()) });
}

fn block<S>(fields: &Fields, fill: impl FnOnce(DLTensor) -> S) -> Box<Block<S>> {
    let memory: Vec<u8> = (0..fields.misalign + fields.len).map(|at| (at * 37 + 11) as u8).collect();
    let mut shape = fields.shape.clone().map(Vec::into_boxed_slice);
    let mut strides = fields.strides.clone().map(Vec::into_boxed_slice);
    let mut memory = memory.into_boxed_slice();
    let first = memory.as_mut_ptr().wrapping_add(fields.misalign);
    let tensor = DLTensor {
        data: fields.address.map_or(first.cast(), ptr::without_provenance_mut),
        device: fields.device,
        ndim: fields.ndim,
        dtype: fields.dtype,
        shape: shape.as_mut().map_or(ptr::null_mut(), |numbers| numbers.as_mut_ptr()),
        strides: strides.as_mut().map_or(ptr::null_mut(), |numbers| numbers.as_mut_ptr()),
        byte_offset: fields.byte_offset,
    };
    Box::new(Block { managed: fill(tensor), shape, strides, memory })
}

/// Makes the struct and takes it over; gives the address of its data, and what the memory holds.
fn import(fields: &Fields) -> (usize, Vec<u8>, Result<Tensor, DescribeError>) {
    let null = ptr::null_mut::<c_void>();
    if fields.versioned {
        let mut block = block(fields, |dl_tensor| DLManagedTensorVersioned {
            version: fields.version,
            manager_ctx: null,
            deleter: Some(delete_versioned),
            flags: fields.flags,
            dl_tensor,
        });
        block.managed.manager_ctx = (&raw mut *block).cast();
        let (data, memory) = (block.managed.dl_tensor.data.addr(), block.memory[fields.misalign..].to_vec());
        let managed = NonNull::from(&mut Box::leak(block).managed);
        // SAFETY: just made, of real arrays and, as far as the caller reads it, real memory.
        return (data, memory, unsafe { Tensor::from_raw_versioned(managed) });
    }
    let mut block = block(fields, |dl_tensor| DLManagedTensor { dl_tensor, manager_ctx: null, deleter: Some(delete) });
    block.managed.manager_ctx = (&raw mut *block).cast();
    let (data, memory) = (block.managed.dl_tensor.data.addr(), block.memory[fields.misalign..].to_vec());
    let managed = NonNull::from(&mut Box::leak(block).managed);
    // SAFETY: as above.
    (data, memory, unsafe { Tensor::from_raw_unversioned(managed) })
}

/// Lent, the same fields mean the same, and say nothing of being written or copied.
fn lent(fields: &Fields) {
    let block = block(fields, |tensor| tensor);
    // SAFETY: the arrays are those of the block.
    let lent = unsafe { describe_borrowed(&block.managed) };
    let unversioned = Fields { versioned: false, ..fields.clone() };
    let meaning = unversioned.meaning(block.managed.data.addr());
    assert_eq!(lent.is_ok(), meaning.is_some(), "{lent:?} {fields:?}");
    if let Ok(lent) = lent {
        assert!(lent.is_read_only() && lent.copied().is_none());
    }
    // SAFETY: as above.
    let prototype = unsafe { describe_prototype(NonNull::from(&block.managed)) };
    assert!(prototype.is_ok() || fields.strides.is_some() || meaning.is_none(), "{prototype:?} {fields:?}");
}

fn check(fields: &Fields, meaning: &Meaning, data: usize, tensor: &Tensor) {
    let found = tensor.descriptor();
    assert_eq!((found.dtype(), found.device()), (meaning.dtype, fields.device));
    assert_eq!((found.shape(), found.strides()), (&meaning.shape[..], &meaning.strides[..]));
    assert_eq!(i64::try_from(found.layout().size()), Ok(meaning.size));
    if meaning.size > 0 {
        let ahead = found.data().addr().wrapping_sub(data) as u64;
        assert_eq!(ahead.wrapping_add(found.byte_offset()), fields.byte_offset);
    }
    let says_read_only = !fields.versioned || fields.flags & 1 != 0;
    assert!(found.is_read_only() || !says_read_only);
    assert_eq!(found.copied(), fields.versioned.then_some(fields.flags & 2 != 0));
    if meaning.size <= 2000 {
        assert!(found.is_read_only() || !meaning.has_overlap(), "an overlap was missed");
        // With two axes the answer is exact.
        let axes = meaning.shape.iter().filter(|extent| **extent > 1).count();
        assert!(!found.is_read_only() || says_read_only || meaning.has_overlap() || axes > 2, "{fields:?}");
    }
    // Of opaque elements too, these are only numbers.
    let _ = (found.is_aligned(), found.nbytes(), found.layout().is_f_contiguous(), format!("{tensor:?}"));
}

/// Reads the elements, and writes them when that is allowed.
fn typed<T: Element>(tensor: &mut Tensor, bytes: &[u8]) {
    let size = tensor.descriptor().layout().size();
    if let Ok(view) = tensor.view().typed::<T>() {
        assert_eq!(view.iter().count(), size);
        if let Ok(slice) = view.as_slice() {
            assert_eq!(slice.len(), size);
            // SAFETY: elements of a slice are initialised; there are none without a byte.
            let read = unsafe { core::slice::from_raw_parts(slice.as_ptr().cast::<u8>(), size_of_val(slice)) };
            assert_eq!(read, bytes);
        }
    }
    let may_write = !tensor.descriptor().is_read_only();
    if let Ok(mut view) = tensor.typed_mut::<T>() {
        assert!(may_write);
        view.apply(|value| value);
    }
}

fn read(fields: &Fields, meaning: &Meaning, memory: &[u8], tensor: &mut Tensor) {
    let wanted = fields.elements(meaning, memory);
    let bits = u32::from(meaning.dtype.bits) * u32::from(meaning.dtype.lanes);
    let view = tensor.view();
    assert_eq!(view.small_bits().is_ok(), bits > 0 && bits < 8);
    if let Ok(small) = view.small_bits() {
        assert!(small.eq(wanted.iter().copied()), "{fields:?}");
    }
    if let Ok(scalars) = view.scalars() {
        assert_eq!(i64::try_from(scalars.count()), Ok(meaning.size));
    }
    let copy = view.to_contiguous(Order::C).expect("the host can read it, and it is small");
    if bits % 8 == 0 {
        let len = usize::try_from(meaning.size).unwrap() * (bits as usize / 8);
        if len > 0 {
            // SAFETY: a copy has its elements one after another.
            let copied = unsafe { core::slice::from_raw_parts(copy.descriptor().data().cast::<u8>(), len) };
            assert_eq!(copied, wanted, "{fields:?}");
        }
    } else if bits < 8 {
        assert!(copy.view().small_bits().unwrap().eq(wanted.iter().copied()), "{fields:?}");
    }
    match meaning.dtype {
        DLDataType::U8 => typed::<u8>(tensor, &wanted),
        DLDataType::BOOL => typed::<bool>(tensor, &wanted),
        DLDataType::I64 => typed::<i64>(tensor, &wanted),
        DLDataType::F32 => typed::<f32>(tensor, &wanted),
        DLDataType::F64 => typed::<f64>(tensor, &wanted),
        _ => {}
    }
}

fuzz_target!(|data: &[u8]| {
    let fields = Fields::of(&mut Bytes(data));
    let before = DELETED.load(Ordering::SeqCst);
    let (data, memory, imported) = import(&fields);
    match (imported, fields.meaning(data)) {
        (Ok(mut tensor), Some(meaning)) => {
            check(&fields, &meaning, data, &tensor);
            // What describes too many elements for the memory is read only where there are none.
            if fields.is_inside(&meaning) && meaning.size <= 2000 {
                read(&fields, &meaning, &memory, &mut tensor);
            }
            assert_eq!(DELETED.load(Ordering::SeqCst), before);
            let shared = tensor.into_shared();
            drop(shared.to_read_only());
            drop(shared);
        }
        (Err(error), None) => assert!(!error.to_string().is_empty()),
        (found, wanted) => panic!("{found:?}, and by the rules {wanted:?}: {fields:?} at {data:#x}"),
    }
    assert_eq!(DELETED.load(Ordering::SeqCst), before + 1, "deleted once");
    lent(&fields);
});
