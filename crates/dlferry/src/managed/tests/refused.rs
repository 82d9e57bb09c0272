use alloc::string::ToString;
use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicUsize, Ordering};

use super::craft::{NOWHERE, Spec, compact, strided};
use crate::abi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLManagedTensorVersioned, DLPackVersion};
use crate::layout::LayoutError;
use crate::managed::{DescribeError, Tensor};

const OTHER_MAJORS: [u32; 3] = [0, 2, u32::MAX];

fn on(device_type: i32, spec: Spec) -> Spec {
    Spec { device: DLDevice { device_type: DLDeviceType(device_type), device_id: 0 }, ..spec }
}

#[test]
fn another_major_version_is_refused_whatever_the_rest_says() {
    for major in OTHER_MAJORS {
        let version = DLPackVersion { major, minor: 3 };
        let sound = Spec { version, ..compact(&[2]) };
        let garbage = Spec {
            tamper: |tensor| {
                tensor.ndim = -1;
                tensor.shape = ptr::dangling_mut::<i64>().wrapping_byte_add(1);
                tensor.strides = tensor.shape;
            },
            ..sound.clone()
        };
        for spec in [sound, garbage] {
            assert_eq!(spec.refusal(), DescribeError::MajorVersion { found: version });
        }
    }
}

/// What every future version of the struct begins with.
#[repr(C)]
struct Head {
    version: DLPackVersion,
    manager_ctx: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    flags: u64,
}

#[test]
fn nothing_behind_the_head_of_another_major_version_is_read() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn count(_: *mut DLManagedTensorVersioned) {
        CALLS.fetch_add(1, Ordering::SeqCst);
    }
    for (at, major) in OTHER_MAJORS.into_iter().enumerate() {
        let version = DLPackVersion { major, minor: 0 };
        // The memory ends where the tensor would begin: a read there is out of bounds.
        let mut head = Head { version, manager_ctx: ptr::null_mut(), deleter: Some(count), flags: u64::MAX };
        assert_eq!(head.flags, u64::MAX);
        let managed = NonNull::from(&mut head).cast::<DLManagedTensorVersioned>();
        // SAFETY: a struct of another version, as far as such a struct is defined; it outlives the call.
        let refusal = unsafe { Tensor::from_raw_versioned(managed) }.unwrap_err();
        assert_eq!(refusal, DescribeError::MajorVersion { found: version });
        assert_eq!(CALLS.load(Ordering::SeqCst), at + 1, "the deleter has its place in every version");
        assert!(head.manager_ctx.is_null());
    }
}

#[test]
fn negative_ndim_is_refused() {
    let cases: [(i32, Spec); 2] = [
        (-1, Spec { tamper: |tensor| tensor.ndim = -1, ..compact(&[2]) }),
        (i32::MIN, Spec { tamper: |tensor| tensor.ndim = i32::MIN, ..strided(&[2], &[1]) }),
    ];
    for (ndim, spec) in cases {
        assert_eq!(spec.refusal(), DescribeError::NegativeNdim { ndim });
    }
}

#[test]
fn negative_extent_is_refused() {
    let cases: [(&[i64], usize, i64); 4] =
        [(&[-1], 0, -1), (&[3, i64::MIN], 1, i64::MIN), (&[0, -2], 1, -2), (&[-1, -1], 0, -1)];
    for (shape, axis, extent) in cases {
        let wanted = DescribeError::Layout(LayoutError::NegativeExtent { axis, extent });
        assert_eq!(compact(shape).refusal(), wanted, "{shape:?}");
        assert_eq!(strided(shape, &[1, 1][..shape.len()]).refusal(), wanted, "{shape:?}");
    }
}

#[test]
fn null_shape_with_axes_is_refused() {
    let spec = Spec { tamper: |tensor| tensor.shape = ptr::null_mut(), ..strided(&[2, 3], &[3, 1]) };
    assert_eq!(spec.refusal(), DescribeError::NullShape { ndim: 2 });
}

#[test]
fn misaligned_shape_and_strides_are_refused() {
    let shape = |tensor: &mut crate::abi::DLTensor| tensor.shape = tensor.shape.wrapping_byte_add(4);
    let strides = |tensor: &mut crate::abi::DLTensor| tensor.strides = tensor.strides.wrapping_byte_add(1);
    let spec = Spec { tamper: shape, ..compact(&[2, 3]) };
    assert_eq!(spec.refusal(), DescribeError::MisalignedDims { field: "shape" });
    let spec = Spec { tamper: strides, ..strided(&[2, 3], &[3, 1]) };
    assert_eq!(spec.refusal(), DescribeError::MisalignedDims { field: "strides" });
}

#[test]
fn null_data_with_elements_is_refused() {
    for device in [1, 2, 8, 99] {
        let cases: [(&[i64], usize); 3] = [(&[], 1), (&[2, 3], 6), (&[1], 1)];
        for (shape, size) in cases {
            let spec = on(device, Spec { data: ptr::null_mut(), byte_offset: 64, ..compact(shape) });
            assert_eq!(spec.refusal(), DescribeError::NullData { size }, "{shape:?} on {device}");
        }
    }
}

#[test]
fn more_elements_than_can_be_counted_are_refused() {
    let shapes: [&[i64]; 3] = [&[i64::MAX, 2], &[1 << 32, 1 << 31], &[2, 1, i64::MAX]];
    for shape in shapes {
        let wanted = DescribeError::Layout(LayoutError::SizeOverflow);
        assert_eq!(compact(shape).refusal(), wanted, "{shape:?}");
        assert_eq!(strided(shape, &[0, 0, 0][..shape.len()]).refusal(), wanted, "{shape:?}");
    }
}

#[test]
fn strides_that_reach_beyond_64_bits_are_refused() {
    let cases: [(&[i64], &[i64]); 4] =
        [(&[3], &[i64::MAX]), (&[2, 2], &[i64::MAX, 1]), (&[2, 2], &[i64::MAX, -1]), (&[2], &[i64::MIN])];
    for (shape, strides) in cases {
        let wanted = DescribeError::Layout(LayoutError::SpanOverflow);
        assert_eq!(strided(shape, strides).refusal(), wanted, "{shape:?} {strides:?}");
    }
}

#[test]
fn elements_that_reach_beyond_the_bytes_of_an_address_space_are_refused() {
    let wide = DLDataType { code: DLDataTypeCode(200), bits: 255, lanes: u16::MAX };
    let cases = [
        (compact(&[1 << 61]), 32),
        (strided(&[2], &[i64::MAX / 2]), 32),
        (strided(&[2], &[i64::MIN / 2]), 32),
        (Spec { dtype: wide, ..compact(&[1 << 50]) }, wide.item_bits()),
        (on(99, compact(&[1 << 61])), 32),
    ];
    for (spec, bits) in cases {
        assert_eq!(spec.refusal(), DescribeError::Layout(LayoutError::ByteOverflow { bits }), "{spec:?}");
    }
}

#[test]
fn elements_beyond_either_end_of_the_address_space_are_refused() {
    let at = |address| ptr::without_provenance_mut::<c_void>(address);
    let cases = [
        Spec { data: at(usize::MAX - 3), ..compact(&[2]) },
        Spec { data: at(usize::MAX - 3), byte_offset: 4, ..compact(&[]) },
        Spec { data: at(16), ..strided(&[6], &[-1]) },
        // The lowest element would be at NULL.
        Spec { data: at(16), ..strided(&[5], &[-1]) },
    ];
    for spec in cases {
        let byte_offset = spec.byte_offset;
        assert_eq!(spec.refusal(), DescribeError::AddressOverflow { byte_offset }, "{spec:?}");
    }
    assert!(Spec { data: at(16), ..strided(&[4], &[-1]) }.describe().is_ok());
    assert!(Spec { data: at(usize::MAX - 8), ..compact(&[2]) }.describe().is_ok());
}

#[test]
fn a_byte_offset_that_is_no_distance_is_refused() {
    for device in [1, 2, 8, 99] {
        for byte_offset in [u64::MAX, 1 << 63] {
            let spec = on(device, Spec { byte_offset, ..compact(&[2]) });
            assert_eq!(spec.refusal(), DescribeError::AddressOverflow { byte_offset }, "on {device}");
        }
    }
    // A handle has no address, but the offsets of its elements are still numbers.
    let byte_offset = i64::MAX.unsigned_abs();
    let spec = on(8, Spec { byte_offset, ..compact(&[2]) });
    assert_eq!(spec.refusal(), DescribeError::AddressOverflow { byte_offset });
}

#[test]
fn a_refusal_names_the_field_and_what_it_holds() {
    let two = DLPackVersion { major: 2, minor: 0 };
    let cases: [(Spec, &[&str]); 6] = [
        (Spec { version: two, ..compact(&[2]) }, &["2.0", "major version 1"]),
        (Spec { tamper: |tensor| tensor.ndim = -4, ..compact(&[2]) }, &["ndim", "-4"]),
        (compact(&[2, -5]), &["axis 1", "-5"]),
        (Spec { tamper: |tensor| tensor.shape = ptr::null_mut(), ..compact(&[2]) }, &["shape", "NULL", "ndim is 1"]),
        (Spec { data: ptr::null_mut(), ..compact(&[2, 3]) }, &["data", "NULL", "6 elements"]),
        (Spec { data: NOWHERE, byte_offset: u64::MAX, ..compact(&[1]) }, &["byte_offset is 18446744073709551615"]),
    ];
    for (spec, parts) in cases {
        let sentence = spec.refusal().to_string();
        for part in parts {
            assert!(sentence.contains(part), "{part:?} in {sentence:?}");
        }
    }
}
