use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::ptr;

use crate::abi::{DLDataType, DLDevice, DLDeviceType, DLManagedTensorVersioned};
use crate::copy::{CopyError, Job, Memory, Order, Strided};
use crate::element::Scalar;
use crate::export::{Export, ExportError};
use crate::layout::{Layout, LayoutError};
use crate::managed::{DescribeError, Descriptor, Fields, Tensor};
use crate::view::TensorView;

/// A tensor of vector elements, padded or not, over a copy of some bytes.
fn tensor(bytes: &[u8], dtype: DLDataType, layout: Layout, padded: bool) -> Tensor {
    let mut memory = bytes.to_vec();
    let data = memory.as_mut_ptr().cast();
    let fields = Fields { padded, ..Fields::SHARED };
    let descriptor = Descriptor::new(data, DLDevice::CPU, dtype, layout, fields).unwrap();
    let range = descriptor.byte_range().unwrap();
    assert!(
        range.start == 0 && range.end <= isize::try_from(bytes.len()).unwrap(),
        "a test describes the bytes it gives"
    );
    // SAFETY: all elements lie in the vector, which is not touched again.
    unsafe { Tensor::from_owner(memory, descriptor) }.unwrap()
}

fn bytes(tensor: &Tensor) -> Vec<u8> {
    let first = tensor.descriptor().data().cast::<u8>();
    // SAFETY: a copy is contiguous and the tensor keeps it alive.
    let read = |at| unsafe { first.wrapping_add(at).read() };
    (0..tensor.descriptor().nbytes()).map(read).collect()
}

#[test]
fn a_copy_is_writable_says_so_and_is_its_own() {
    let source = Export::read_only(vec![1_u32, 2, 3, 4]).shape(&[2, 2]).finish().unwrap();
    let mut copy = Tensor::copy_of(source.view()).unwrap();
    assert_eq!(copy.descriptor().fields(), Fields { copied: Some(true), ..Fields::SHARED });
    assert_ne!(copy.descriptor().data(), source.descriptor().data());
    assert!(copy.typed_mut::<u32>().unwrap().set(&[0, 1], 20));
    assert_eq!(copy.view().typed::<u32>().unwrap().to_vec(), [1, 20, 3, 4]);
    assert_eq!(source.view().typed::<u32>().unwrap().to_vec(), [1, 2, 3, 4]);
}

#[test]
fn a_copy_outlives_what_it_was_made_of() {
    let source = Export::read_only(vec![1_u32, 2]).finish().unwrap().into_shared();
    let copy = Tensor::copy_of(source.view()).unwrap();
    drop(source);
    assert_eq!(copy.view().typed::<u32>().unwrap().as_slice().unwrap(), [1, 2]);
}

#[test]
fn a_copy_is_aligned_for_the_pickiest_consumer() {
    for len in [0, 1, 3, 64, 1000] {
        let source = Export::read_only(vec![7_u8; len]).finish().unwrap();
        let copy = Tensor::copy_of(source.view()).unwrap();
        assert_eq!(copy.descriptor().data().addr() % 64, 0, "{len}");
        assert_eq!(bytes(&copy), vec![7; len]);
    }
}

#[test]
fn repeated_elements_become_elements_of_their_own() {
    let layout = Layout::new(&[3, 2], &[0, 1]).unwrap();
    let source = Export::writable([5_u16, 6]).layout(layout, 0).finish().unwrap();
    assert!(source.descriptor().is_read_only());
    let mut copy = Tensor::copy_of(source.view()).unwrap();
    assert!(copy.typed_mut::<u16>().unwrap().set(&[1, 0], 50));
    assert_eq!(copy.view().typed::<u16>().unwrap().to_vec(), [5, 6, 50, 6, 5, 6]);
}

#[test]
fn a_tensor_without_axes_or_elements_is_copied() {
    let scalar = Export::read_only([2.5_f64]).shape(&[]).finish().unwrap();
    let copy = Tensor::copy_of(scalar.view()).unwrap();
    assert_eq!(copy.view().typed::<f64>().unwrap().get(&[]), Some(2.5));
    for shape in [&[0][..], &[3, 0, 2], &[i64::MAX, 4, 0]] {
        let empty = Export::read_only(Vec::<f64>::new()).shape(shape).finish().unwrap();
        let copy = Tensor::copy_of(empty.view()).unwrap();
        assert_eq!((copy.descriptor().shape(), copy.descriptor().nbytes()), (shape, 0));
    }
}

#[test]
fn strides_without_a_meaning_are_not_copied() {
    let layout = Layout::new(&[1, 3], &[i64::MIN, 1]).unwrap();
    let source = Export::read_only([7_u8, 8, 9]).layout(layout, 0).finish().unwrap();
    let copy = Tensor::copy_of(source.view()).unwrap();
    assert_eq!(copy.descriptor().strides(), [3, 1]);
}

#[test]
fn memory_that_the_host_cannot_read_is_not_copied() {
    for kind in (0..=99).filter(|kind| ![1, 3, 11, 13, 20].contains(kind)) {
        let device = DLDevice { device_type: DLDeviceType(kind), device_id: 2 };
        let layout = Layout::new(&[2], &[3]).unwrap();
        let nowhere = ptr::without_provenance_mut(1 << 24);
        let descriptor = Descriptor::new(nowhere, device, DLDataType::U8, layout, Fields::SHARED).unwrap();
        // SAFETY: no element is in memory that the host can read, so none is claimed to be readable.
        let source = unsafe { Tensor::from_owner(Box::new(()), descriptor) }.unwrap();
        assert_eq!(Tensor::copy_of(source.view()).unwrap_err(), CopyError::Device { device });
    }
}

#[test]
fn packed_elements_stay_packed_and_padded_ones_padded() {
    let source = [0x21, 0x43, 0x65, 0x87];
    let layout = || Layout::new(&[3], &[2]).unwrap();
    let packed = Tensor::copy_of(tensor(&source, DLDataType::U4, layout(), false).view()).unwrap();
    assert_eq!((bytes(&packed), packed.descriptor().fields().padded), (vec![0x31, 0x05], false));
    let layout = Layout::new(&[2], &[2]).unwrap();
    let padded = Tensor::copy_of(tensor(&source, DLDataType::U4, layout, true).view()).unwrap();
    assert_eq!((bytes(&padded), padded.descriptor().fields().padded), (vec![0x21, 0x65], true));
    assert_eq!(padded.view().scalar(&[1]), Ok(Some(Scalar::UInt(5))));
}

#[test]
fn spread_elements_have_their_sign_above_them() {
    let source = [0x2f, 0xff];
    let spread = |dtype, padded| {
        let layout = Layout::new(&[2], &[1]).unwrap();
        let spread = Tensor::spread(tensor(&source, dtype, layout, padded).view(), Order::C).unwrap();
        assert_eq!(spread.descriptor().fields(), Fields { copied: Some(true), padded: true, ..Fields::SHARED });
        bytes(&spread)
    };
    assert_eq!(spread(DLDataType::I4, false), [0xff, 0x02]);
    assert_eq!(spread(DLDataType::U4, false), [0x0f, 0x02]);
    // What has a byte each already gets the same bits above.
    assert_eq!(spread(DLDataType::I4, true), [0xff, 0xff]);
    assert_eq!(spread(DLDataType::F6_E2M3FN, true), [0x2f, 0x3f]);
    let whole = tensor(&source, DLDataType::U8, Layout::new(&[2], &[1]).unwrap(), false);
    assert_eq!(Tensor::spread(whole.view(), Order::C).err(), Some(CopyError::NotPacked { dtype: DLDataType::U8 }));
}

#[test]
fn opaque_elements_are_copied_as_bytes() {
    let dtype = DLDataType { code: crate::abi::DLDataTypeCode(200), bits: 24, lanes: 1 };
    let source: Vec<u8> = (0..12).collect();
    let copy = Tensor::copy_of(tensor(&source, dtype, Layout::new(&[2], &[2]).unwrap(), false).view()).unwrap();
    assert_eq!((copy.descriptor().dtype(), bytes(&copy)), (dtype, vec![0, 1, 2, 6, 7, 8]));
    // Elements of no bits take no memory.
    let dtype = DLDataType { bits: 0, ..dtype };
    for strides in [[1], [2]] {
        let nothing = tensor(&[], dtype, Layout::new(&[5], &strides).unwrap(), false);
        assert_eq!(bytes(&Tensor::copy_of(nothing.view()).unwrap()), []);
    }
}

#[test]
fn a_copy_that_no_allocation_can_hold_is_refused() {
    // One byte that is repeated: small in memory, huge as a copy.
    let layout = Layout::new(&[i64::MAX], &[0]).unwrap();
    let source = Export::read_only([1_u8]).layout(layout, 0).finish().unwrap();
    let refusal = Tensor::copy_of(source.view()).unwrap_err();
    assert_eq!(refusal, CopyError::OutOfMemory { bytes: usize::MAX / 2 });
    assert_eq!(Memory::zeroed(usize::MAX).unwrap_err(), CopyError::OutOfMemory { bytes: usize::MAX });
}

#[test]
fn a_repeated_element_whose_copy_has_no_size_is_refused() {
    let layout = Layout::new(&[i64::MAX], &[0]).unwrap();
    let source = Export::read_only([1_u64]).layout(layout, 0).finish().unwrap();
    assert!(matches!(Tensor::copy_of(source.view()), Err(CopyError::OutOfMemory { .. })));
}

#[test]
fn new_memory_is_zero_and_writable() {
    for len in [0, 1, 65] {
        let mut memory = Memory::zeroed(len).unwrap();
        assert_eq!(memory.as_slice(), vec![0; len]);
        assert_eq!(memory.as_slice().as_ptr().addr() % Memory::ALIGNMENT, 0);
        memory.as_mut_slice().fill(3);
        assert_eq!(memory.as_slice(), vec![3; len]);
    }
}

#[test]
fn large_memory_is_whole_and_freed_with_its_tensor() {
    // Around what large pages are asked for, at sizes that no page divides.
    for len in [(4 << 20) - 65, (4 << 20) - 64, (4 << 20) + 1, (9 << 20) + 12345] {
        let mut memory = Memory::zeroed(len).unwrap();
        assert!(memory.as_slice().iter().all(|byte| *byte == 0));
        memory.as_mut_slice().fill(7);
        let source = Export::read_only(vec![5_u8; len]).finish().unwrap();
        let copy = Tensor::copy_of(source.view()).unwrap();
        assert_eq!(copy.descriptor().data().addr() % 64, 0);
        assert!(copy.view().typed::<u8>().unwrap().as_slice().unwrap().iter().all(|byte| *byte == 5), "{len}");
        assert!(memory.as_slice().iter().all(|byte| *byte == 7), "{len}");
    }
}

#[test]
fn a_copy_is_handed_over_and_freed_by_whoever_has_it() {
    let source = Export::read_only([1_u32, 2, 3]).finish().unwrap();
    let empty = Export::read_only(Vec::<u32>::new()).finish().unwrap();
    for source in [source, empty] {
        let managed = Tensor::copy_of(source.view()).unwrap().into_managed::<DLManagedTensorVersioned>().unwrap();
        // SAFETY: just made, and handed to nobody else.
        let taken = unsafe { Tensor::from_raw_versioned(managed) }.unwrap();
        let (found, wanted) = (taken.view().typed::<u32>().unwrap(), source.view().typed::<u32>().unwrap());
        assert_eq!(found.to_vec(), wanted.to_vec());
    }
}

#[test]
fn few_elements_are_what_a_naive_copy_gives() {
    // Extents and strides in elements of the source; some beyond what is copied without a plan.
    let cases: [(&[i64], &[i64], usize); 9] = [
        (&[1], &[5], 0),
        (&[7], &[3], 0),
        (&[7], &[-3], 18),
        (&[5, 4], &[1, 5], 0),
        (&[3, 2, 4], &[-1, 24, 3], 2),
        (&[2, 1, 3], &[1, i64::MAX, 2], 0),
        (&[2, 2, 2, 2, 2, 2, 2, 2, 2], &[256, 128, 64, 32, 16, 8, 4, 2, 1], 0),
        (&[300], &[2], 0),
        (&[40, 30], &[1, 40], 0),
    ];
    for item in [1_u16, 2, 3, 4, 8, 16] {
        let dtype = DLDataType { lanes: item, ..DLDataType::U8 };
        for (shape, strides, first) in cases {
            let layout = Layout::new(shape, strides).unwrap();
            let numbers: Vec<u8> = (0..1200 * 16_u32).map(|at| (at % 251).to_le_bytes()[0]).collect();
            let item = usize::from(item);
            let naive: Vec<u8> = layout
                .offsets()
                .flat_map(|offset| {
                    let at = (i64::try_from(first).unwrap() + offset).unsigned_abs();
                    let at = usize::try_from(at).unwrap() * item;
                    numbers[at..at + item].to_vec()
                })
                .collect();
            let mut memory = numbers.clone();
            let data = memory.as_mut_ptr().wrapping_add(first * item).cast();
            let descriptor = Descriptor::new(data, DLDevice::CPU, dtype, layout, Fields::SHARED).unwrap();
            // SAFETY: all elements lie in the vector, which is not touched again.
            let source = unsafe { Tensor::from_owner(memory, descriptor) }.unwrap();
            let copy = Tensor::copy_of(source.view()).unwrap();
            assert_eq!(bytes(&copy), naive, "{shape:?} {strides:?} of {item} bytes");
            // And back, to where they came from.
            let blank =
                Tensor::zeroed(DLDataType::U8, DLDevice::CPU, &Layout::c_contiguous(&[19200]).unwrap()).unwrap();
            let data = blank.descriptor().data().cast::<u8>().wrapping_add(first * item).cast();
            let layout = Layout::new(shape, strides).unwrap();
            let target = Descriptor::new(data, DLDevice::CPU, dtype, layout, Fields::SHARED).unwrap();
            // SAFETY: within the memory of `blank`, which nobody else looks at.
            unsafe { crate::copy::copy_into(&target, copy.view()) }.unwrap();
            // SAFETY: the same memory.
            let again = unsafe { TensorView::new(&target) };
            assert_eq!(bytes(&Tensor::copy_of(again).unwrap()), naive, "{shape:?} {strides:?} of {item} bytes");
            let written = bytes(&blank).iter().filter(|byte| **byte != 0).count();
            assert!(written <= naive.len(), "no other bytes are written");
        }
    }
}

#[test]
fn elements_of_the_other_byte_order_go_where_they_are_wanted() {
    let mut source = [0_u8, 1, 0, 2, 0, 3, 0, 4];
    let swapped = cfg!(target_endian = "little");
    let strided = Strided::new(source.as_mut_ptr(), DLDataType::U16, &[2, 2], &[2, 4], swapped).unwrap();
    let target = Tensor::zeroed(DLDataType::U16, DLDevice::CPU, &Layout::c_contiguous(&[2, 2, 2]).unwrap()).unwrap();
    // SAFETY: the tensor is this test's; the source is an array as described.
    unsafe { Job::new().copy_strided_into(target.descriptor(), &strided) }.unwrap();
    assert_eq!(target.view().typed::<u16>().unwrap().to_vec(), [1, 3, 2, 4, 1, 3, 2, 4]);
    // Onto itself, transposed: as if through a temporary.
    let own = target.descriptor().data().cast::<u8>();
    let strided = Strided::new(own, DLDataType::U16, &[2, 2, 2], &[2, 4, 8], swapped).unwrap();
    // SAFETY: as above.
    unsafe { Job::new().copy_strided_into(target.descriptor(), &strided) }.unwrap();
    let found = target.view().typed::<u16>().unwrap().to_vec();
    assert_eq!(found, [1, 1, 2, 2, 3, 3, 4, 4].map(|number: u16| if swapped { number.swap_bytes() } else { number }));
    let refused = Strided::new(own, DLDataType::U16, &[3], &[2], false).unwrap();
    // SAFETY: as above.
    let refusal = unsafe { Job::new().copy_strided_into(target.descriptor(), &refused) }.unwrap_err();
    assert!(matches!(refusal, CopyError::Shape { .. }));
    let mut locked = target.descriptor().clone();
    locked.set_read_only();
    // SAFETY: as above.
    let refusal = unsafe { Job::new().copy_strided_into(&locked, &strided) }.unwrap_err();
    assert_eq!(refusal, CopyError::ReadOnly);
}

#[test]
fn a_refusal_says_what_was_found() {
    let device = DLDevice { device_type: DLDeviceType::CUDA, device_id: 1 };
    let cases = [
        (CopyError::Device { device }, "cuda:1"),
        (CopyError::from(ExportError::OutOfMemory { bytes: 12 }), "12 bytes"),
        (CopyError::from(ExportError::ReadOnlyUnversioned), "read-only"),
        (CopyError::from(LayoutError::SizeOverflow), "more elements"),
        (CopyError::from(DescribeError::NegativeNdim { ndim: -2 }), "-2"),
    ];
    for (error, part) in cases {
        let sentence = error.to_string();
        assert!(sentence.contains(part), "{part:?} in {sentence:?}");
    }
}
