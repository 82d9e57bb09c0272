use super::*;

#[test]
fn capsule_names_are_those_of_the_protocol() {
    let cases = [
        (CAPSULE_UNVERSIONED, "dltensor"),
        (CAPSULE_UNVERSIONED_USED, "used_dltensor"),
        (CAPSULE_VERSIONED, "dltensor_versioned"),
        (CAPSULE_VERSIONED_USED, "used_dltensor_versioned"),
        (EXCHANGE_API_CAPSULE, "dlpack_exchange_api"),
        (EXCHANGE_API_ATTRIBUTE, "__dlpack_c_exchange_api__"),
    ];
    for (name, wanted) in cases {
        assert_eq!(name.to_str(), Ok(wanted));
    }
}

#[test]
fn a_consumed_capsule_has_the_prefix_used() {
    let cases = [(CAPSULE_UNVERSIONED, CAPSULE_UNVERSIONED_USED), (CAPSULE_VERSIONED, CAPSULE_VERSIONED_USED)];
    for (fresh, used) in cases {
        assert_eq!(used.to_bytes().strip_prefix(b"used_"), Some(fresh.to_bytes()));
    }
}

#[test]
fn flags_are_distinct_single_bits() {
    let flags = [FLAG_READ_ONLY, FLAG_IS_COPIED, FLAG_IS_SUBBYTE_TYPE_PADDED];
    assert_eq!(flags, [1, 2, 4]);
    assert_eq!(flags.iter().fold(0, |all, flag| all | flag).count_ones(), 3);
}

#[test]
fn unknown_device_and_code_are_data() {
    // Rule R1.6: a value that no header names passes through unchanged and equals no known value.
    let device = DLDevice { device_type: DLDeviceType(99), device_id: -7 };
    assert_eq!((device.device_type.0, device.device_id), (99, -7));
    assert_ne!(device.device_type, DLDeviceType::CPU);

    let dtype = DLDataType { code: DLDataTypeCode(200), bits: 255, lanes: u16::MAX };
    assert_eq!((dtype.code.0, dtype.bits, dtype.lanes), (200, 255, u16::MAX));
    assert_ne!(dtype.code, DLDataTypeCode::INT);
}

#[test]
fn every_bit_pattern_of_the_open_integers_is_kept() {
    for raw in [i32::MIN, -1, 0, 5, 6, i32::MAX] {
        assert_eq!(DLDeviceType(raw).0, raw);
    }
    for raw in 0..=u8::MAX {
        assert_eq!(DLDataTypeCode(raw).0, raw);
    }
}

#[test]
fn versions_order_by_major_then_minor() {
    let version = |major, minor| DLPackVersion { major, minor };
    let ascending = [
        version(0, 0),
        version(0, 99),
        version(1, 0),
        version(1, 2),
        version(1, 3),
        version(1, u32::MAX),
        version(2, 0),
        version(u32::MAX, 0),
    ];
    assert!(ascending.is_sorted_by(|a, b| a < b));
    assert_eq!(DLPackVersion::CURRENT, version(1, 3));
}

#[test]
fn a_version_reads_as_major_dot_minor() {
    use alloc::string::ToString;

    assert_eq!(DLPackVersion::CURRENT.to_string(), "1.3");
    assert_eq!(DLPackVersion { major: 0, minor: u32::MAX }.to_string(), "0.4294967295");
}

#[test]
fn no_deleter_is_the_null_pointer_of_c() {
    // An absent function pointer takes no more room than the C pointer, so that NULL reads as `None`.
    assert_eq!(size_of::<Option<unsafe extern "C" fn(*mut DLManagedTensor)>>(), size_of::<*mut ()>());
    assert_eq!(size_of::<Option<DLPackCurrentWorkStream>>(), size_of::<*mut ()>());
}
