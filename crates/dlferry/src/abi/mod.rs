//! Stratum 0: the C structs of DLPack, declarations only, one to one with `dlpack.h`.
//!
//! Names, field order and constants follow the header of DLPack 1.3, plus the values that its main branch has
//! added since without a new version ([`DLDeviceType::TPU`], [`DLDataTypeCode::BCOMPLEX`], ...). Everything that may
//! hold a value from outside is an open integer, never a Rust `enum`: an unknown device or dtype is data, not
//! undefined behaviour (rule R1.6).
//!
//! Nothing here reads memory. The one place that does is [`managed`](crate::managed).

mod device;
mod dtype;
mod exchange;
mod tensor;
mod version;

pub use device::{DLDevice, DLDeviceType};
pub use dtype::{DLDataType, DLDataTypeCode};
pub use exchange::{
    DLPackCurrentWorkStream, DLPackDLTensorFromPyObjectNoSync, DLPackExchangeAPI, DLPackExchangeAPIHeader,
    DLPackManagedTensorAllocator, DLPackManagedTensorFromPyObjectNoSync, DLPackManagedTensorToPyObjectNoSync,
    DLPackSetError, EXCHANGE_API_ATTRIBUTE, EXCHANGE_API_CAPSULE,
};
pub use tensor::{
    CAPSULE_UNVERSIONED, CAPSULE_UNVERSIONED_USED, CAPSULE_VERSIONED, CAPSULE_VERSIONED_USED, DLManagedTensor,
    DLManagedTensorVersioned, DLTensor, FLAG_IS_COPIED, FLAG_IS_SUBBYTE_TYPE_PADDED, FLAG_READ_ONLY,
};
pub use version::DLPackVersion;

#[cfg(test)]
mod tests;
