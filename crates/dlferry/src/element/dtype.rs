use crate::abi::{DLDataType, DLDataTypeCode};

/// The dtypes that have a name of their own, one scalar to an element.
impl DLDataType {
    /// Boolean, one byte.
    pub const BOOL: Self = Self::scalar(DLDataTypeCode::BOOL, 8);

    /// Signed integer of 1 bit: 0 or -1.
    pub const I1: Self = Self::scalar(DLDataTypeCode::INT, 1);
    /// Signed integer of 2 bits.
    pub const I2: Self = Self::scalar(DLDataTypeCode::INT, 2);
    /// Signed integer of 4 bits.
    pub const I4: Self = Self::scalar(DLDataTypeCode::INT, 4);
    /// Signed integer of 8 bits.
    pub const I8: Self = Self::scalar(DLDataTypeCode::INT, 8);
    /// Signed integer of 16 bits.
    pub const I16: Self = Self::scalar(DLDataTypeCode::INT, 16);
    /// Signed integer of 32 bits.
    pub const I32: Self = Self::scalar(DLDataTypeCode::INT, 32);
    /// Signed integer of 64 bits.
    pub const I64: Self = Self::scalar(DLDataTypeCode::INT, 64);

    /// Unsigned integer of 1 bit.
    pub const U1: Self = Self::scalar(DLDataTypeCode::UINT, 1);
    /// Unsigned integer of 2 bits.
    pub const U2: Self = Self::scalar(DLDataTypeCode::UINT, 2);
    /// Unsigned integer of 4 bits.
    pub const U4: Self = Self::scalar(DLDataTypeCode::UINT, 4);
    /// Unsigned integer of 8 bits.
    pub const U8: Self = Self::scalar(DLDataTypeCode::UINT, 8);
    /// Unsigned integer of 16 bits.
    pub const U16: Self = Self::scalar(DLDataTypeCode::UINT, 16);
    /// Unsigned integer of 32 bits.
    pub const U32: Self = Self::scalar(DLDataTypeCode::UINT, 32);
    /// Unsigned integer of 64 bits.
    pub const U64: Self = Self::scalar(DLDataTypeCode::UINT, 64);

    /// IEEE half precision.
    pub const F16: Self = Self::scalar(DLDataTypeCode::FLOAT, 16);
    /// IEEE single precision.
    pub const F32: Self = Self::scalar(DLDataTypeCode::FLOAT, 32);
    /// IEEE double precision.
    pub const F64: Self = Self::scalar(DLDataTypeCode::FLOAT, 64);
    /// bfloat16: the upper half of a single.
    pub const BF16: Self = Self::scalar(DLDataTypeCode::BFLOAT, 16);

    /// Complex number of two halves of 16 bits (`complex32`).
    pub const C32: Self = Self::scalar(DLDataTypeCode::COMPLEX, 32);
    /// Complex number of two singles (`complex64`).
    pub const C64: Self = Self::scalar(DLDataTypeCode::COMPLEX, 64);
    /// Complex number of two doubles (`complex128`).
    pub const C128: Self = Self::scalar(DLDataTypeCode::COMPLEX, 128);
    /// Complex number of two bfloat16 (`bcomplex32`).
    pub const BCOMPLEX32: Self = Self::scalar(DLDataTypeCode::BCOMPLEX, 32);

    /// Float of 3 exponent and 4 mantissa bits, IEEE-like.
    pub const F8_E3M4: Self = Self::scalar(DLDataTypeCode::FLOAT8_E3M4, 8);
    /// Float of 4 exponent and 3 mantissa bits, IEEE-like.
    pub const F8_E4M3: Self = Self::scalar(DLDataTypeCode::FLOAT8_E4M3, 8);
    /// Float of 4 exponent and 3 mantissa bits, bias 11, no infinities, one zero.
    pub const F8_E4M3B11FNUZ: Self = Self::scalar(DLDataTypeCode::FLOAT8_E4M3B11FNUZ, 8);
    /// Float of 4 exponent and 3 mantissa bits, no infinities.
    pub const F8_E4M3FN: Self = Self::scalar(DLDataTypeCode::FLOAT8_E4M3FN, 8);
    /// Float of 4 exponent and 3 mantissa bits, no infinities, one zero.
    pub const F8_E4M3FNUZ: Self = Self::scalar(DLDataTypeCode::FLOAT8_E4M3FNUZ, 8);
    /// Float of 5 exponent and 2 mantissa bits, IEEE-like.
    pub const F8_E5M2: Self = Self::scalar(DLDataTypeCode::FLOAT8_E5M2, 8);
    /// Float of 5 exponent and 2 mantissa bits, no infinities, one zero.
    pub const F8_E5M2FNUZ: Self = Self::scalar(DLDataTypeCode::FLOAT8_E5M2FNUZ, 8);
    /// Power of two: 8 exponent bits, neither sign nor zero.
    pub const F8_E8M0FNU: Self = Self::scalar(DLDataTypeCode::FLOAT8_E8M0FNU, 8);
    /// Float of 2 exponent and 3 mantissa bits, finite.
    pub const F6_E2M3FN: Self = Self::scalar(DLDataTypeCode::FLOAT6_E2M3FN, 6);
    /// Float of 3 exponent and 2 mantissa bits, finite.
    pub const F6_E3M2FN: Self = Self::scalar(DLDataTypeCode::FLOAT6_E3M2FN, 6);
    /// Float of 2 exponent bits and 1 mantissa bit, finite.
    pub const F4_E2M1FN: Self = Self::scalar(DLDataTypeCode::FLOAT4_E2M1FN, 4);

    /// Makes a dtype of one lane.
    const fn scalar(code: DLDataTypeCode, bits: u8) -> Self {
        Self { code, bits, lanes: 1 }
    }
}

/// Sizes.
impl DLDataType {
    /// Counts the bits of one element: `bits` times `lanes`.
    ///
    /// No dtype overflows, since a byte times a 16-bit number fits 32 bits.
    #[inline]
    #[must_use]
    pub const fn item_bits(self) -> u32 {
        (self.bits as u32).wrapping_mul(self.lanes as u32)
    }

    /// Counts the bytes that hold one element, rounded up.
    ///
    /// This is the distance of two neighbours unless [`is_sub_byte`](Self::is_sub_byte) elements stand packed.
    #[inline]
    #[must_use]
    pub const fn item_bytes(self) -> usize {
        self.item_bits().div_ceil(8) as usize
    }

    /// Whether one element is not a whole number of bytes, so that packed elements share bytes.
    ///
    /// Two lanes of 4 bits are one whole byte, hence not sub-byte; 12 bits are.
    #[inline]
    #[must_use]
    pub const fn is_sub_byte(self) -> bool {
        self.item_bits() % 8 != 0
    }
}
