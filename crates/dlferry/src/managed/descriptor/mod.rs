//! What a tensor is. The checks that make it so are in `check`, the ways to make one where it stays in `fill`.

mod check;
mod fill;

use core::ffi::c_void;
use core::ops::Range;

use super::{DescribeError, Fields};
use crate::abi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLPackVersion};
use crate::layout::Layout;

pub(super) use fill::Memory;
pub use fill::{Outline, Strides};

/// What a tensor is: a checked copy of every field that describes it. Owns and reads nothing.
///
/// Invariants, relied on by everything that reads memory through a descriptor:
///
/// 1. The dtype has passed [`check_dtype`](crate::element::check_dtype).
/// 2. `data` is not NULL unless the tensor is empty.
/// 3. On [addressed](Self::is_addressed) devices `byte_offset` is 0 and `data` is the address of the element at index
///    (0, ..., 0); the bytes of all elements lie within the address space and span at most `isize::MAX`.
/// 4. When two indices reach one element, the descriptor is read-only.
#[derive(Clone, Debug)]
pub struct Descriptor {
    data: *mut c_void,
    byte_offset: u64,
    device: DLDevice,
    dtype: DLDataType,
    fields: Fields,
    layout: Layout,
}

// SAFETY: a descriptor is a set of numbers; its pointer gives no access without an `unsafe` block elsewhere.
unsafe impl Send for Descriptor {}
// SAFETY: as above.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    /// Describes `layout` at `data`, checking all that both import and export must hold.
    ///
    /// `data` is the address of the first element (or the handle of an opaque device), `layout` counts elements.
    ///
    /// # Errors
    ///
    /// [`DescribeError`] for a malformed dtype, NULL data with elements, padding where none is defined, and elements
    /// beyond the address space.
    #[inline]
    pub fn new(
        data: *mut c_void,
        device: DLDevice,
        dtype: DLDataType,
        layout: Layout,
        fields: Fields,
    ) -> Result<Self, DescribeError> {
        Self::with_byte_offset(data, 0, device, dtype, layout, fields)
    }

    /// Like [`Self::new`], with the first element `byte_offset` bytes behind `data`.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    #[inline]
    pub fn with_byte_offset(
        data: *mut c_void,
        byte_offset: u64,
        device: DLDevice,
        dtype: DLDataType,
        layout: Layout,
        fields: Fields,
    ) -> Result<Self, DescribeError> {
        let mut this = Self { data, byte_offset, device, dtype, fields, layout };
        this.check()?;
        Ok(this)
    }

    /// The address of the first element on [addressed](Self::is_addressed) devices, else the handle.
    #[must_use]
    #[inline]
    pub fn data(&self) -> *mut c_void {
        self.data
    }

    /// Bytes from [`Self::data`] to the first element; 0 on [addressed](Self::is_addressed) devices.
    #[must_use]
    #[inline]
    pub fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    /// Where the memory is.
    #[must_use]
    #[inline]
    pub fn device(&self) -> DLDevice {
        self.device
    }

    /// The type of one element.
    #[must_use]
    #[inline]
    pub fn dtype(&self) -> DLDataType {
        self.dtype
    }

    /// Shape and strides, in elements.
    #[must_use]
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The extents.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &[i64] {
        self.layout.shape()
    }

    /// The strides, in elements.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> &[i64] {
        self.layout.strides()
    }

    /// Version, read-only, copied, padded.
    #[must_use]
    #[inline]
    pub fn fields(&self) -> Fields {
        self.fields
    }

    /// The version of the struct that the tensor came in; `None` for an unversioned one.
    #[must_use]
    pub fn version(&self) -> Option<DLPackVersion> {
        self.fields.version
    }

    /// Whether writing is forbidden: the producer said so, could not say, or elements overlap.
    #[must_use]
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.fields.read_only
    }

    /// Whether the memory is a copy made for this exchange: `None` when the producer could not tell.
    #[must_use]
    pub fn copied(&self) -> Option<bool> {
        self.fields.copied
    }

    /// Makes the tensor read-only.
    pub fn set_read_only(&mut self) {
        self.fields.read_only = true;
    }

    /// Says whether the memory is a private copy.
    pub fn set_copied(&mut self, copied: Option<bool>) {
        self.fields.copied = copied;
    }

    /// Lifts the read-only state, unless elements overlap: then the answer is `false` and nothing changes.
    ///
    /// # Safety
    ///
    /// The caller knows that the memory may be written, though the producer did not say so (an unversioned struct).
    #[must_use]
    pub unsafe fn set_writable(&mut self) -> bool {
        if self.layout.has_overlap() {
            return false;
        }
        self.fields.read_only = false;
        true
    }

    /// Whether `data` is an address that one may count bytes from, rather than a handle (rule R3.13).
    #[must_use]
    #[inline]
    pub fn is_addressed(&self) -> bool {
        is_addressed(self.device.device_type)
    }

    /// Whether the host can read the memory (decision 5.12). All other memory passes through and is never touched.
    #[must_use]
    #[inline]
    pub fn is_host_readable(&self) -> bool {
        is_host_readable(self.device.device_type)
    }

    /// Whether the elements lie at multiples of their size, or of that of their halves for complex ones. An empty tensor
    /// is aligned; so is memory without addresses.
    #[must_use]
    pub fn is_aligned(&self) -> bool {
        if self.layout.is_empty() || !self.is_addressed() {
            return true;
        }
        let is_complex = matches!(self.dtype.code, DLDataTypeCode::COMPLEX | DLDataTypeCode::BCOMPLEX);
        let bytes = usize::from(self.dtype.bits).div_ceil(if is_complex { 16 } else { 8 });
        self.data.addr().checked_rem(bytes).is_none_or(|past| past == 0)
    }

    /// Bits from one element to the next in memory: those of the dtype, or 8 for padded ones below a byte.
    #[must_use]
    #[inline]
    pub fn storage_bits(&self) -> u32 {
        if self.fields.padded { 8 } else { self.dtype.item_bits() }
    }

    /// Bytes of all elements, packed ones counted as such.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        let bits = u128::from(self.storage_bits()).saturating_mul(u128::try_from(self.layout.size()).unwrap_or(0));
        usize::try_from(bits.div_ceil(8)).unwrap_or(usize::MAX)
    }

    /// The bytes that the elements occupy, relative to the first one: a start of 0 or below, and an end.
    ///
    /// # Errors
    ///
    /// [`DescribeError::Layout`] when they do not fit an `isize`; never for a descriptor that was built.
    #[inline]
    pub fn byte_range(&self) -> Result<Range<isize>, DescribeError> {
        Ok(self.layout.byte_range(self.storage_bits())?)
    }
}

/// Whether the host can read memory of this kind of device.
#[must_use]
#[inline]
pub(crate) fn is_host_readable(device_type: DLDeviceType) -> bool {
    matches!(
        device_type,
        DLDeviceType::CPU
            | DLDeviceType::CUDA_HOST
            | DLDeviceType::ROCM_HOST
            | DLDeviceType::CUDA_MANAGED
            | DLDeviceType::TPU_HOST
    )
}

/// Whether the data pointers of this kind of device are addresses (rule R3.13).
#[inline]
fn is_addressed(device_type: DLDeviceType) -> bool {
    matches!(
        device_type,
        DLDeviceType::CPU
            | DLDeviceType::CUDA
            | DLDeviceType::CUDA_HOST
            | DLDeviceType::ROCM
            | DLDeviceType::ROCM_HOST
            | DLDeviceType::CUDA_MANAGED
            | DLDeviceType::ONE_API
            | DLDeviceType::TPU_HOST
    )
}
