use crate::abi::DLDataTypeCode;

/// How many bits a scalar of a family may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// Any number, also none: the bits mean nothing to us.
    Any,
    /// One or more; the name ends with the number.
    Positive,
    /// This many; the name has the number already, or does without.
    Exactly(u8),
}

/// What is known of all dtypes of one code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    /// The code.
    pub(super) code: DLDataTypeCode,
    /// The name, but for the width when that varies.
    pub(super) stem: &'static str,
    /// The widths there are.
    pub(super) width: Width,
}

impl Family {
    const fn sized(code: DLDataTypeCode, stem: &'static str) -> Self {
        Self { code, stem, width: Width::Positive }
    }

    const fn fixed(code: DLDataTypeCode, stem: &'static str, bits: u8) -> Self {
        Self { code, stem, width: Width::Exactly(bits) }
    }

    /// Finds the family of a code, or `None` when the code is unknown.
    pub(super) fn of(code: DLDataTypeCode) -> Option<&'static Self> {
        FAMILIES.get(usize::from(code.0))
    }
}

/// All known codes; the row of a code stands at the code's number, so that a look-up is one step.
pub(super) const FAMILIES: [Family; 19] = [
    Family::sized(DLDataTypeCode::INT, "int"),
    Family::sized(DLDataTypeCode::UINT, "uint"),
    Family::sized(DLDataTypeCode::FLOAT, "float"),
    Family { code: DLDataTypeCode::OPAQUE_HANDLE, stem: "opaque_handle", width: Width::Any },
    Family::fixed(DLDataTypeCode::BFLOAT, "bfloat16", 16),
    Family::sized(DLDataTypeCode::COMPLEX, "complex"),
    Family::fixed(DLDataTypeCode::BOOL, "bool", 8),
    Family::fixed(DLDataTypeCode::FLOAT8_E3M4, "float8_e3m4", 8),
    Family::fixed(DLDataTypeCode::FLOAT8_E4M3, "float8_e4m3", 8),
    Family::fixed(DLDataTypeCode::FLOAT8_E4M3B11FNUZ, "float8_e4m3b11fnuz", 8),
    Family::fixed(DLDataTypeCode::FLOAT8_E4M3FN, "float8_e4m3fn", 8),
    Family::fixed(DLDataTypeCode::FLOAT8_E4M3FNUZ, "float8_e4m3fnuz", 8),
    Family::fixed(DLDataTypeCode::FLOAT8_E5M2, "float8_e5m2", 8),
    Family::fixed(DLDataTypeCode::FLOAT8_E5M2FNUZ, "float8_e5m2fnuz", 8),
    Family::fixed(DLDataTypeCode::FLOAT8_E8M0FNU, "float8_e8m0fnu", 8),
    Family::fixed(DLDataTypeCode::FLOAT6_E2M3FN, "float6_e2m3fn", 6),
    Family::fixed(DLDataTypeCode::FLOAT6_E3M2FN, "float6_e3m2fn", 6),
    Family::fixed(DLDataTypeCode::FLOAT4_E2M1FN, "float4_e2m1fn", 4),
    Family::fixed(DLDataTypeCode::BCOMPLEX, "bcomplex32", 32),
];
