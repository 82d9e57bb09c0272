use core::fmt::Debug;

use crate::abi::DLDataType;
use crate::element::{
    Element, F8E3M4, F8E4M3, F8E4M3B11Fnuz, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0Fnu, FromScalar, Scalar,
};

#[test]
fn bytes_2_to_255_are_no_bool_but_read_as_true() {
    for byte in 0..=u8::MAX {
        assert_eq!(<bool as Element>::is_valid(&byte), byte < 2);
        assert_eq!(<bool as Element>::from_raw(byte), byte != 0);
        assert_eq!(Scalar::decode(DLDataType::BOOL, &[byte]), Some(Scalar::Bool(byte != 0)));
    }
    assert_eq!([false, true].map(Element::to_raw), [0, 1]);
    assert_eq!((bool::DTYPE, bool::ALL_BITS_VALID), (DLDataType::BOOL, false));
}

#[test]
fn numbers_are_their_own_raw_form() {
    fn check<T: Element<Raw = T> + PartialEq + Debug>(dtype: DLDataType, values: &[T]) {
        assert_eq!((T::DTYPE, T::ALL_BITS_VALID), (dtype, true));
        for value in values {
            assert!(T::is_valid(value));
            assert_eq!(T::from_raw(*value), *value);
            assert_eq!(value.to_raw(), *value);
        }
    }
    check(DLDataType::I8, &[i8::MIN, 0, i8::MAX]);
    check(DLDataType::I16, &[i16::MIN, 0, i16::MAX]);
    check(DLDataType::I32, &[i32::MIN, 0, i32::MAX]);
    check(DLDataType::I64, &[i64::MIN, 0, i64::MAX]);
    check(DLDataType::U8, &[0, u8::MAX]);
    check(DLDataType::U16, &[0, u16::MAX]);
    check(DLDataType::U32, &[0, u32::MAX]);
    check(DLDataType::U64, &[0, u64::MAX]);
    check(DLDataType::F32, &[-0.0, f32::MIN_POSITIVE, f32::INFINITY]);
    check(DLDataType::F64, &[-0.0, f64::MIN_POSITIVE, f64::INFINITY]);
}

#[test]
fn an_eight_bit_float_is_its_bits_and_has_the_value_of_its_format() {
    fn check<T: Element<Raw = u8> + Into<f64>>(dtype: DLDataType) {
        assert_eq!((T::DTYPE, T::ALL_BITS_VALID), (dtype, true));
        for byte in 0..=u8::MAX {
            assert!(T::is_valid(&byte));
            let value = T::from_raw(byte);
            assert_eq!(value.to_raw(), byte);
            let Some(Scalar::Float(wanted)) = Scalar::decode(dtype, &[byte]) else { panic!("{dtype} has values") };
            assert_eq!(value.into().to_bits(), wanted.to_bits(), "{dtype} {byte}");
        }
    }
    check::<F8E3M4>(DLDataType::F8_E3M4);
    check::<F8E4M3>(DLDataType::F8_E4M3);
    check::<F8E4M3B11Fnuz>(DLDataType::F8_E4M3B11FNUZ);
    check::<F8E4M3Fn>(DLDataType::F8_E4M3FN);
    check::<F8E4M3Fnuz>(DLDataType::F8_E4M3FNUZ);
    check::<F8E5M2>(DLDataType::F8_E5M2);
    check::<F8E5M2Fnuz>(DLDataType::F8_E5M2FNUZ);
    check::<F8E8M0Fnu>(DLDataType::F8_E8M0FNU);
}

#[test]
fn a_value_becomes_one_of_a_kind_that_holds_it() {
    let (yes, minus, large, half) = (Scalar::Bool(true), Scalar::Int(-1), Scalar::UInt(u64::MAX), Scalar::Float(0.5));
    assert_eq!([yes, minus, large, half].map(u8::from_scalar), [Some(1), None, None, None]);
    assert_eq!([yes, minus, large, half].map(i64::from_scalar), [Some(1), Some(-1), None, None]);
    assert_eq!([yes, minus, large, half].map(u64::from_scalar), [Some(1), None, Some(u64::MAX), None]);
    assert_eq!([yes, minus, half].map(f32::from_scalar), [Some(1.0), Some(-1.0), Some(0.5)]);
    assert_eq!(f64::from_scalar(large), Some(18_446_744_073_709_551_615.0));
    assert_eq!([yes, minus, large, half].map(bool::from_scalar), [Some(true), None, None, None]);
    assert_eq!(f64::from_scalar(Scalar::Complex(1.0, 0.0)), None);
}
