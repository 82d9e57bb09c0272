//! 4-bit floats, two to an element, as one library exports them (rule R9.17).

use super::craft::{Spec, compact, strided};
use crate::abi::{DLDataType, DLDevice, DLDeviceType, FLAG_IS_SUBBYTE_TYPE_PADDED};

const PAIR: DLDataType = DLDataType { lanes: 2, ..DLDataType::F4_E2M1FN };

fn pairs(spec: Spec) -> Spec {
    Spec { dtype: PAIR, ..spec }
}

#[test]
fn pairs_along_a_dense_last_axis_become_single_elements() {
    let cases: [(Spec, &[i64], &[i64]); 6] = [
        (compact(&[3, 4]), &[3, 8], &[8, 1]),
        (strided(&[3, 4], &[-6, 1]), &[3, 8], &[-12, 1]),
        (strided(&[5], &[1]), &[10], &[1]),
        // The stride of one pair carries no meaning; that of its halves does.
        (strided(&[3, 1], &[9, 77]), &[3, 2], &[18, 1]),
        (compact(&[0]), &[0], &[1]),
        (compact(&[2, 0]), &[2, 0], &[2, 1]),
    ];
    for (spec, shape, strides) in cases {
        let descriptor = pairs(spec).describe().unwrap();
        assert_eq!(descriptor.dtype(), DLDataType::F4_E2M1FN);
        assert_eq!((descriptor.shape(), descriptor.strides()), (shape, strides));
        assert_eq!(descriptor.storage_bits(), 4);
    }
}

#[test]
fn strides_without_a_meaning_do_not_keep_pairs_together() {
    for odd in [i64::MAX, i64::MIN] {
        let descriptor = pairs(strided(&[1, 3], &[odd, 1])).describe().unwrap();
        assert_eq!((descriptor.dtype(), descriptor.shape()), (DLDataType::F4_E2M1FN, &[1, 6][..]));
        let empty = pairs(strided(&[2, 0], &[odd, odd])).describe().unwrap();
        assert_eq!((empty.dtype(), empty.shape()), (DLDataType::F4_E2M1FN, &[2, 0][..]));
    }
}

#[test]
fn pairs_whose_halves_would_lie_too_far_apart_stay_pairs() {
    // On a handle, for so far apart nothing has addresses.
    let device = DLDevice { device_type: DLDeviceType::METAL, device_id: 0 };
    for far in [1 << 62, -(1 << 62) - 1] {
        let spec = Spec { device, ..pairs(strided(&[2, 3], &[far, 1])) };
        let descriptor = spec.describe().unwrap();
        assert_eq!((descriptor.dtype(), descriptor.shape(), descriptor.strides()), (PAIR, &[2, 3][..], &[far, 1][..]));
    }
}

#[test]
fn pairs_occupy_the_same_bytes_afterwards() {
    let spec = pairs(strided(&[3, 4], &[-6, 1]));
    let bytes = Spec { dtype: DLDataType::U8, ..spec.clone() };
    assert_eq!(spec.describe().unwrap().byte_range(), bytes.describe().unwrap().byte_range());
}

#[test]
fn pairs_without_a_dense_last_axis_stay_pairs() {
    for spec in [compact(&[]), strided(&[4], &[2]), strided(&[4, 3], &[1, 4]), strided(&[4], &[-1])] {
        let descriptor = pairs(spec.clone()).describe().unwrap();
        assert_eq!((descriptor.dtype(), descriptor.shape()), (PAIR, &spec.shape[..]));
    }
}

#[test]
fn four_lanes_stay_together() {
    let dtype = DLDataType { lanes: 4, ..DLDataType::F4_E2M1FN };
    assert_eq!(Spec { dtype, ..compact(&[4]) }.describe().unwrap().dtype(), dtype);
}

/// Halves that stood one in each byte would take twice the memory that the producer described.
#[test]
fn padded_pairs_are_not_taken_for_padded_halves() {
    let spec = pairs(Spec { flags: FLAG_IS_SUBBYTE_TYPE_PADDED, ..compact(&[4]) });
    let descriptor = spec.describe().unwrap();
    assert_eq!((descriptor.byte_range(), descriptor.nbytes()), (Ok(0..4), 4));
    assert_eq!((descriptor.dtype(), descriptor.fields().padded), (PAIR, false));
}
