use alloc::vec::Vec;

use super::{bytes_at, dense};
use crate::abi::{DLDataType, DLDevice, DLDeviceType};
use crate::export::Export;
use crate::layout::Layout;
use crate::managed::{Descriptor, Fields, Tensor};
use crate::view::ViewError;

#[test]
fn an_index_out_of_range_has_no_element() {
    let tensor = Export::read_only([0_u8, 1, 2, 3, 4, 5]).shape(&[2, 3]).finish().unwrap();
    let view = tensor.view().typed::<u8>().unwrap();
    assert_eq!(view.get(&[1, 2]), Some(5));
    for index in [&[2, 0][..], &[0, 3], &[usize::MAX, 0], &[0], &[], &[0, 0, 0]] {
        assert_eq!(view.get(index), None, "{index:?}");
        assert_eq!(tensor.view().scalar(index), Ok(None), "{index:?}");
    }
}

#[test]
fn a_tensor_without_axes_is_read_with_an_empty_index() {
    let tensor = Export::read_only([7.5_f64]).shape(&[]).finish().unwrap();
    let view = tensor.view().typed::<f64>().unwrap();
    assert_eq!(view.get(&[]), Some(7.5));
    assert_eq!((view.to_vec(), view.as_slice().unwrap().len()), ([7.5].to_vec(), 1));
    assert_eq!((view.shape().len(), view.layout().size()), (0, 1));
}

#[test]
fn a_view_says_what_its_tensor_says() {
    let layout = Layout::new(&[2, 3], &[1, -2]).unwrap();
    let mut tensor = Export::writable([0_i16; 6]).layout(layout.clone(), 4).finish().unwrap();
    let data = tensor.descriptor().data();
    let any = tensor.view();
    assert_eq!((any.shape(), any.strides(), any.layout()), (&[2, 3][..], &[1, -2][..], &layout));
    assert_eq!((any.dtype(), any.device(), any.descriptor().data()), (DLDataType::I16, DLDevice::CPU, data));
    let typed = any.typed::<i16>().unwrap();
    assert_eq!((typed.shape(), typed.strides(), typed.layout()), (&[2, 3][..], &[1, -2][..], &layout));
    assert_eq!(typed.descriptor().data(), data);
    assert_eq!(tensor.typed_mut::<i16>().unwrap().descriptor().data(), data);
}

#[test]
fn elements_come_in_c_order_whatever_the_strides() {
    let layout = Layout::new(&[2, 3], &[1, -2]).unwrap();
    let tensor = Export::read_only([0_i16, 1, 2, 3, 4, 5]).layout(layout, 4).finish().unwrap();
    let view = tensor.view().typed::<i16>().unwrap();
    assert_eq!(view.to_vec(), [4, 2, 0, 5, 3, 1]);
    assert_eq!(view.strides(), [1, -2]);
    let mut elements = view.iter();
    assert_eq!(elements.len(), 6);
    assert_eq!((elements.next(), elements.len()), (Some(4), 5));
    assert_eq!((&view).into_iter().map(i64::from).sum::<i64>(), 15);
    assert_eq!(tensor.view().scalars().unwrap().len(), 6);
}

#[test]
fn an_empty_tensor_gives_nothing_and_reads_nothing() {
    let pointers = [core::ptr::null_mut(), core::ptr::without_provenance_mut(3)];
    for (data, shape) in pointers.into_iter().flat_map(|data| [&[0][..], &[i64::MAX, 4, 0]].map(|shape| (data, shape)))
    {
        let layout = Layout::c_contiguous(shape).unwrap();
        let descriptor = Descriptor::new(data, DLDevice::CPU, DLDataType::F64, layout, Fields::SHARED).unwrap();
        // SAFETY: no elements, no memory.
        let mut tensor = unsafe { Tensor::from_owner((), descriptor) }.unwrap();
        let view = tensor.view().typed::<f64>().unwrap();
        assert!(view.as_slice().unwrap().is_empty() && view.to_vec().is_empty());
        assert_eq!((view.iter().next(), view.iter().len()), (None, 0));
        assert_eq!(view.get(&[0, 0, 0]), None);
        assert_eq!(tensor.view().scalars().unwrap().count(), 0);
        let mut view = tensor.typed_mut::<f64>().unwrap();
        assert!(view.as_mut_slice().unwrap().is_empty());
        assert!(!view.set(&[0], 1.0) && !view.set(&[0, 0, 0], 1.0));
    }
}

#[test]
fn the_byte_offset_is_part_of_the_address() {
    let bytes: Vec<u8> = (0..32).collect();
    let whole = dense(&bytes, DLDataType::U8, &[32]);
    let layout = Layout::c_contiguous(&[3]).unwrap();
    let descriptor = Descriptor::with_byte_offset(
        whole.descriptor().data(),
        5,
        DLDevice::CPU,
        DLDataType::U8,
        layout,
        Fields::SHARED,
    )
    .unwrap();
    // SAFETY: bytes 5 to 7 of the 32 that the owner has.
    let part = unsafe { Tensor::from_owner(whole, descriptor) }.unwrap();
    assert_eq!(part.view().typed::<u8>().unwrap().as_slice().unwrap(), [5, 6, 7]);
    assert_eq!(part.view().scalar(&[0]), Ok(Some(crate::element::Scalar::UInt(5))));
}

#[test]
fn memory_that_is_mapped_into_the_host_is_read() {
    for kind in [1, 3, 11, 13, 20] {
        let mut owner = Vec::from([4_u32, 5, 6]);
        let device = DLDevice { device_type: DLDeviceType(kind), device_id: 0 };
        let layout = Layout::c_contiguous(&[3]).unwrap();
        let data = owner.as_mut_ptr().cast();
        let descriptor = Descriptor::new(data, device, DLDataType::U32, layout, Fields::SHARED).unwrap();
        // SAFETY: three elements in the vector, which is not touched again.
        let tensor = unsafe { Tensor::from_owner(owner, descriptor) }.unwrap();
        assert_eq!(tensor.view().typed::<u32>().unwrap().as_slice().unwrap(), [4, 5, 6]);
    }
}

#[test]
fn a_view_of_a_shared_tensor_is_read_on_many_threads() {
    extern crate std;

    let shared = Export::read_only((0..1000_u32).collect::<Vec<_>>()).finish().unwrap().into_shared();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let view = shared.view().typed::<u32>().unwrap();
                assert_eq!(view.iter().map(u64::from).sum::<u64>(), 499_500);
                assert_eq!(view.as_slice().unwrap().len(), 1000);
            });
        }
    });
}

#[test]
fn clones_of_an_iterator_go_on_from_the_same_element() {
    let tensor = Export::read_only([1_u8, 2, 3]).finish().unwrap();
    let mut elements = tensor.view().typed::<u8>().unwrap().iter();
    elements.next();
    let rest: Vec<_> = elements.clone().collect();
    assert_eq!((rest, elements.collect::<Vec<_>>()), (Vec::from([2, 3]), Vec::from([2, 3])));
}

#[test]
fn booleans_of_0_and_1_are_lent() {
    let tensor = dense(&[0, 1, 1], DLDataType::BOOL, &[3]);
    assert_eq!(tensor.view().typed::<bool>().unwrap().as_slice().unwrap(), [false, true, true]);
    let layout = Layout::new(&[2], &[2]).unwrap();
    let spread = bytes_at(0, &[0, 7, 1], DLDataType::BOOL, layout, 0, Fields::SHARED);
    let view = spread.view().typed::<bool>().unwrap();
    assert_eq!(view.as_slice().unwrap_err(), ViewError::NotContiguous);
    assert_eq!(view.to_vec(), [false, true]);
}
