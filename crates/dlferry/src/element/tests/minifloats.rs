use alloc::vec::Vec;

use crate::abi::DLDataType;
use crate::element::minifloat::Minifloat;

/// The codes of a format that are no finite numbers.
#[derive(Clone, Copy)]
enum Specials {
    /// This code is infinity, those above it are NaN; of either sign.
    InfinityAt(u16),
    /// This code is NaN; of either sign.
    NanAt(u16),
    /// Minus zero is NaN.
    NanAtMinusZero,
    /// There are none.
    Nothing,
}
use Specials::{InfinityAt, NanAt, NanAtMinusZero, Nothing};

/// The formats as one counts them up: codes of one sign, values from one power of two to the next, how often 1 is halved
/// to give the smallest value, and the special codes.
const DEFINITIONS: [(DLDataType, u16, u16, u32, Specials); 12] = [
    (DLDataType::F16, 0x8000, 1024, 24, InfinityAt(0x7c00)),
    (DLDataType::BF16, 0x8000, 128, 133, InfinityAt(0x7f80)),
    (DLDataType::F8_E3M4, 0x80, 16, 6, InfinityAt(0x70)),
    (DLDataType::F8_E4M3, 0x80, 8, 9, InfinityAt(0x78)),
    (DLDataType::F8_E4M3B11FNUZ, 0x80, 8, 13, NanAtMinusZero),
    (DLDataType::F8_E4M3FN, 0x80, 8, 9, NanAt(0x7f)),
    (DLDataType::F8_E4M3FNUZ, 0x80, 8, 10, NanAtMinusZero),
    (DLDataType::F8_E5M2, 0x80, 4, 16, InfinityAt(0x7c)),
    (DLDataType::F8_E5M2FNUZ, 0x80, 4, 17, NanAtMinusZero),
    (DLDataType::F6_E2M3FN, 0x20, 8, 3, Nothing),
    (DLDataType::F6_E3M2FN, 0x20, 4, 4, Nothing),
    (DLDataType::F4_E2M1FN, 0x08, 2, 1, Nothing),
];

/// Makes 2 to the power of `count`, one doubling at a time.
fn doubled(count: u32) -> f64 {
    (0..count).fold(1.0, |power, _| power * 2.0)
}

/// Counts magnitudes up by additions alone: steps of the smallest value, doubled at each power of two from the second.
fn magnitudes(half: u16, per_binade: u16, halvings: u32, specials: Specials) -> Vec<f64> {
    let mut step = 1.0 / doubled(halvings);
    let mut last = 0.0;
    (0..half)
        .map(|code| {
            let value = last;
            last += step;
            if code + 1 >= 2 * per_binade && (code + 1) % per_binade == 0 {
                step *= 2.0;
            }
            match specials {
                InfinityAt(infinity) if code == infinity => f64::INFINITY,
                InfinityAt(infinity) if code > infinity => f64::NAN,
                NanAt(nan) if code == nan => f64::NAN,
                _ => value,
            }
        })
        .collect()
}

/// Whether two floats are the same value, with the sign of a zero, or both NaN.
fn is_same(left: f64, right: f64) -> bool {
    (left.is_nan() && right.is_nan()) || left.to_bits() == right.to_bits()
}

fn decode(dtype: DLDataType, code: u16) -> f64 {
    Minifloat::of(dtype).unwrap().decode(code)
}

#[test]
fn every_code_has_the_value_of_its_definition() {
    for (dtype, half, per_binade, halvings, specials) in DEFINITIONS {
        for (code, magnitude) in (0..half).zip(magnitudes(half, per_binade, halvings, specials)) {
            let is_nan = matches!(specials, NanAtMinusZero) && code == 0;
            let negative = if is_nan { f64::NAN } else { -magnitude };
            for (code, expected) in [(code, magnitude), (half + code, negative)] {
                let found = decode(dtype, code);
                assert!(is_same(found, expected), "{dtype} {code:#x}: {found} not {expected}");
            }
        }
    }
}

#[test]
fn every_exponent_only_code_is_twice_the_one_before() {
    let mut expected = 1.0 / doubled(127);
    for code in 0..0xff {
        assert!(is_same(decode(DLDataType::F8_E8M0FNU, code), expected), "{code:#x}");
        expected *= 2.0;
    }
    assert!(decode(DLDataType::F8_E8M0FNU, 0xff).is_nan());
}

#[test]
fn bfloat16_is_the_upper_half_of_a_single() {
    for code in 0..=u16::MAX {
        let single = f32::from_bits(u32::from(code) << 16);
        assert!(is_same(decode(DLDataType::BF16, code), f64::from(single)), "{code:#x}");
    }
}

#[test]
fn bits_above_the_format_are_ignored() {
    for (dtype, width) in [(DLDataType::F6_E2M3FN, 6), (DLDataType::F6_E3M2FN, 6), (DLDataType::F4_E2M1FN, 4)] {
        for code in 0..=u16::from(u8::MAX) {
            assert!(is_same(decode(dtype, code), decode(dtype, code % (1 << width))), "{dtype} {code:#x}");
        }
    }
}

#[test]
fn other_floats_are_no_small_ones() {
    for dtype in [DLDataType::F32, DLDataType::F64, DLDataType::U8, DLDataType::C32] {
        assert!(Minifloat::of(dtype).is_none());
    }
}
