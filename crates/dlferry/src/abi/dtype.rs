/// The kind of an element, as `DLDataTypeCode` of the header: an open byte.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DLDataTypeCode(pub u8);

impl DLDataTypeCode {
    /// Signed integers.
    pub const INT: Self = Self(0);
    /// Unsigned integers.
    pub const UINT: Self = Self(1);
    /// IEEE binary floating point.
    pub const FLOAT: Self = Self(2);
    /// A handle whose meaning is private to the two sides.
    pub const OPAQUE_HANDLE: Self = Self(3);
    /// bfloat16.
    pub const BFLOAT: Self = Self(4);
    /// Complex numbers; `bits` counts both halves (rule R1.9).
    pub const COMPLEX: Self = Self(5);
    /// Booleans, one byte each.
    pub const BOOL: Self = Self(6);
    /// 8-bit float, 3 exponent and 4 mantissa bits, IEEE-like.
    pub const FLOAT8_E3M4: Self = Self(7);
    /// 8-bit float, 4 exponent and 3 mantissa bits, IEEE-like.
    pub const FLOAT8_E4M3: Self = Self(8);
    /// 8-bit float, bias 11, finite, unsigned zero.
    pub const FLOAT8_E4M3B11FNUZ: Self = Self(9);
    /// 8-bit float, finite (no infinities).
    pub const FLOAT8_E4M3FN: Self = Self(10);
    /// 8-bit float, finite, unsigned zero.
    pub const FLOAT8_E4M3FNUZ: Self = Self(11);
    /// 8-bit float, 5 exponent and 2 mantissa bits, IEEE-like.
    pub const FLOAT8_E5M2: Self = Self(12);
    /// 8-bit float, finite, unsigned zero.
    pub const FLOAT8_E5M2FNUZ: Self = Self(13);
    /// 8-bit power of two: exponent only, no sign, no zero.
    pub const FLOAT8_E8M0FNU: Self = Self(14);
    /// 6-bit float, 2 exponent and 3 mantissa bits.
    pub const FLOAT6_E2M3FN: Self = Self(15);
    /// 6-bit float, 3 exponent and 2 mantissa bits.
    pub const FLOAT6_E3M2FN: Self = Self(16);
    /// 4-bit float, 2 exponent and 1 mantissa bit.
    pub const FLOAT4_E2M1FN: Self = Self(17);
    /// Complex numbers of two bfloat16 halves, 32 bits together (after the 1.3 tag).
    pub const BCOMPLEX: Self = Self(18);
}

/// The type of an element, as `DLDataType` of the header: `lanes` scalars of `bits` bits.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DLDataType {
    /// The kind of the scalar.
    pub code: DLDataTypeCode,
    /// Bits of one scalar.
    pub bits: u8,
    /// Scalars of one element; 1 but for vector types.
    pub lanes: u16,
}

const _: () = {
    assert!(size_of::<DLDataTypeCode>() == 1);
    assert!(size_of::<DLDataType>() == 4);
    assert!(align_of::<DLDataType>() == 2);
    assert!(core::mem::offset_of!(DLDataType, bits) == 1);
    assert!(core::mem::offset_of!(DLDataType, lanes) == 2);
};
