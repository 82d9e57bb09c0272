use core::fmt::Debug;

use crate::abi::DLDataType;
use crate::element::{Element, FromScalar, Scalar};
use crate::export::Export;

/// The values survive an export, and their bytes mean to everybody else what they mean here.
#[track_caller]
fn check<T: Element<Raw = T> + PartialEq + Debug>(dtype: DLDataType, values: &[T], scalars: &[Scalar]) {
    assert_eq!((T::DTYPE, T::ALL_BITS_VALID), (dtype, true));
    let tensor = Export::writable(values.to_vec()).finish().unwrap();
    assert_eq!(tensor.descriptor().dtype(), dtype);
    assert_eq!(tensor.view().typed::<T>().unwrap().as_slice().unwrap(), values);
    assert_eq!(tensor.view().scalars().unwrap().collect::<alloc::vec::Vec<_>>(), scalars);
}

#[cfg(feature = "half")]
#[test]
fn halves_are_elements() {
    use ::half::{bf16, f16};

    let numbers = [0.0, -1.5, 65504.0];
    let scalars = numbers.map(Scalar::Float);
    check(DLDataType::F16, &numbers.map(f16::from_f64), &scalars);
    let numbers = [0.0, -1.5, 3.0e38];
    let scalars = numbers.map(|number| Scalar::Float(bf16::from_f64(number).to_f64()));
    check(DLDataType::BF16, &numbers.map(bf16::from_f64), &scalars);
    assert_eq!(f16::from_scalar(Scalar::Int(-3)), Some(f16::from_f32(-3.0)));
    assert_eq!(f16::from_scalar(Scalar::Float(1.0e9)), Some(f16::INFINITY));
    assert_eq!(bf16::from_scalar(Scalar::Bool(true)), Some(bf16::ONE));
    assert_eq!(bf16::from_scalar(Scalar::Complex(1.0, 0.0)), None);
}

#[cfg(feature = "half")]
#[test]
fn a_number_is_rounded_once() {
    use ::half::{bf16, f16};

    // Just beyond the middle between two halves: as 24 bits or as 53 it would lie in the middle, and go to the even one.
    for (from, to) in [
        (Scalar::Float(1.0 + 2.0_f64.powi(-11) + 2.0_f64.powi(-40)), f16::from_bits(0x3c01)),
        (Scalar::Float(-1.0 - 2.0_f64.powi(-11) - 2.0_f64.powi(-40)), f16::from_bits(0xbc01)),
        (Scalar::Float(1.0 + 3.0 * 2.0_f64.powi(-11) - 2.0_f64.powi(-40)), f16::from_bits(0x3c01)),
        (Scalar::Float(1.0 + 2.0_f64.powi(-11)), f16::from_bits(0x3c00)),
        (Scalar::Float(2.0_f64.powi(-25)), f16::ZERO),
        (Scalar::Float(2.0_f64.powi(-25) + 2.0_f64.powi(-60)), f16::from_bits(1)),
        (Scalar::Float(f64::MIN_POSITIVE), f16::ZERO),
        (Scalar::Float(65_519.999_999_999), f16::MAX),
        (Scalar::Float(65_520.0), f16::INFINITY),
        (Scalar::Float(f64::MAX), f16::INFINITY),
        (Scalar::UInt(65_519), f16::MAX),
        (Scalar::UInt(u64::MAX), f16::INFINITY),
    ] {
        assert_eq!(f16::from_scalar(from), Some(to), "{from:?}");
    }
    let above = |bits: u32| (1_u64 << 62) + (1 << bits) + 1;
    for (from, to) in [
        (Scalar::UInt(above(54)), bf16::from_bits(0x5e81)),
        (Scalar::Int(-i64::try_from(above(54)).unwrap()), bf16::from_bits(0xde81)),
        (Scalar::UInt(above(54) - 1), bf16::from_bits(0x5e80)),
        (Scalar::Int(i64::MIN), bf16::from_f64(-(2.0_f64.powi(63)))),
        (Scalar::Float(1.0 + 2.0_f64.powi(-8) + 2.0_f64.powi(-50)), bf16::from_bits(0x3f81)),
        (Scalar::Float(f64::MAX), bf16::INFINITY),
        (Scalar::Float(-0.0), bf16::NEG_ZERO),
    ] {
        assert_eq!(bf16::from_scalar(from), Some(to), "{from:?}");
    }
    assert!(f16::from_scalar(Scalar::Float(f64::NAN)).unwrap().is_nan());
}

#[cfg(feature = "num-complex")]
#[test]
fn complex_numbers_are_elements() {
    use num_complex::Complex;

    let scalars = [Scalar::Complex(1.5, -2.0), Scalar::Complex(0.0, 4.0)];
    check(DLDataType::C64, &[Complex::new(1.5_f32, -2.0), Complex::new(0.0, 4.0)], &scalars);
    check(DLDataType::C128, &[Complex::new(1.5_f64, -2.0), Complex::new(0.0, 4.0)], &scalars);
    assert_eq!(Complex::<f32>::from_scalar(Scalar::Complex(1.5, -2.0)), Some(Complex::new(1.5, -2.0)));
    assert_eq!(Complex::<f64>::from_scalar(Scalar::UInt(7)), Some(Complex::new(7.0, 0.0)));
}

#[cfg(all(feature = "half", feature = "num-complex"))]
#[test]
fn complex_numbers_of_halves_are_elements() {
    use ::half::{bf16, f16};
    use num_complex::Complex;

    let scalars = [Scalar::Complex(1.5, -2.0)];
    check(DLDataType::C32, &[Complex::new(f16::from_f32(1.5), f16::from_f32(-2.0))], &scalars);
    check(DLDataType::BCOMPLEX32, &[Complex::new(bf16::from_f32(1.5), bf16::from_f32(-2.0))], &scalars);
}
