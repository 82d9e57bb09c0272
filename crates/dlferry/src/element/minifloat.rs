use crate::abi::DLDataType;

/// Which codes of a small float are not plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Specials {
    /// As IEEE 754: the largest exponent holds the infinities and the NaNs.
    Ieee,
    /// All bits after the sign set is NaN; no infinities (`fn`).
    AllOnes,
    /// What would be minus zero is NaN; no infinities, one zero (`fnuz`).
    MinusZero,
    /// None: every code is a finite number.
    Nothing,
    /// No sign, no mantissa and no zero; all bits set is NaN (`e8m0fnu`).
    ExponentOnly,
}

/// A float of at most 16 bits: from the top a sign, the exponent and the mantissa.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minifloat {
    dtype: DLDataType,
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: u32,
    specials: Specials,
}

/// All formats that are decoded here.
const FORMATS: [Minifloat; 13] = {
    use Specials::{AllOnes, ExponentOnly, Ieee, MinusZero, Nothing};

    [
        format(DLDataType::F16, 5, 10, 15, Ieee),
        format(DLDataType::BF16, 8, 7, 127, Ieee),
        format(DLDataType::F8_E3M4, 3, 4, 3, Ieee),
        format(DLDataType::F8_E4M3, 4, 3, 7, Ieee),
        format(DLDataType::F8_E4M3B11FNUZ, 4, 3, 11, MinusZero),
        format(DLDataType::F8_E4M3FN, 4, 3, 7, AllOnes),
        format(DLDataType::F8_E4M3FNUZ, 4, 3, 8, MinusZero),
        format(DLDataType::F8_E5M2, 5, 2, 15, Ieee),
        format(DLDataType::F8_E5M2FNUZ, 5, 2, 16, MinusZero),
        format(DLDataType::F8_E8M0FNU, 8, 0, 127, ExponentOnly),
        format(DLDataType::F6_E2M3FN, 2, 3, 1, Nothing),
        format(DLDataType::F6_E3M2FN, 3, 2, 3, Nothing),
        format(DLDataType::F4_E2M1FN, 2, 1, 1, Nothing),
    ]
};

/// Writes one row of [`FORMATS`].
const fn format(dtype: DLDataType, exponent_bits: u32, mantissa_bits: u32, bias: u32, specials: Specials) -> Minifloat {
    Minifloat { dtype, exponent_bits, mantissa_bits, bias, specials }
}

impl Minifloat {
    /// Finds the format of a dtype, or `None` when it is no small float.
    pub(super) fn of(dtype: DLDataType) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.dtype == dtype)
    }

    /// Decodes one code; bits above the format's width are ignored. Every value is exact, as `f64` is wider in all parts.
    pub(super) fn decode(&self, code: u16) -> f64 {
        let code = u32::from(code);
        let mantissa = code & ones(self.mantissa_bits);
        let exponent = code.wrapping_shr(self.mantissa_bits) & ones(self.exponent_bits);
        if self.specials == Specials::ExponentOnly {
            return if exponent == ones(self.exponent_bits) { f64::NAN } else { self.scale(exponent) };
        }
        let magnitude_bits = self.exponent_bits.wrapping_add(self.mantissa_bits);
        let is_negative = code.wrapping_shr(magnitude_bits) & 1 == 1;
        let magnitude =
            self.special(is_negative, exponent, mantissa).unwrap_or_else(|| self.finite(exponent, mantissa));
        if is_negative { -magnitude } else { magnitude }
    }

    /// Gives the magnitude of an infinity or NaN, or `None` for a finite code.
    fn special(&self, is_negative: bool, exponent: u32, mantissa: u32) -> Option<f64> {
        let is_top = exponent == ones(self.exponent_bits);
        match self.specials {
            Specials::Ieee if is_top && mantissa == 0 => Some(f64::INFINITY),
            Specials::Ieee if is_top => Some(f64::NAN),
            Specials::AllOnes if is_top && mantissa == ones(self.mantissa_bits) => Some(f64::NAN),
            Specials::MinusZero if is_negative && exponent == 0 && mantissa == 0 => Some(f64::NAN),
            _ => None,
        }
    }

    /// Gives the magnitude of a finite code. Exponent 0 has no hidden bit and the scale of exponent 1.
    fn finite(&self, exponent: u32, mantissa: u32) -> f64 {
        let hidden = if exponent == 0 { 0 } else { 1_u32.wrapping_shl(self.mantissa_bits) };
        let unit = self.scale(exponent.max(1)) / f64::from(1_u32.wrapping_shl(self.mantissa_bits));
        f64::from(hidden | mantissa) * unit
    }

    /// Computes 2 to the power of `exponent - bias`, by writing the exponent of an `f64`.
    ///
    /// The exponents have at most 8 bits and the biases are at most 127, so the power lies well within the normal ones.
    fn scale(&self, exponent: u32) -> f64 {
        let biased = u64::from(exponent).wrapping_add(1023).wrapping_sub(u64::from(self.bias));
        f64::from_bits(biased.wrapping_shl(52))
    }
}

/// Gives a number whose lowest `count` bits are set, for counts below 32.
const fn ones(count: u32) -> u32 {
    1_u32.wrapping_shl(count).wrapping_sub(1)
}
