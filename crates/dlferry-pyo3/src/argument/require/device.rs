use core::fmt;

use dlferry::abi::{DLDevice, DLDeviceType};
use dlferry::managed::Descriptor;

use super::{Open, Requirement};

/// Memory that the host can read, which is also the default.
#[derive(Clone, Copy, Debug)]
pub struct Cpu(());

/// Any memory at all. There are no elements to look at, only a pointer, a layout and a device.
#[derive(Clone, Copy, Debug)]
pub struct AnyDevice(());

/// Memory of one kind of device, by the number of its [`DLDeviceType`]. There are no elements to look at, only a pointer
/// and a layout. Work that the default stream of the device begins later sees the elements.
#[derive(Clone, Copy, Debug)]
pub struct OnDevice<const TYPE: i32>(());

/// NVIDIA CUDA device memory.
pub type Cuda = OnDevice<{ DLDeviceType::CUDA.0 }>;
/// AMD `ROCm` device memory.
pub type Rocm = OnDevice<{ DLDeviceType::ROCM.0 }>;
/// Apple Metal buffers.
pub type Metal = OnDevice<{ DLDeviceType::METAL.0 }>;

/// Which devices will do, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Devices {
    Host,
    Any,
    Kind(DLDeviceType),
}

impl Devices {
    #[inline]
    pub(crate) fn fits(self, found: &Descriptor) -> bool {
        match self {
            Self::Host => found.is_host_readable(),
            Self::Any => true,
            Self::Kind(kind) => found.device().device_type == kind,
        }
    }
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => DLDevice::CPU.fmt(f),
            Self::Any => f.write_str("any device"),
            Self::Kind(kind) => kind.fmt(f),
        }
    }
}

/// Which devices will do, as a type.
#[doc(hidden)]
#[allow(private_interfaces, reason = "what it is made of is nobody's business outside")]
pub trait Device {
    #[doc(hidden)]
    const DEVICES: Devices;
}

#[allow(private_interfaces, reason = "as for the trait")]
impl Device for Open {
    const DEVICES: Devices = Devices::Host;
}

#[allow(private_interfaces, reason = "as for the trait")]
impl Device for Cpu {
    const DEVICES: Devices = Devices::Host;
}

#[allow(private_interfaces, reason = "as for the trait")]
impl Device for AnyDevice {
    const DEVICES: Devices = Devices::Any;
}

#[allow(private_interfaces, reason = "as for the trait")]
impl<const TYPE: i32> Device for OnDevice<TYPE> {
    const DEVICES: Devices = Devices::Kind(DLDeviceType(TYPE));
}

/// A device whose memory the host can read.
#[doc(hidden)]
pub trait Host: Device {}

impl Host for Open {}
impl Host for Cpu {}

/// A [`Requirement`] for memory that the host can read: there are elements to look at.
#[diagnostic::on_unimplemented(
    message = "elements on another device cannot be looked at",
    label = "the array may be where the host cannot read",
    note = "of such an array there are `data_ptr()`, `shape()` and `strides()`"
)]
pub trait OnHost: Requirement {}

impl<W: Requirement<Device: Host>> OnHost for W {}
