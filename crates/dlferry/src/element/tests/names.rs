use alloc::format;
use alloc::string::ToString;

use super::{with_bits, with_code, with_lanes};
use crate::abi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use crate::element::dtype_fault;
use crate::element::family::FAMILIES;

/// The standard names of all constants.
const NAMES: [(DLDataType, &str); 34] = [
    (DLDataType::BOOL, "bool"),
    (DLDataType::I1, "int1"),
    (DLDataType::I2, "int2"),
    (DLDataType::I4, "int4"),
    (DLDataType::I8, "int8"),
    (DLDataType::I16, "int16"),
    (DLDataType::I32, "int32"),
    (DLDataType::I64, "int64"),
    (DLDataType::U1, "uint1"),
    (DLDataType::U2, "uint2"),
    (DLDataType::U4, "uint4"),
    (DLDataType::U8, "uint8"),
    (DLDataType::U16, "uint16"),
    (DLDataType::U32, "uint32"),
    (DLDataType::U64, "uint64"),
    (DLDataType::F16, "float16"),
    (DLDataType::F32, "float32"),
    (DLDataType::F64, "float64"),
    (DLDataType::BF16, "bfloat16"),
    (DLDataType::C32, "complex32"),
    (DLDataType::C64, "complex64"),
    (DLDataType::C128, "complex128"),
    (DLDataType::BCOMPLEX32, "bcomplex32"),
    (DLDataType::F8_E3M4, "float8_e3m4"),
    (DLDataType::F8_E4M3, "float8_e4m3"),
    (DLDataType::F8_E4M3B11FNUZ, "float8_e4m3b11fnuz"),
    (DLDataType::F8_E4M3FN, "float8_e4m3fn"),
    (DLDataType::F8_E4M3FNUZ, "float8_e4m3fnuz"),
    (DLDataType::F8_E5M2, "float8_e5m2"),
    (DLDataType::F8_E5M2FNUZ, "float8_e5m2fnuz"),
    (DLDataType::F8_E8M0FNU, "float8_e8m0fnu"),
    (DLDataType::F6_E2M3FN, "float6_e2m3fn"),
    (DLDataType::F6_E3M2FN, "float6_e3m2fn"),
    (DLDataType::F4_E2M1FN, "float4_e2m1fn"),
];

#[test]
fn every_constant_has_its_standard_name() {
    for (dtype, name) in NAMES {
        assert_eq!(dtype.to_string(), name);
        assert_eq!(DLDataType::from_name(name), Some(dtype));
    }
}

#[test]
fn handles_show_their_width_and_vectors_their_lanes() {
    let table = [
        (with_code(DLDataType::U64, DLDataTypeCode::OPAQUE_HANDLE), "opaque_handle64"),
        (with_lanes(DLDataType::F32, 4), "float32x4"),
        (with_lanes(DLDataType::BOOL, 2), "boolx2"),
        (with_lanes(DLDataType::F4_E2M1FN, 2), "float4_e2m1fnx2"),
        (with_lanes(DLDataType::C64, u16::MAX), "complex64x65535"),
    ];
    for (dtype, name) in table {
        assert_eq!(dtype.to_string(), name);
        assert_eq!(DLDataType::from_name(name), Some(dtype));
    }
}

#[test]
fn dtypes_without_a_name_show_their_numbers() {
    let unknown = DLDataType { code: DLDataTypeCode(200), bits: 8, lanes: 1 };
    assert_eq!(unknown.to_string(), "dtype(code=200, bits=8, lanes=1)");
    let narrow = with_bits(DLDataType::BOOL, 1);
    assert_eq!(narrow.to_string(), "dtype(code=6, bits=1, lanes=1)");
}

#[test]
fn every_name_leads_back_to_its_dtype_and_faults_have_none() {
    for code in 0..=u8::MAX {
        for bits in 0..=u8::MAX {
            for lanes in [0, 1, 2, 3, 16, 255, 256, u16::MAX] {
                let dtype = DLDataType { code: DLDataTypeCode(code), bits, lanes };
                let name = dtype.to_string();
                let has_name = code <= 18 && dtype_fault(dtype).is_none();
                assert_eq!(DLDataType::from_name(&name), has_name.then_some(dtype), "{name}");
            }
        }
    }
}

#[test]
fn anything_but_the_exact_name_is_refused() {
    let near_misses = [
        "",
        "x",
        "x4",
        "int",
        "int0",
        "int08",
        "int+8",
        "int-8",
        "int8 ",
        " int8",
        "Int8",
        "int256",
        "int8x",
        "int8x0",
        "int8x1",
        "int8x02",
        "int8x+2",
        "int8x65536",
        "int8x2x2",
        "int\u{663}",
        "uint",
        "bool8",
        "boolx1",
        "bfloat",
        "bfloat32",
        "float8_e4m3f",
        "float8_e4m3fnx",
        "float8_",
        "complex",
        "bcomplex",
        "bcomplex64",
        "double",
        "opaque_handle",
        "dtype(code=200, bits=8, lanes=1)",
    ];
    for name in near_misses {
        assert_eq!(DLDataType::from_name(name), None, "{name:?}");
    }
}

#[test]
fn the_row_of_a_code_stands_at_its_number() {
    for (number, family) in FAMILIES.iter().enumerate() {
        assert_eq!(usize::from(family.code.0), number);
    }
}

#[test]
fn devices_show_kind_and_number() {
    let kinds = [
        (1, "cpu"),
        (2, "cuda"),
        (3, "cuda_host"),
        (4, "opencl"),
        (7, "vulkan"),
        (8, "metal"),
        (9, "vpi"),
        (10, "rocm"),
        (11, "rocm_host"),
        (12, "ext_dev"),
        (13, "cuda_managed"),
        (14, "one_api"),
        (15, "web_gpu"),
        (16, "hexagon"),
        (17, "maia"),
        (18, "trn"),
        (19, "tpu"),
        (20, "tpu_host"),
        (21, "ascend"),
        (99, "device_type(99)"),
        (0, "device_type(0)"),
        (-1, "device_type(-1)"),
    ];
    for (number, name) in kinds {
        let device_type = DLDeviceType(number);
        assert_eq!(device_type.to_string(), name);
        assert_eq!(DLDevice { device_type, device_id: 1 }.to_string(), format!("{name}:1"));
    }
    assert_eq!(DLDevice::CPU.to_string(), "cpu");
    assert_eq!(DLDevice { device_type: DLDeviceType::CUDA, device_id: 0 }.to_string(), "cuda:0");
}
