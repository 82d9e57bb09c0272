use alloc::format;
use alloc::vec::Vec;
use core::ptr;

use super::craft::NOWHERE;
use crate::abi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use crate::export::Export;
use crate::layout::Layout;
use crate::managed::{DescribeError, Descriptor, Fields, Outline, Strides};

fn at(device_type: DLDeviceType, dtype: DLDataType, layout: Layout) -> Descriptor {
    let device = DLDevice { device_type, device_id: 0 };
    Descriptor::with_byte_offset(NOWHERE, 16, device, dtype, layout, Fields::SHARED).unwrap()
}

fn dense(shape: &[i64]) -> Layout {
    Layout::c_contiguous(shape).unwrap()
}

#[test]
fn a_view_begins_at_its_first_element() {
    let whole = at(DLDeviceType::CPU, DLDataType::F64, dense(&[4, 6]));
    let view = whole.view(Layout::new(&[2, 3], &[12, -2]).unwrap(), 5).unwrap();
    assert_eq!(view.data(), whole.data().wrapping_byte_add(40));
    let back = view.view(dense(&[4, 6]), -5).unwrap();
    assert_eq!(back.data(), whole.data());
}

#[test]
fn a_view_of_a_handle_moves_the_byte_offset() {
    let whole = at(DLDeviceType::METAL, DLDataType::F32, dense(&[4, 6]));
    let view = whole.view(dense(&[6]), 6).unwrap();
    assert_eq!((view.data(), view.byte_offset()), (whole.data(), 16 + 24));
    assert!(matches!(whole.view(dense(&[6]), -6), Err(DescribeError::AddressOverflow { .. })));
}

#[test]
fn a_view_inside_a_byte_is_refused() {
    let whole = at(DLDeviceType::CPU, DLDataType::I4, dense(&[8]));
    assert_eq!(whole.view(dense(&[4]), 2).unwrap().data(), whole.data().wrapping_byte_add(1));
    assert_eq!(whole.view(dense(&[4]), -2).unwrap().data(), whole.data().wrapping_byte_sub(1));
    for first in [1, 3, -1] {
        assert_eq!(whole.view(dense(&[4]), first).unwrap_err(), DescribeError::WithinByte { dtype: DLDataType::I4 });
    }
    // Nothing to address, so nothing to refuse.
    assert_eq!(whole.view(dense(&[0]), 1).unwrap().data(), whole.data());
}

#[test]
fn a_view_beyond_the_address_space_is_refused() {
    let whole = at(DLDeviceType::CPU, DLDataType::F64, dense(&[4]));
    for first in [i64::MAX, i64::MIN, i64::MAX / 8] {
        assert!(matches!(whole.view(dense(&[4]), first), Err(DescribeError::AddressOverflow { .. })), "{first}");
    }
}

#[test]
fn a_view_keeps_flags_and_gains_read_only_where_it_overlaps() {
    let whole = at(DLDeviceType::CPU, DLDataType::F64, dense(&[4]));
    assert!(!whole.view(dense(&[2]), 0).unwrap().is_read_only());
    let repeated = whole.view(Layout::new(&[3, 4], &[0, 1]).unwrap(), 0).unwrap();
    assert!(repeated.is_read_only());
    // A part of it without overlap stays what the whole was.
    assert!(repeated.view(dense(&[4]), 0).unwrap().is_read_only());
}

#[test]
fn overlapping_elements_are_never_made_writable() {
    let mut read_only = at(DLDeviceType::CPU, DLDataType::F64, dense(&[4]));
    read_only.set_read_only();
    // SAFETY: nothing is written.
    assert!(unsafe { read_only.set_writable() });
    assert!(!read_only.is_read_only());
    let mut repeated = read_only.view(Layout::new(&[3, 4], &[0, 1]).unwrap(), 0).unwrap();
    // SAFETY: as above.
    assert!(!unsafe { repeated.set_writable() });
    assert!(repeated.is_read_only());
}

#[test]
fn bytes_are_counted_as_they_are_stored() {
    let three_lanes = DLDataType { lanes: 3, ..DLDataType::U16 };
    let cases: [(DLDataType, &[i64], usize); 6] = [
        (DLDataType::F64, &[3, 2], 48),
        (DLDataType::F64, &[], 8),
        (DLDataType::F6_E2M3FN, &[3], 3),
        (DLDataType::U1, &[9], 2),
        (three_lanes, &[2], 12),
        (DLDataType::C128, &[0, 5], 0),
    ];
    for (dtype, shape, nbytes) in cases {
        assert_eq!(at(DLDeviceType::CPU, dtype, dense(shape)).nbytes(), nbytes, "{dtype} {shape:?}");
    }
}

#[test]
fn elements_are_aligned_at_multiples_of_their_numbers() {
    // Where the first element lies: at no multiple of more bytes than these.
    let cases: [(DLDataType, usize, bool); 14] = [
        (DLDataType::F64, 8, true),
        (DLDataType::F64, 4, false),
        (DLDataType::F64, 1, false),
        (DLDataType::U8, 1, true),
        (DLDataType::BOOL, 1, true),
        (DLDataType::I4, 1, true),
        (DLDataType::F6_E2M3FN, 1, true),
        (DLDataType::C64, 4, true),
        (DLDataType::C64, 2, false),
        (DLDataType::C128, 8, true),
        (DLDataType::C128, 4, false),
        // Each lane is a number.
        (DLDataType { lanes: 4, ..DLDataType::F32 }, 4, true),
        (DLDataType { lanes: 4, ..DLDataType::F32 }, 2, false),
        (DLDataType { code: DLDataTypeCode::OPAQUE_HANDLE, bits: 0, lanes: 1 }, 1, true),
    ];
    for (dtype, multiple, is_aligned) in cases {
        let data = NOWHERE.wrapping_byte_add(multiple);
        let describe = |device_type, shape: &[i64]| {
            let device = DLDevice { device_type, device_id: 0 };
            Descriptor::new(data, device, dtype, dense(shape), Fields::SHARED).unwrap()
        };
        assert_eq!(describe(DLDeviceType::CPU, &[2]).is_aligned(), is_aligned, "{dtype} at {multiple}");
        assert_eq!(describe(DLDeviceType::CUDA, &[2]).is_aligned(), is_aligned, "{dtype} at {multiple}");
        assert!(describe(DLDeviceType::METAL, &[2]).is_aligned(), "a handle has no address");
        assert!(describe(DLDeviceType::CPU, &[2, 0]).is_aligned(), "nothing lies there");
    }
}

#[test]
fn the_host_reads_its_own_memory_and_what_is_mapped_into_it() {
    for kind in 0..=99 {
        let descriptor = at(DLDeviceType(kind), DLDataType::U8, dense(&[1]));
        assert_eq!(descriptor.is_host_readable(), [1, 3, 11, 13, 20].contains(&kind), "{kind}");
        assert!(descriptor.is_addressed() || !descriptor.is_host_readable(), "{kind}");
    }
}

#[test]
fn copied_is_what_one_says() {
    let mut descriptor = at(DLDeviceType::CPU, DLDataType::U8, dense(&[1]));
    for copied in [Some(true), None, Some(false)] {
        descriptor.set_copied(copied);
        assert_eq!(descriptor.copied(), copied);
    }
}

#[test]
fn what_import_refuses_cannot_be_described_for_export() {
    let describe = |data, dtype| Descriptor::new(data, DLDevice::CPU, dtype, dense(&[2]), Fields::SHARED);
    assert_eq!(describe(ptr::null_mut(), DLDataType::U8).unwrap_err(), DescribeError::NullData { size: 2 });
    let bit = DLDataType { bits: 1, ..DLDataType::BOOL };
    assert!(matches!(describe(NOWHERE, bit), Err(DescribeError::DType(_))));
    let end = ptr::without_provenance_mut(usize::MAX);
    assert!(matches!(describe(end, DLDataType::U8), Err(DescribeError::AddressOverflow { .. })));
}

#[test]
fn a_descriptor_is_rewritten_where_it_is_and_is_blank_after_a_refusal() {
    let mut descriptor = at(DLDeviceType::METAL, DLDataType::F64, dense(&[1; 9]));
    let data = NOWHERE.wrapping_byte_add(8);
    let (shape, strides) = (&[2_i64, 3][..], Strides::Elements(&[3, 1]));
    let outline =
        Outline { data, device: DLDevice::CPU, dtype: DLDataType::I16, shape, strides, fields: Fields::SHARED };
    descriptor.rewrite(&outline).unwrap();
    let wanted = Descriptor::new(data, DLDevice::CPU, DLDataType::I16, dense(shape), Fields::SHARED).unwrap();
    assert_eq!(format!("{descriptor:?}"), format!("{wanted:?}"));

    descriptor.rewrite(&Outline { strides: Strides::Elements(&[1, 1]), ..outline }).unwrap();
    assert!(descriptor.is_read_only(), "elements overlap");

    let refused = [
        Outline { strides: Strides::Elements(&[3]), ..outline },
        Outline { shape: &[-2, 3], ..outline },
        Outline { shape: &[i64::MAX, 3], ..outline },
        Outline { data: ptr::null_mut(), ..outline },
    ];
    for outline in refused {
        let mut descriptor = wanted.clone();
        assert!(descriptor.rewrite(&outline).is_err(), "{outline:?}");
        assert!(descriptor.layout().is_empty() && descriptor.data().is_null(), "{descriptor:?}");
    }
}

#[test]
fn strides_in_bytes_are_those_in_elements_or_refused() {
    // Shape, strides in bytes; the strides in elements, or nothing for what is no whole number or no layout.
    type Case<'a> = (&'a [i64], &'a [i64], Option<&'a [i64]>);
    let cases: [Case<'_>; 16] = [
        (&[], &[], Some(&[])),
        (&[2, 3], &[12, 4], Some(&[3, 1])),
        (&[2, 3], &[-12, -4], Some(&[-3, -1])),
        (&[2, 3], &[4, 8], Some(&[1, 2])),
        (&[2, 3], &[0, 4], Some(&[0, 1])),
        (&[1, 3], &[77, 4], Some(&[19, 1])),
        (&[2; 8], &[512, 256, 128, 64, 32, 16, 8, 4], Some(&[128, 64, 32, 16, 8, 4, 2, 1])),
        (&[1; 9], &[4; 9], Some(&[1; 9])),
        (&[2, 0], &[4, 4], Some(&[1, 1])),
        (&[2, 3], &[12, 6], None),
        (&[2, -1], &[4, 4], None),
        (&[2, 3], &[4], None),
        (&[i64::MAX, 2], &[0, 0], None),
        (&[i64::MAX], &[4], None),
        (&[3, 3], &[i64::MAX - 3, i64::MAX - 3], None),
        (&[2], &[i64::MIN], None),
    ];
    let dtype = DLDataType::I32;
    // One after another in one place, so that nothing of a former one may be left.
    let mut descriptor = Descriptor::blank();
    for (shape, strides, wanted) in cases.iter().chain(cases.iter().rev()) {
        let strides = Strides::Bytes(strides);
        let outline = Outline { data: NOWHERE, device: DLDevice::CPU, dtype, shape, strides, fields: Fields::SHARED };
        let rewritten = descriptor.rewrite(&outline);
        let mut fast = Descriptor::blank();
        if let Some(bytes) = fast.rewrite_row_major(&outline) {
            assert!(rewritten.is_ok() && fast.layout().is_c_contiguous());
            assert_eq!(fast.byte_range(), Ok(0..isize::try_from(bytes).unwrap()));
            assert_eq!(format!("{fast:?}"), format!("{descriptor:?}"));
            assert_eq!((fast.layout(), fast.byte_range()), (descriptor.layout(), descriptor.byte_range()));
        } else {
            let is_plain = rewritten.is_ok() && descriptor.layout().is_c_contiguous() && shape.len() <= 8;
            assert!(!is_plain || shape.contains(&0) || shape.contains(&1), "{outline:?}");
            assert!(fast.layout().is_empty() && fast.layout().shape() == [0] && fast.data().is_null());
        }
        assert_eq!(rewritten.is_ok(), wanted.is_some(), "{shape:?} {strides:?}");
        let Some(strides) = wanted else {
            assert!(descriptor.layout().is_empty() && descriptor.data().is_null());
            continue;
        };
        let layout = Layout::new(shape, strides).unwrap();
        let wanted = Descriptor::new(NOWHERE, DLDevice::CPU, dtype, layout, Fields::SHARED).unwrap();
        assert_eq!(format!("{descriptor:?}"), format!("{wanted:?}"));
        assert_eq!(descriptor.layout(), wanted.layout());
        assert_eq!(descriptor.byte_range(), wanted.byte_range());
    }
}

#[test]
fn the_fast_way_refuses_what_it_cannot_check() {
    let (shape, strides) = (&[2_i64][..], Strides::Bytes(&[4]));
    let (device, dtype) = (DLDevice::CPU, DLDataType::I32);
    let outline = Outline { data: NOWHERE, device, dtype, shape, strides, fields: Fields::SHARED };
    let mut descriptor = Descriptor::blank();
    assert_eq!(descriptor.rewrite_row_major(&outline), Some(8));
    let in_elements = Outline { strides: Strides::Elements(&[1]), ..outline };
    assert_eq!(descriptor.rewrite_row_major(&in_elements), Some(8));
    // Of whole bytes the flag means nothing, here as elsewhere.
    let padded = Outline { fields: Fields { padded: true, ..Fields::UNVERSIONED }, ..outline };
    assert_eq!(descriptor.rewrite_row_major(&padded), Some(8));
    assert_eq!(descriptor.fields(), Fields::UNVERSIONED);
    let others = [
        Outline { data: ptr::null_mut(), ..outline },
        Outline { data: ptr::without_provenance_mut(usize::MAX - 4), ..outline },
        Outline { device: DLDevice { device_type: DLDeviceType::CUDA, device_id: 0 }, ..outline },
        // Strides that would be row-major, if the elements were whole bytes, or any.
        Outline { dtype: DLDataType::I4, strides: Strides::Bytes(&[1]), ..outline },
        Outline { dtype: DLDataType { lanes: 0, ..dtype }, strides: Strides::Bytes(&[0]), ..outline },
        Outline { dtype: DLDataType { bits: 16, ..DLDataType::BOOL }, strides: Strides::Bytes(&[2]), ..outline },
        Outline { strides: Strides::Elements(&[4]), ..outline },
        Outline { strides: Strides::Bytes(&[8]), ..outline },
        Outline { shape: &[i64::MAX], ..outline },
        Outline { shape: &[0], ..outline },
        Outline { shape: &[-1], ..outline },
        Outline { shape: &[], ..outline },
    ];
    for other in others {
        assert_eq!(descriptor.rewrite_row_major(&outline), Some(8));
        assert_eq!(descriptor.rewrite_row_major(&other), None, "{other:?}");
        assert!(descriptor.layout().is_empty() && descriptor.data().is_null());
    }
}

#[test]
fn a_blank_descriptor_has_no_element_anywhere() {
    let layout = Descriptor::blank().layout().clone();
    assert_eq!(layout.shape().iter().product::<i64>(), 0);
    assert_eq!(layout, Layout::new(layout.shape(), layout.strides()).unwrap());
    let tensor = Export::writable(Vec::<f32>::new()).layout(layout, 0).finish().unwrap();
    let view = tensor.view().typed::<f32>().unwrap();
    assert_eq!(view.get(&[]), None);
    assert_eq!(view.get(&[0]), None);
    assert_eq!(view.to_vec(), []);
}
