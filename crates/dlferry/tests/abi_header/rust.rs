//! The side of Rust: every struct and constant of `abi` by the name that the header gives it.

use std::{
    collections::BTreeSet,
    mem::{align_of, offset_of, size_of},
};

use dlferry::abi::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned, DLPackExchangeAPI,
    DLPackExchangeAPIHeader, DLPackVersion, DLTensor, FLAG_IS_COPIED, FLAG_IS_SUBBYTE_TYPE_PADDED, FLAG_READ_ONLY,
};

use crate::Values;

/// A constant: its name in Rust, its name in C, its value.
type Constant = (&'static str, &'static str, i64);

macro_rules! constants {
    ($kind:ident { $($rust:ident = $c:ident),* $(,)? }) => {
        [$((stringify!($rust), stringify!($c), i64::from($kind::$rust.0))),*]
    };
}

fn devices() -> [Constant; 19] {
    constants!(DLDeviceType {
        CPU = kDLCPU,
        CUDA = kDLCUDA,
        CUDA_HOST = kDLCUDAHost,
        OPENCL = kDLOpenCL,
        VULKAN = kDLVulkan,
        METAL = kDLMetal,
        VPI = kDLVPI,
        ROCM = kDLROCM,
        ROCM_HOST = kDLROCMHost,
        EXT_DEV = kDLExtDev,
        CUDA_MANAGED = kDLCUDAManaged,
        ONE_API = kDLOneAPI,
        WEB_GPU = kDLWebGPU,
        HEXAGON = kDLHexagon,
        MAIA = kDLMAIA,
        TRN = kDLTrn,
        TPU = kDLTPU,
        TPU_HOST = kDLTPUHost,
        ASCEND = kDLAscend,
    })
}

fn codes() -> [Constant; 19] {
    constants!(DLDataTypeCode {
        INT = kDLInt,
        UINT = kDLUInt,
        FLOAT = kDLFloat,
        OPAQUE_HANDLE = kDLOpaqueHandle,
        BFLOAT = kDLBfloat,
        COMPLEX = kDLComplex,
        BOOL = kDLBool,
        FLOAT8_E3M4 = kDLFloat8_e3m4,
        FLOAT8_E4M3 = kDLFloat8_e4m3,
        FLOAT8_E4M3B11FNUZ = kDLFloat8_e4m3b11fnuz,
        FLOAT8_E4M3FN = kDLFloat8_e4m3fn,
        FLOAT8_E4M3FNUZ = kDLFloat8_e4m3fnuz,
        FLOAT8_E5M2 = kDLFloat8_e5m2,
        FLOAT8_E5M2FNUZ = kDLFloat8_e5m2fnuz,
        FLOAT8_E8M0FNU = kDLFloat8_e8m0fnu,
        FLOAT6_E2M3FN = kDLFloat6_e2m3fn,
        FLOAT6_E3M2FN = kDLFloat6_e3m2fn,
        FLOAT4_E2M1FN = kDLFloat4_e2m1fn,
        BCOMPLEX = kDLBcomplex,
    })
}

fn flags() -> [Constant; 3] {
    let value = |flag| i64::try_from(flag).expect("a flag is a low bit");
    [
        ("FLAG_READ_ONLY", "DLPACK_FLAG_BITMASK_READ_ONLY", value(FLAG_READ_ONLY)),
        ("FLAG_IS_COPIED", "DLPACK_FLAG_BITMASK_IS_COPIED", value(FLAG_IS_COPIED)),
        (
            "FLAG_IS_SUBBYTE_TYPE_PADDED",
            "DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED",
            value(FLAG_IS_SUBBYTE_TYPE_PADDED),
        ),
    ]
}

fn size_of_field<S, F>(_: fn(&S) -> &F) -> usize {
    size_of::<F>()
}

macro_rules! structs {
    ($($name:ident { $($field:ident),* })*) => {{
        // Exhaustive patterns: a field that is not listed here does not compile.
        $(let _ = |$name { $($field: _),* }: $name| ();)*
        vec![$(
            (format!("sizeof.{}", stringify!($name)), size_of::<$name>()),
            (format!("alignof.{}", stringify!($name)), align_of::<$name>()),
            $(
                (format!("offsetof.{}.{}", stringify!($name), stringify!($field)), offset_of!($name, $field)),
                (
                    format!("sizeof.{}.{}", stringify!($name), stringify!($field)),
                    size_of_field(|s: &$name| &s.$field),
                ),
            )*
        )*]
    }};
}

fn layouts() -> Vec<(String, usize)> {
    structs! {
        DLPackVersion { major, minor }
        DLDevice { device_type, device_id }
        DLDataType { code, bits, lanes }
        DLTensor { data, device, ndim, dtype, shape, strides, byte_offset }
        DLManagedTensor { dl_tensor, manager_ctx, deleter }
        DLManagedTensorVersioned { version, manager_ctx, deleter, flags, dl_tensor }
        DLPackExchangeAPIHeader { version, prev_api }
        DLPackExchangeAPI {
            header,
            managed_tensor_allocator,
            managed_tensor_from_py_object_no_sync,
            managed_tensor_to_py_object_no_sync,
            dltensor_from_py_object_no_sync,
            current_work_stream
        }
    }
}

pub(crate) fn rust_values() -> Values {
    let constants = devices().into_iter().chain(codes()).chain(flags());
    let version = DLPackVersion::CURRENT;
    layouts()
        .into_iter()
        .map(|(name, value)| (name, i64::try_from(value).expect("a struct is small")))
        .chain(constants.map(|(_, c_name, value)| (c_name.to_owned(), value)))
        .chain([
            ("DLPACK_MAJOR_VERSION".to_owned(), version.major.into()),
            ("DLPACK_MINOR_VERSION".to_owned(), version.minor.into()),
        ])
        .collect()
}

#[test]
fn every_constant_and_struct_of_abi_is_compared() {
    let device = include_str!("../../src/abi/device.rs");
    let dtype = include_str!("../../src/abi/dtype.rs");
    let tensor = include_str!("../../src/abi/tensor.rs");
    let exchange = include_str!("../../src/abi/exchange.rs");
    let version = include_str!("../../src/abi/version.rs");

    let constants = |source: &'static str, kind: &str| -> BTreeSet<&str> {
        let declarations = source.lines().filter_map(|line| line.trim().strip_prefix("pub const "));
        declarations
            .filter_map(|d| d.split_once(": "))
            .filter(|(_, value)| value.starts_with(kind))
            .map(|(name, _)| name)
            .collect()
    };
    let rust_names = |table: &[Constant]| table.iter().map(|(name, _, _)| *name).collect::<BTreeSet<_>>();
    assert_eq!(constants(device, "Self = Self("), rust_names(&devices()));
    assert_eq!(constants(dtype, "Self = Self("), rust_names(&codes()));
    assert_eq!(constants(tensor, "u64"), rust_names(&flags()));

    let layouts = layouts();
    let compared: BTreeSet<_> = layouts.iter().filter_map(|(name, _)| name.strip_prefix("alignof.")).collect();
    let declared: BTreeSet<_> = [device, dtype, tensor, exchange, version]
        .iter()
        .flat_map(|source| source.lines())
        .filter_map(|line| line.strip_prefix("pub struct ")?.strip_suffix(" {"))
        .collect();
    assert_eq!(declared, compared);
}
