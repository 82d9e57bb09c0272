use alloc::string::ToString;

use super::with_lanes;
use crate::abi::{DLDataType, DLDataTypeCode};
use crate::element::{DTypeError, check_dtype, dtype_fault};

fn dtype(code: u8, bits: u8, lanes: u16) -> DLDataType {
    DLDataType { code: DLDataTypeCode(code), bits, lanes }
}

#[test]
fn sizes_count_bits_of_all_lanes_and_round_bytes_up() {
    let table = [
        (DLDataType::BOOL, 8, 1, false),
        (DLDataType::U1, 1, 1, true),
        (DLDataType::I2, 2, 1, true),
        (DLDataType::F4_E2M1FN, 4, 1, true),
        (with_lanes(DLDataType::F4_E2M1FN, 2), 8, 1, false),
        (with_lanes(DLDataType::U4, 3), 12, 2, true),
        (DLDataType::F6_E2M3FN, 6, 1, true),
        (with_lanes(DLDataType::F6_E3M2FN, 4), 24, 3, false),
        (DLDataType::BF16, 16, 2, false),
        (DLDataType::BCOMPLEX32, 32, 4, false),
        (DLDataType::C128, 128, 16, false),
        (with_lanes(DLDataType::F32, 4), 128, 16, false),
        (dtype(3, 0, 1), 0, 0, false),
        (dtype(0, 8, 0), 0, 0, false),
        (dtype(200, 255, u16::MAX), 16_711_425, 2_088_929, true),
    ];
    for (dtype, bits, bytes, is_sub_byte) in table {
        assert_eq!(dtype.item_bits(), bits, "{dtype}");
        assert_eq!(dtype.item_bytes(), bytes, "{dtype}");
        assert_eq!(dtype.is_sub_byte(), is_sub_byte, "{dtype}");
    }
}

#[test]
fn zero_lanes_are_refused_for_every_code() {
    for code in 0..=u8::MAX {
        let found = dtype(code, 8, 0);
        assert_eq!(dtype_fault(found), Some(DTypeError::ZeroLanes { dtype: found }));
    }
}

#[test]
fn numbers_without_bits_are_refused() {
    for code in [DLDataTypeCode::INT, DLDataTypeCode::UINT, DLDataTypeCode::FLOAT, DLDataTypeCode::COMPLEX] {
        let found = DLDataType { code, bits: 0, lanes: 1 };
        assert_eq!(check_dtype(found), Err(DTypeError::ZeroBits { dtype: found }));
        for bits in 1..=u8::MAX {
            assert_eq!(check_dtype(DLDataType { bits, ..found }), Ok(()));
        }
    }
}

#[test]
fn codes_of_one_width_refuse_all_others() {
    let table = [(4, 16), (6, 8), (15, 6), (16, 6), (17, 4), (18, 32)];
    let eight_bit_floats = (7..=14).map(|code| (code, 8));
    for (code, wanted) in table.into_iter().chain(eight_bit_floats) {
        for bits in 0..=u8::MAX {
            for lanes in [1, 2, u16::MAX] {
                let found = dtype(code, bits, lanes);
                assert_eq!(check_dtype(found).is_ok(), bits == wanted, "{found:?}");
            }
        }
    }
}

#[test]
fn opaque_handles_and_unknown_codes_pass_with_any_bits() {
    for code in [3].into_iter().chain(19..=u8::MAX) {
        for bits in 0..=u8::MAX {
            assert_eq!(check_dtype(dtype(code, bits, 1)), Ok(()));
        }
    }
}

#[test]
fn refusals_say_what_was_found_and_wanted() {
    let table = [
        (dtype(0, 8, 0), "dtype(code=0, bits=8, lanes=0) has 0 lanes, but an element has at least 1"),
        (dtype(2, 0, 1), "dtype(code=2, bits=0, lanes=1) has 0 bits, but a number has at least 1"),
        (dtype(6, 1, 1), "dtype(code=6, bits=1, lanes=1) has 1 bits, but bool has 8"),
        (dtype(17, 8, 1), "dtype(code=17, bits=8, lanes=1) has 8 bits, but float4_e2m1fn has 4"),
    ];
    for (found, sentence) in table {
        assert_eq!(check_dtype(found).unwrap_err().to_string(), sentence);
    }
}
