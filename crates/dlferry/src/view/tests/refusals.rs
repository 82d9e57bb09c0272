use alloc::string::ToString;
use alloc::vec;

use super::{bytes_at, dense, nowhere};
use crate::abi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use crate::export::Export;
use crate::layout::Layout;
use crate::managed::Fields;
use crate::view::ViewError;

#[test]
fn elements_of_another_type_are_refused() {
    let mut tensor = Export::writable(vec![1.0_f32; 4]).finish().unwrap();
    let wanted = |wanted| ViewError::DType { wanted, found: DLDataType::F32 };
    assert_eq!(tensor.view().typed::<i32>().unwrap_err(), wanted(DLDataType::I32));
    assert_eq!(tensor.view().typed::<u32>().unwrap_err(), wanted(DLDataType::U32));
    assert_eq!(tensor.view().typed::<f64>().unwrap_err(), wanted(DLDataType::F64));
    assert_eq!(tensor.view().typed::<bool>().unwrap_err(), wanted(DLDataType::BOOL));
    assert_eq!(tensor.typed_mut::<i32>().unwrap_err(), wanted(DLDataType::I32));
    assert!(tensor.view().typed::<f32>().is_ok());
}

#[test]
fn two_lanes_are_not_one_element() {
    let found = DLDataType { lanes: 2, ..DLDataType::U8 };
    let tensor = dense(&[1, 2, 3, 4], found, &[2]);
    assert_eq!(tensor.view().typed::<u8>().unwrap_err(), ViewError::DType { wanted: DLDataType::U8, found });
    assert_eq!(tensor.view().typed::<u16>().unwrap_err().to_string(), "wanted elements of uint16, found uint8x2");
}

#[test]
fn memory_of_other_devices_is_never_read() {
    for kind in (0..=99).filter(|kind| ![1, 3, 11, 13, 20].contains(kind)) {
        let device = DLDevice { device_type: DLDeviceType(kind), device_id: 3 };
        let refused = ViewError::Device { device };
        // Nothing at the address: a read would be the end of the test.
        let mut tensor = nowhere(device, DLDataType::F64, &[2, 2]);
        assert_eq!(tensor.view().typed::<f64>().unwrap_err(), refused);
        assert_eq!(tensor.view().scalar(&[0, 0]).unwrap_err(), refused);
        assert_eq!(tensor.view().scalars().unwrap_err(), refused);
        assert_eq!(tensor.typed_mut::<f64>().unwrap_err(), refused);
        assert_eq!((tensor.view().device(), tensor.view().shape()), (device, &[2, 2][..]));
    }
}

#[test]
fn an_unknown_dtype_has_no_values() {
    let cases = [
        DLDataType { code: DLDataTypeCode(200), bits: 8, lanes: 1 },
        DLDataType { code: DLDataTypeCode(200), bits: 0, lanes: 1 },
        DLDataType { code: DLDataTypeCode::OPAQUE_HANDLE, bits: 64, lanes: 1 },
        DLDataType { lanes: 4, ..DLDataType::F32 },
        DLDataType { bits: 128, ..DLDataType::F32 },
        DLDataType { bits: 3, ..DLDataType::I8 },
        DLDataType { code: DLDataTypeCode(200), bits: 255, lanes: 2 },
    ];
    for dtype in cases {
        let tensor = dense(&[0; 128], dtype, &[2]);
        assert_eq!(tensor.view().scalar(&[0]).unwrap_err(), ViewError::Opaque { dtype });
        assert_eq!(tensor.view().scalars().unwrap_err(), ViewError::Opaque { dtype });
        // Also of an index out of range, and of an empty tensor.
        assert_eq!(tensor.view().scalar(&[9]).unwrap_err(), ViewError::Opaque { dtype });
        assert!(dense(&[], dtype, &[0]).view().scalars().is_err());
    }
}

#[test]
fn read_only_tensors_are_not_lent_for_writing() {
    let mut tensor = Export::read_only(vec![1_u8; 4]).finish().unwrap();
    assert_eq!(tensor.typed_mut::<u8>().unwrap_err(), ViewError::ReadOnly);
    let mut tensor = Export::writable(vec![1_u8; 4]).finish().unwrap().into_read_only();
    assert_eq!(tensor.typed_mut::<u8>().unwrap_err(), ViewError::ReadOnly);
}

#[test]
fn overlapping_elements_are_not_lent_for_writing() {
    let layouts: [(&[i64], &[i64]); 3] = [(&[3], &[0]), (&[3, 3], &[1, 1]), (&[2, 3], &[0, 1])];
    for (shape, strides) in layouts {
        let layout = Layout::new(shape, strides).unwrap();
        let mut tensor = Export::writable(vec![1_u8; 5]).layout(layout, 0).finish().unwrap();
        assert_eq!(tensor.typed_mut::<u8>().unwrap_err(), ViewError::ReadOnly, "{shape:?} {strides:?}");
        assert!(tensor.view().typed::<u8>().is_ok());
    }
}

#[test]
fn elements_that_do_not_lie_one_after_another_are_no_slice() {
    // Also where the numbers would fit: reversed, each second one, columns first, repeated, a gap between rows.
    let layouts: [(&[i64], &[i64], usize); 6] = [
        (&[4], &[-1], 3),
        (&[4], &[2], 0),
        (&[2, 3], &[1, 2], 0),
        (&[4], &[0], 0),
        (&[2, 2], &[3, 1], 0),
        (&[2, 2], &[2, -1], 1),
    ];
    for (shape, strides, first) in layouts {
        let layout = Layout::new(shape, strides).unwrap();
        let mut tensor = Export::writable((0..8_u16).collect::<vec::Vec<_>>()).layout(layout, first).finish().unwrap();
        let refused = tensor.view().typed::<u16>().unwrap().as_slice().unwrap_err();
        assert_eq!(refused, ViewError::NotContiguous, "{shape:?} {strides:?}");
        if let Ok(mut view) = tensor.typed_mut::<u16>() {
            assert_eq!(view.as_mut_slice().unwrap_err(), ViewError::NotContiguous);
        }
    }
}

#[test]
fn strides_of_extent_1_do_not_keep_a_slice_back() {
    for odd in [0, 77, -7, i64::MAX, i64::MIN] {
        let layout = Layout::new(&[1, 3, 1], &[odd, 1, odd]).unwrap();
        let mut tensor = Export::writable([7_u16, 8, 9]).layout(layout, 0).finish().unwrap();
        assert_eq!(tensor.view().typed::<u16>().unwrap().as_slice().unwrap(), [7, 8, 9]);
        assert_eq!(tensor.typed_mut::<u16>().unwrap().as_mut_slice().unwrap(), [7, 8, 9]);
    }
}

#[test]
fn misaligned_elements_are_read_one_by_one_and_are_no_slice() {
    let layout = || Layout::c_contiguous(&[2]).unwrap();
    let bytes: vec::Vec<u8> = [5_i64, -6].iter().flat_map(|value| value.to_ne_bytes()).collect();
    for misalign in 1..8 {
        let mut tensor = bytes_at(misalign, &bytes, DLDataType::I64, layout(), 0, Fields::SHARED);
        let view = tensor.view().typed::<i64>().unwrap();
        assert_eq!(view.as_slice().unwrap_err(), ViewError::Misaligned { needed: align_of::<i64>() });
        assert_eq!((view.to_vec(), view.get(&[1])), (vec![5, -6], Some(-6)));
        let mut view = tensor.typed_mut::<i64>().unwrap();
        assert_eq!(view.as_mut_slice().unwrap_err(), ViewError::Misaligned { needed: align_of::<i64>() });
        assert!(view.set(&[0], 9));
        assert_eq!(view.as_view().to_vec(), [9, -6]);
    }
    let aligned = bytes_at(8, &bytes, DLDataType::I64, layout(), 0, Fields::SHARED);
    assert_eq!(aligned.view().typed::<i64>().unwrap().as_slice().unwrap(), [5, -6]);
}

#[test]
fn a_byte_that_is_no_bool_reads_as_true_and_is_not_lent() {
    for (bytes, at) in [([0, 1, 2, 1], 2), ([255, 1, 0, 1], 0), ([0, 1, 1, 128], 3)] {
        let mut tensor = dense(&bytes, DLDataType::BOOL, &[2, 2]);
        let view = tensor.view().typed::<bool>().unwrap();
        assert_eq!(view.to_vec(), bytes.map(|byte| byte != 0));
        assert_eq!(view.get(&[at / 2, at % 2]), Some(true));
        assert_eq!(view.as_slice().unwrap_err(), ViewError::InvalidValue { at });
        let mut view = tensor.typed_mut::<bool>().unwrap();
        assert_eq!(view.as_mut_slice().unwrap_err(), ViewError::InvalidValue { at });
        assert!(view.set(&[at / 2, at % 2], true));
        assert_eq!(view.as_mut_slice().unwrap(), bytes.map(|byte| byte != 0));
    }
}

#[test]
fn a_refusal_says_what_was_asked_and_what_was_found() {
    let device = DLDevice { device_type: DLDeviceType::CUDA, device_id: 1 };
    let opaque = DLDataType { lanes: 4, ..DLDataType::F32 };
    let cases = [
        (ViewError::DType { wanted: DLDataType::F32, found: DLDataType::I8 }, "float32, found int8"),
        (ViewError::Opaque { dtype: opaque }, "float32x4"),
        (ViewError::Device { device }, "cuda:1"),
        (ViewError::ReadOnly, "read-only"),
        (ViewError::NotContiguous, "row-major"),
        (ViewError::Misaligned { needed: 8 }, "multiple of 8"),
        (ViewError::InvalidValue { at: 3 }, "element 3"),
    ];
    for (error, part) in cases {
        let sentence = error.to_string();
        assert!(sentence.contains(part), "{part:?} in {sentence:?}");
    }
}
