use core::fmt::Debug;

use crate::abi::DLDataType;
use crate::element::{Element, Scalar};

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
