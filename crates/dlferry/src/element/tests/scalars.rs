use alloc::vec::Vec;

use super::{with_bits, with_code, with_lanes};
use crate::abi::{DLDataType, DLDataTypeCode};
use crate::element::Scalar;

#[test]
fn whole_byte_values_decode() {
    let table: [(DLDataType, Vec<u8>, Scalar); 14] = [
        (DLDataType::I8, (-2_i8).to_ne_bytes().into(), Scalar::Int(-2)),
        (DLDataType::I16, i16::MIN.to_ne_bytes().into(), Scalar::Int(-32768)),
        (DLDataType::I32, (-70_000_i32).to_ne_bytes().into(), Scalar::Int(-70_000)),
        (DLDataType::I64, i64::MIN.to_ne_bytes().into(), Scalar::Int(i64::MIN)),
        (DLDataType::U8, 200_u8.to_ne_bytes().into(), Scalar::UInt(200)),
        (DLDataType::U16, 0x1234_u16.to_ne_bytes().into(), Scalar::UInt(0x1234)),
        (DLDataType::U32, u32::MAX.to_ne_bytes().into(), Scalar::UInt(0xffff_ffff)),
        (DLDataType::U64, u64::MAX.to_ne_bytes().into(), Scalar::UInt(u64::MAX)),
        (DLDataType::F16, 0x3e00_u16.to_ne_bytes().into(), Scalar::Float(1.5)),
        (DLDataType::BF16, 0x3fc0_u16.to_ne_bytes().into(), Scalar::Float(1.5)),
        (DLDataType::F32, 0.1_f32.to_ne_bytes().into(), Scalar::Float(f64::from(0.1_f32))),
        (DLDataType::F64, 0.1_f64.to_ne_bytes().into(), Scalar::Float(0.1)),
        (DLDataType::F64, f64::INFINITY.to_ne_bytes().into(), Scalar::Float(f64::INFINITY)),
        (DLDataType::F8_E5M2, [0xc0].into(), Scalar::Float(-2.0)),
    ];
    for (dtype, bytes, value) in table {
        assert_eq!(Scalar::decode(dtype, &bytes), Some(value), "{dtype}");
    }
}

#[test]
fn complex_numbers_have_the_real_part_first() {
    let expected = Some(Scalar::Complex(1.5, -2.0));
    let halves = [0x3e00_u16, 0xc000].map(u16::to_ne_bytes).concat();
    assert_eq!(Scalar::decode(DLDataType::C32, &halves), expected);
    let bfloats = [0x3fc0_u16, 0xc000].map(u16::to_ne_bytes).concat();
    assert_eq!(Scalar::decode(DLDataType::BCOMPLEX32, &bfloats), expected);
    let singles = [1.5_f32, -2.0].map(f32::to_ne_bytes).concat();
    assert_eq!(Scalar::decode(DLDataType::C64, &singles), expected);
    let doubles = [1.5_f64, -2.0].map(f64::to_ne_bytes).concat();
    assert_eq!(Scalar::decode(DLDataType::C128, &doubles), expected);
}

#[test]
fn small_integers_take_the_low_bits_and_extend_the_sign() {
    for byte in 0..=u8::MAX {
        for (bits, signed, unsigned) in [
            (1, DLDataType::I1, DLDataType::U1),
            (2, DLDataType::I2, DLDataType::U2),
            (4, DLDataType::I4, DLDataType::U4),
        ] {
            let modulus = 1_i64 << bits;
            let value = i64::from(byte) % modulus;
            let wrapped = if value < modulus / 2 { value } else { value - modulus };
            assert_eq!(Scalar::decode(signed, &[byte]), Some(Scalar::Int(wrapped)));
            assert_eq!(Scalar::decode(unsigned, &[byte]), Some(Scalar::UInt(u64::try_from(value).unwrap())));
        }
    }
}

#[test]
fn dtypes_without_values_here_give_none() {
    let table = [
        with_code(DLDataType::U64, DLDataTypeCode::OPAQUE_HANDLE),
        with_code(DLDataType::U8, DLDataTypeCode(200)),
        with_bits(DLDataType::F64, 128),
        with_bits(DLDataType::F64, 80),
        with_bits(DLDataType::F16, 8),
        with_bits(DLDataType::I64, 128),
        with_bits(DLDataType::I32, 24),
        with_bits(DLDataType::U4, 3),
        with_bits(DLDataType::U8, 0),
        with_bits(DLDataType::C32, 16),
        with_bits(DLDataType::BOOL, 1),
        with_bits(DLDataType::F6_E2M3FN, 8),
        with_lanes(DLDataType::U8, 0),
        with_lanes(DLDataType::F32, 2),
    ];
    for dtype in table {
        for length in 0..=32 {
            assert_eq!(Scalar::decode(dtype, &[0; 32][..length]), None, "{dtype}");
        }
    }
}

#[test]
fn only_the_exact_number_of_bytes_is_taken() {
    for dtype in [DLDataType::BOOL, DLDataType::I4, DLDataType::U16, DLDataType::F64, DLDataType::C64] {
        for length in 0..=32 {
            let decoded = Scalar::decode(dtype, &[0; 32][..length]);
            assert_eq!(decoded.is_some(), length == dtype.item_bytes(), "{dtype} of {length} bytes");
        }
    }
}
