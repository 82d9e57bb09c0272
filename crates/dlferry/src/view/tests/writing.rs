use alloc::vec::Vec;

use super::dense;
use crate::abi::DLDataType;
use crate::export::Export;
use crate::layout::Layout;

#[test]
fn an_element_is_written_where_it_is_read() {
    let layout = Layout::new(&[2, 3], &[1, -2]).unwrap();
    let mut tensor = Export::writable([0_i32; 6]).layout(layout, 4).finish().unwrap();
    let mut view = tensor.typed_mut::<i32>().unwrap();
    assert!(view.set(&[0, 1], 21) && view.set(&[1, 2], 12));
    assert_eq!((view.as_view().get(&[0, 1]), view.as_view().get(&[1, 2])), (Some(21), Some(12)));
    assert_eq!(view.as_view().to_vec(), [0, 21, 0, 0, 0, 12]);
}

#[test]
fn each_element_is_replaced_once_and_in_c_order() {
    let layout = Layout::new(&[2, 2], &[1, -2]).unwrap();
    let mut tensor = Export::writable([0_i16, 1, 2, 3, 4, 5]).layout(layout, 4).finish().unwrap();
    let mut seen = Vec::new();
    tensor.typed_mut::<i16>().unwrap().apply(|old| {
        seen.push(old);
        old * 10
    });
    assert_eq!(seen, [4, 2, 5, 3]);
    let whole = Layout::new(&[6], &[1]).unwrap();
    // SAFETY: the owner's six elements, of which the tensor's first is the fifth.
    let whole = unsafe { tensor.into_shared().with_layout(&whole, -4) }.unwrap();
    assert_eq!(whole.view().typed::<i16>().unwrap().to_vec(), [0, 1, 20, 30, 40, 50], "and nothing beside");

    let mut empty = Export::writable([0_u8; 0]).shape(&[3, 0]).finish().unwrap();
    empty.typed_mut::<u8>().unwrap().apply(|_| unreachable!("there are no elements"));
}

#[test]
fn an_index_out_of_range_writes_nothing() {
    let mut tensor = Export::writable([7_u8; 6]).shape(&[2, 3]).finish().unwrap();
    let mut view = tensor.typed_mut::<u8>().unwrap();
    for index in [&[2, 0][..], &[0, 3], &[usize::MAX, 0], &[0], &[]] {
        assert!(!view.set(index, 0), "{index:?}");
    }
    assert_eq!(view.as_view().as_slice().unwrap(), [7; 6]);
}

#[test]
fn a_mutable_slice_is_the_tensor_itself() {
    let owner: Vec<u64> = (0..6).collect();
    let address = owner.as_ptr();
    let mut tensor = Export::writable(owner).shape(&[2, 3]).finish().unwrap();
    let mut view = tensor.typed_mut::<u64>().unwrap();
    let slice = view.as_mut_slice().unwrap();
    assert_eq!(slice.as_ptr(), address);
    slice.reverse();
    assert_eq!(view.as_view().to_vec(), [5, 4, 3, 2, 1, 0]);
    assert_eq!(tensor.view().typed::<u64>().unwrap().get(&[1, 0]), Some(2));
}

#[test]
fn a_tensor_without_axes_is_written_with_an_empty_index() {
    let mut tensor = Export::writable([1.0_f32]).shape(&[]).finish().unwrap();
    assert!(tensor.typed_mut::<f32>().unwrap().set(&[], 2.5));
    assert_eq!(tensor.view().typed::<f32>().unwrap().get(&[]), Some(2.5));
}

#[test]
fn booleans_are_written_as_0_and_1() {
    let mut tensor = dense(&[9, 9, 9], DLDataType::BOOL, &[3]);
    let mut view = tensor.typed_mut::<bool>().unwrap();
    for (at, value) in [true, false, true].into_iter().enumerate() {
        assert!(view.set(&[at], value));
    }
    assert_eq!(view.as_mut_slice().unwrap(), [true, false, true]);
    assert_eq!(tensor.view().typed::<bool>().unwrap().as_slice().unwrap(), [true, false, true]);
}
