use alloc::vec;
use core::ptr;

use super::craft::{NOWHERE, Spec, compact, strided};
use crate::abi::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLManagedTensor, DLPackVersion, FLAG_IS_COPIED,
    FLAG_IS_SUBBYTE_TYPE_PADDED, FLAG_READ_ONLY,
};
use crate::managed::{Descriptor, Fields};

fn describe(spec: &Spec) -> Descriptor {
    spec.describe().unwrap_or_else(|refusal| panic!("{spec:?}: {refusal}"))
}

fn on(device_type: i32, spec: Spec) -> Spec {
    Spec { device: DLDevice { device_type: DLDeviceType(device_type), device_id: 0 }, ..spec }
}

#[test]
fn null_strides_mean_row_major() {
    let descriptor = describe(&compact(&[2, 3, 4]));
    assert_eq!(descriptor.strides(), [12, 4, 1]);
    assert!(descriptor.layout().is_c_contiguous());
}

#[test]
fn any_minor_version_is_taken() {
    for minor in [0, 1, 2, 3, 99, u32::MAX] {
        let version = DLPackVersion { major: 1, minor };
        let descriptor = describe(&Spec { version, ..compact(&[2]) });
        assert_eq!(descriptor.version(), Some(version));
    }
}

#[test]
fn unknown_flags_are_taken_and_not_kept() {
    for flags in [1 << 40, !0_u64 << 3] {
        let descriptor = describe(&Spec { flags, ..compact(&[2]) });
        assert_eq!(descriptor.fields(), Fields::SHARED);
        assert_eq!(descriptor.fields().to_flags(), 0);
    }
}

#[test]
fn each_flag_says_one_thing() {
    let cases = [
        (0, (false, Some(false), false)),
        (FLAG_READ_ONLY, (true, Some(false), false)),
        (FLAG_IS_COPIED, (false, Some(true), false)),
        (FLAG_IS_SUBBYTE_TYPE_PADDED, (false, Some(false), true)),
        (7, (true, Some(true), true)),
    ];
    for (flags, (read_only, copied, padded)) in cases {
        let spec = Spec { flags, dtype: DLDataType::U4, ..compact(&[4]) };
        let fields = describe(&spec).fields();
        assert_eq!(fields, Fields { version: Some(DLPackVersion::CURRENT), read_only, copied, padded });
        assert_eq!(fields.to_flags(), flags);
    }
}

#[test]
fn an_unversioned_struct_is_read_only_and_cannot_tell_of_copies() {
    let descriptor = compact(&[2]).describe_as::<DLManagedTensor>().unwrap();
    assert_eq!(descriptor.fields(), Fields::UNVERSIONED);
    assert!(descriptor.is_read_only());
    assert_eq!((descriptor.version(), descriptor.copied()), (None, None));
}

#[test]
fn the_padded_flag_means_nothing_on_whole_bytes() {
    for dtype in [DLDataType::F32, DLDataType::BOOL, DLDataType { lanes: 2, ..DLDataType::I4 }] {
        let descriptor = describe(&Spec { dtype, flags: FLAG_IS_SUBBYTE_TYPE_PADDED, ..compact(&[3]) });
        assert!(!descriptor.fields().padded);
        assert_eq!(descriptor.storage_bits(), dtype.item_bits());
    }
}

#[test]
fn padded_elements_stand_one_in_each_byte() {
    for (flags, bits, nbytes) in [(0, 4, 3), (FLAG_IS_SUBBYTE_TYPE_PADDED, 8, 5)] {
        let descriptor = describe(&Spec { dtype: DLDataType::U4, flags, ..compact(&[5]) });
        assert_eq!((descriptor.storage_bits(), descriptor.nbytes()), (bits, nbytes));
    }
}

#[test]
fn an_empty_tensor_may_have_any_pointer() {
    for data in [ptr::null_mut(), NOWHERE, ptr::without_provenance_mut(1), ptr::without_provenance_mut(usize::MAX)] {
        for device in [1, 2, 8, 99] {
            let descriptor = describe(&on(device, Spec { data, ..compact(&[3, 0]) }));
            assert_eq!((descriptor.layout().size(), descriptor.nbytes()), (0, 0));
        }
    }
}

#[test]
fn an_empty_tensor_never_overflows() {
    let cases = [
        compact(&[i64::MAX, 4, 0]),
        compact(&[0, i64::MAX, i64::MAX]),
        strided(&[i64::MAX, 0, 2], &[i64::MAX, i64::MIN, i64::MAX]),
        Spec { byte_offset: u64::MAX, ..compact(&[0]) },
        Spec { byte_offset: 8, data: ptr::without_provenance_mut(usize::MAX), ..strided(&[0, 9], &[-7, 99]) },
    ];
    for spec in cases {
        let descriptor = describe(&spec);
        assert!(descriptor.layout().is_empty() && descriptor.layout().is_c_contiguous());
        assert_eq!(descriptor.byte_range(), Ok(0..0));
        assert_eq!(descriptor.byte_offset(), 0);
        assert!(!descriptor.is_read_only());
    }
}

#[test]
fn strides_of_extents_0_and_1_are_not_judged() {
    for odd in [0, 77, -7, i64::MAX, i64::MIN] {
        let descriptor = describe(&strided(&[1, 3, 1], &[odd, 1, odd]));
        assert_eq!(descriptor.strides(), [odd, 1, odd], "kept as they are");
        assert!(descriptor.layout().is_c_contiguous());
        assert_eq!(descriptor.byte_range(), Ok(0..12));
        assert!(!descriptor.is_read_only());
        assert!(describe(&strided(&[0, 3], &[odd, odd])).layout().is_c_contiguous());
    }
}

#[test]
fn negative_strides_count_back_from_the_first_element() {
    let descriptor = describe(&strided(&[2, 3], &[3, -1]));
    assert_eq!((descriptor.data(), descriptor.byte_range()), (NOWHERE, Ok(-8..16)));
    assert!(!descriptor.is_read_only() && !descriptor.layout().is_c_contiguous());
}

#[test]
fn elements_that_overlap_are_read_only() {
    let cases: [(&[i64], &[i64], bool); 5] = [
        (&[4], &[0], true),
        (&[3, 3], &[1, 1], true),
        (&[2, 3], &[0, 1], true),
        (&[2, 3], &[3, 1], false),
        (&[2, 3], &[1, 2], false),
    ];
    for (shape, strides, read_only) in cases {
        let descriptor = strided(shape, strides).describe().unwrap();
        assert_eq!(descriptor.is_read_only(), read_only, "{shape:?} {strides:?}");
    }
}

#[test]
fn a_tensor_without_axes_has_one_element_and_needs_no_shape() {
    let null = Spec {
        tamper: |tensor| {
            tensor.shape = ptr::null_mut();
            tensor.strides = ptr::null_mut();
        },
        ..compact(&[])
    };
    // Pointers to nothing useful, as some producers write them.
    let wild = Spec {
        tamper: |tensor| {
            tensor.shape = ptr::without_provenance_mut(3);
            tensor.strides = ptr::without_provenance_mut(5);
        },
        ..compact(&[])
    };
    for spec in [null, wild, strided(&[], &[])] {
        let descriptor = describe(&spec);
        assert_eq!((descriptor.layout().ndim(), descriptor.layout().size()), (0, 1));
        assert_eq!(descriptor.byte_range(), Ok(0..4));
    }
}

#[test]
fn misaligned_data_is_taken() {
    let data = NOWHERE.wrapping_byte_add(1);
    let descriptor = describe(&Spec { data, dtype: DLDataType::F64, ..compact(&[2]) });
    assert_eq!(descriptor.data(), data);
}

#[test]
fn unknown_dtypes_pass_through_unchanged() {
    for (bits, lanes) in [(8, 1), (0, 1), (255, u16::MAX), (3, 5)] {
        let dtype = DLDataType { code: DLDataTypeCode(200), bits, lanes };
        assert_eq!(describe(&Spec { dtype, ..compact(&[2]) }).dtype(), dtype);
    }
}

#[test]
fn unknown_devices_pass_through_unchanged() {
    let device = DLDevice { device_type: DLDeviceType(99), device_id: -7 };
    for address in [1, 3, usize::MAX] {
        let data = ptr::without_provenance_mut(address);
        let descriptor = describe(&Spec { data, device, ..strided(&[4], &[-1]) });
        assert_eq!((descriptor.device(), descriptor.data()), (device, data));
        assert!(!descriptor.is_host_readable());
    }
}

#[test]
fn a_tensor_may_have_65_axes() {
    let mut shape = vec![1; 65];
    shape[64] = 7;
    let descriptor = describe(&compact(&shape));
    assert_eq!((descriptor.shape(), descriptor.layout().size()), (&shape[..], 7));
}

#[test]
fn the_byte_offset_becomes_part_of_an_address_and_not_of_a_handle() {
    for addressed in [1, 2, 3, 10, 11, 13, 14, 20] {
        let descriptor = describe(&on(addressed, Spec { byte_offset: 6, ..compact(&[2]) }));
        assert_eq!(descriptor.data(), NOWHERE.wrapping_byte_add(6), "{addressed}");
        assert_eq!(descriptor.byte_offset(), 0);
    }
    for handle in [4, 7, 8, 9, 12, 15, 16, 17, 18, 19, 21, 99] {
        let descriptor = describe(&on(handle, Spec { byte_offset: 6, ..compact(&[2]) }));
        assert_eq!((descriptor.data(), descriptor.byte_offset()), (NOWHERE, 6), "{handle}");
    }
}
