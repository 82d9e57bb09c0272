use core::fmt;

/// The kind of a device, as `DLDeviceType` of the header: an open 32-bit integer.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DLDeviceType(pub i32);

impl DLDeviceType {
    /// Ordinary host memory.
    pub const CPU: Self = Self(1);
    /// NVIDIA CUDA device memory.
    pub const CUDA: Self = Self(2);
    /// Host memory pinned by CUDA.
    pub const CUDA_HOST: Self = Self(3);
    /// `OpenCL` memory objects.
    pub const OPENCL: Self = Self(4);
    /// Vulkan buffers.
    pub const VULKAN: Self = Self(7);
    /// Apple Metal buffers.
    pub const METAL: Self = Self(8);
    /// The Verilog simulator.
    pub const VPI: Self = Self(9);
    /// AMD `ROCm` device memory.
    pub const ROCM: Self = Self(10);
    /// Host memory pinned by `ROCm`.
    pub const ROCM_HOST: Self = Self(11);
    /// An extension device, whose meaning is private to the two sides.
    pub const EXT_DEV: Self = Self(12);
    /// CUDA managed (unified) memory.
    pub const CUDA_MANAGED: Self = Self(13);
    /// oneAPI unified shared memory.
    pub const ONE_API: Self = Self(14);
    /// WebGPU buffers.
    pub const WEB_GPU: Self = Self(15);
    /// Qualcomm Hexagon.
    pub const HEXAGON: Self = Self(16);
    /// Microsoft MAIA.
    pub const MAIA: Self = Self(17);
    /// AWS Trainium.
    pub const TRN: Self = Self(18);
    /// Google TPU (after the 1.3 tag).
    pub const TPU: Self = Self(19);
    /// Host memory of a TPU (after the 1.3 tag).
    pub const TPU_HOST: Self = Self(20);
    /// Huawei Ascend (after the 1.3 tag).
    pub const ASCEND: Self = Self(21);
}

/// The names of the kinds that are known.
const NAMES: [(DLDeviceType, &str); 19] = [
    (DLDeviceType::CPU, "cpu"),
    (DLDeviceType::CUDA, "cuda"),
    (DLDeviceType::CUDA_HOST, "cuda_host"),
    (DLDeviceType::OPENCL, "opencl"),
    (DLDeviceType::VULKAN, "vulkan"),
    (DLDeviceType::METAL, "metal"),
    (DLDeviceType::VPI, "vpi"),
    (DLDeviceType::ROCM, "rocm"),
    (DLDeviceType::ROCM_HOST, "rocm_host"),
    (DLDeviceType::EXT_DEV, "ext_dev"),
    (DLDeviceType::CUDA_MANAGED, "cuda_managed"),
    (DLDeviceType::ONE_API, "one_api"),
    (DLDeviceType::WEB_GPU, "web_gpu"),
    (DLDeviceType::HEXAGON, "hexagon"),
    (DLDeviceType::MAIA, "maia"),
    (DLDeviceType::TRN, "trn"),
    (DLDeviceType::TPU, "tpu"),
    (DLDeviceType::TPU_HOST, "tpu_host"),
    (DLDeviceType::ASCEND, "ascend"),
];

/// Writes the name of the kind, or the number of an unknown one: `cuda`, `device_type(99)`.
impl fmt::Display for DLDeviceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(kind, _)| kind == self) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "device_type({})", self.0),
        }
    }
}

/// A device, as `DLDevice` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DLDevice {
    /// The kind of the device.
    pub device_type: DLDeviceType,
    /// Which device of its kind; 0 for plain host memory.
    pub device_id: i32,
}

impl DLDevice {
    /// Ordinary host memory.
    pub const CPU: Self = Self { device_type: DLDeviceType::CPU, device_id: 0 };
}

/// Writes kind and number, as in `cuda:1`; ordinary host memory is `cpu` alone.
impl fmt::Display for DLDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::CPU {
            return write!(f, "{}", self.device_type);
        }
        write!(f, "{}:{}", self.device_type, self.device_id)
    }
}

const _: () = {
    assert!(size_of::<DLDeviceType>() == 4);
    assert!(size_of::<DLDevice>() == 8);
    assert!(align_of::<DLDevice>() == 4);
    assert!(core::mem::offset_of!(DLDevice, device_id) == 4);
};
