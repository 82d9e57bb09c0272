use super::craft::{Spec, compact};
use crate::abi::{DLDataType, DLDataTypeCode, FLAG_IS_SUBBYTE_TYPE_PADDED};
use crate::element::DTypeError;
use crate::managed::DescribeError;

#[test]
fn a_dtype_without_lanes_is_refused() {
    for code in [0, 2, 6, 17, 200] {
        let dtype = DLDataType { code: DLDataTypeCode(code), bits: 8, lanes: 0 };
        let wanted = DescribeError::DType(DTypeError::ZeroLanes { dtype });
        // Also of a tensor without elements.
        assert_eq!(Spec { dtype, ..compact(&[2]) }.refusal(), wanted);
        assert_eq!(Spec { dtype, ..compact(&[0]) }.refusal(), wanted);
    }
}

#[test]
fn numbers_without_bits_are_refused() {
    for known in [DLDataType::I8, DLDataType::U8, DLDataType::F32, DLDataType::C64] {
        let dtype = DLDataType { bits: 0, ..known };
        assert_eq!(Spec { dtype, ..compact(&[2]) }.refusal(), DescribeError::DType(DTypeError::ZeroBits { dtype }));
    }
}

#[test]
fn a_width_that_the_code_does_not_have_is_refused() {
    let cases = [
        (DLDataType::BOOL, &[0_u8, 1, 16][..]),
        (DLDataType::F6_E2M3FN, &[4, 8]),
        (DLDataType::F6_E3M2FN, &[4, 8]),
        (DLDataType::F4_E2M1FN, &[0, 2, 8]),
        (DLDataType::F8_E4M3FN, &[4, 16]),
        (DLDataType::BF16, &[8, 32]),
    ];
    for (known, widths) in cases {
        for &bits in widths {
            let dtype = DLDataType { bits, ..known };
            let refusal = Spec { dtype, ..compact(&[2]) }.refusal();
            assert!(
                matches!(refusal, DescribeError::DType(DTypeError::WrongBits { wanted, .. }) if wanted == known.bits),
                "{dtype:?}: {refusal:?}"
            );
        }
    }
}

#[test]
fn padding_of_more_than_a_byte_is_refused() {
    // Twelve bits: no whole bytes, and nothing says how many bytes the padding makes of them (rule R9.18).
    let dtype = DLDataType { lanes: 3, ..DLDataType::U4 };
    let spec = Spec { dtype, flags: FLAG_IS_SUBBYTE_TYPE_PADDED, ..compact(&[2]) };
    assert_eq!(spec.refusal(), DescribeError::Padding { dtype });
    assert!(Spec { flags: 0, ..spec }.describe().is_ok());
}
