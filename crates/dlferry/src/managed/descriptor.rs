use core::ffi::c_void;
use core::ops::Range;
use core::ptr::NonNull;

use super::describe::describe_tensor;
use super::{DescribeError, Fields};
use crate::abi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLPackVersion, DLTensor};
use crate::element::check_dtype;
use crate::layout::Layout;

/// What a descriptor is made of: strided memory as somebody describes it, unchecked.
#[derive(Clone, Copy, Debug)]
pub struct Outline<'a> {
    /// The address of the first element, or the handle of an opaque device.
    pub data: *mut c_void,
    /// Where the memory is.
    pub device: DLDevice,
    /// The type of one element.
    pub dtype: DLDataType,
    /// The extents.
    pub shape: &'a [i64],
    /// As many strides as there are extents.
    pub strides: Strides<'a>,
    /// Read-only, copied, padded.
    pub fields: Fields,
}

/// Strides, in either unit.
#[derive(Clone, Copy, Debug)]
pub enum Strides<'a> {
    /// In elements, as DLPack counts.
    Elements(&'a [i64]),
    /// In bytes. Elements of less than a byte stand one in each byte.
    Bytes(&'a [i64]),
}

/// What a tensor is: a checked copy of every field that describes it. Owns and reads nothing.
///
/// Invariants, relied on by everything that reads memory through a descriptor:
///
/// 1. The dtype has passed [`check_dtype`].
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

    /// The description of no elements, to be [rewritten](Self::rewrite).
    #[must_use]
    #[inline]
    pub fn blank() -> Self {
        let layout = Layout::blank();
        let (data, device, dtype) = (core::ptr::null_mut(), DLDevice::CPU, DLDataType::U8);
        Self { data, byte_offset: 0, device, dtype, fields: Fields::SHARED, layout }
    }

    /// Becomes what an outline says, where it is: moving a descriptor costs more than making one.
    ///
    /// # Errors
    ///
    /// As [`Self::new`], and [`DescribeError::Layout`]; the descriptor is then [blank](Self::blank).
    #[inline]
    pub fn rewrite(&mut self, outline: &Outline<'_>) -> Result<(), DescribeError> {
        let rewritten = self.fill(outline);
        if rewritten.is_err() {
            *self = Self::blank();
        }
        rewritten
    }

    /// Like [`Self::rewrite`], for what most arrays are, and faster: elements of whole bytes in host memory, one after
    /// another, with strides in bytes, on up to eight axes. `false` for all else: then the descriptor is
    /// [blank](Self::blank), and [`Self::rewrite`] is to be asked.
    #[inline]
    #[must_use]
    pub fn rewrite_row_major(&mut self, outline: &Outline<'_>) -> bool {
        let is_host = outline.device.device_type == DLDeviceType::CPU && !outline.data.is_null();
        let bytes = match outline.strides {
            Strides::Bytes(strides)
                if is_host && !outline.dtype.is_sub_byte() && check_dtype(outline.dtype).is_ok() =>
            {
                self.layout.fill_row_major(outline.shape, strides, outline.dtype.item_bytes())
            }
            _ => None,
        };
        let bytes = bytes.and_then(|bytes| isize::try_from(bytes).ok());
        if bytes.and_then(|bytes| outline.data.addr().checked_add_signed(bytes)).is_none() {
            *self = Self::blank();
            return false;
        }
        self.data = outline.data;
        self.byte_offset = 0;
        self.device = outline.device;
        self.dtype = outline.dtype;
        self.fields = Fields { padded: false, ..outline.fields };
        true
    }

    /// Becomes the description of a tensor that is only lent, as the exchange API lends one: what
    /// [`describe_borrowed`](super::describe_borrowed) returns, written where this descriptor is.
    ///
    /// # Errors
    ///
    /// As [`describe`](super::describe()); the descriptor is then [blank](Self::blank).
    ///
    /// # Safety
    ///
    /// The tensor is readable; condition 2 of [`managed`](crate::managed).
    #[inline]
    pub unsafe fn rewrite_borrowed(&mut self, tensor: NonNull<DLTensor>) -> Result<(), DescribeError> {
        // SAFETY: vouched for by the caller.
        let rewritten = unsafe { describe_tensor(self, tensor, Fields::UNVERSIONED) };
        if rewritten.is_err() {
            *self = Self::blank();
        }
        rewritten
    }

    /// Becomes what an outline says, where it is. Of no use to anybody when it is refused.
    #[inline]
    pub(super) fn fill(&mut self, outline: &Outline<'_>) -> Result<(), DescribeError> {
        match outline.strides {
            Strides::Elements(strides) => self.layout.fill(outline.shape, strides)?,
            Strides::Bytes(strides) => self.layout.fill_bytes(outline.shape, strides, outline.dtype.item_bytes())?,
        }
        let memory = Memory { data: outline.data, byte_offset: 0, device: outline.device };
        self.refill(memory, outline.dtype, outline.fields)
    }

    /// The layout, to be refilled before [`Self::refill`] checks all the rest.
    #[inline]
    pub(super) fn layout_mut(&mut self) -> &mut Layout {
        &mut self.layout
    }

    /// Becomes the description of the layout that it has at other memory, where it is: moving a descriptor costs more
    /// than making one. Of no use to anybody when it is refused.
    #[inline]
    pub(super) fn refill(&mut self, memory: Memory, dtype: DLDataType, fields: Fields) -> Result<(), DescribeError> {
        self.data = memory.data;
        self.byte_offset = memory.byte_offset;
        self.device = memory.device;
        self.dtype = dtype;
        self.fields = fields;
        self.check()
    }

    /// All that import and export must hold, in one place. Moves the byte offset into the address where the device has
    /// addresses, and settles what the flags say together with the rest.
    #[inline]
    fn check(&mut self) -> Result<(), DescribeError> {
        let dtype = self.dtype;
        check_dtype(dtype)?;
        if self.is_plain() {
            self.fields.padded = false;
            return Ok(());
        }
        if self.data.is_null() && !self.layout.is_empty() {
            return Err(DescribeError::NullData { size: self.layout.size() });
        }
        if !dtype.is_sub_byte() {
            // The flag says nothing about whole bytes (rule R6.7).
            self.fields.padded = false;
        } else if self.fields.padded && dtype.item_bits() > 8 {
            return Err(DescribeError::Padding { dtype });
        }
        if !self.fields.read_only && self.layout.has_overlap() {
            self.fields.read_only = true;
        }
        self.settle()
    }

    /// Whether all that [`Self::check`] looks at is in order, as it is for most: elements of whole bytes in host memory, one
    /// after another. `false` says nothing.
    #[inline]
    fn is_plain(&self) -> bool {
        let bits = self.dtype.item_bits();
        let is_simple =
            self.layout.is_known_row_major() && self.device.device_type == DLDeviceType::CPU && bits % 8 == 0;
        let bytes = self.layout.size().checked_mul(self.dtype.item_bytes());
        is_simple
            && self.byte_offset == 0
            && !self.data.is_null()
            && bytes
                .is_some_and(|bytes| isize::try_from(bytes).is_ok() && self.data.addr().checked_add(bytes).is_some())
    }

    /// Checks that the elements have addresses, or offsets from a handle.
    #[inline]
    fn settle(&mut self) -> Result<(), DescribeError> {
        let byte_offset = self.byte_offset;
        if self.layout.is_empty() {
            self.byte_offset = 0;
            return Ok(());
        }
        let range = self.byte_range()?;
        let overflow = DescribeError::AddressOverflow { byte_offset };
        if !self.is_addressed() {
            // A handle has no address to check; the offsets of the elements must still be numbers.
            let inside = i64::try_from(byte_offset).is_ok_and(|offset| {
                let ends = [range.start, range.end];
                ends.into_iter().all(|end| i64::try_from(end).is_ok_and(|end| offset.checked_add(end).is_some()))
            });
            return if inside { Ok(()) } else { Err(overflow) };
        }
        let Ok(offset) = isize::try_from(byte_offset) else {
            return Err(overflow);
        };
        let Some(first) = self.data.addr().checked_add_signed(offset) else {
            return Err(overflow);
        };
        let low = first.checked_add_signed(range.start);
        let high = first.checked_add_signed(range.end);
        if low.is_none_or(|low| low == 0) || high.is_none() {
            return Err(overflow);
        }
        self.data = self.data.wrapping_byte_offset(offset);
        self.byte_offset = 0;
        Ok(())
    }

    /// The view of this tensor with another layout, whose first element lies `first` elements from the present one.
    ///
    /// # Errors
    ///
    /// [`DescribeError`] when the view reaches beyond what addresses can express, or starts inside a byte.
    pub fn view(&self, layout: Layout, first: i64) -> Result<Self, DescribeError> {
        let Memory { data, byte_offset, device } = self.memory_from(first, layout.is_empty())?;
        Self::with_byte_offset(data, byte_offset, device, self.dtype, layout, self.fields)
    }

    /// Becomes the view that [`Self::view`] of `whole` gives, where it is. Of no use to anybody when it is refused.
    #[inline]
    pub(super) fn fill_view(&mut self, whole: &Self, layout: &Layout, first: i64) -> Result<(), DescribeError> {
        self.layout.fill(layout.shape(), layout.strides())?;
        let memory = whole.memory_from(first, layout.is_empty())?;
        self.refill(memory, whole.dtype, whole.fields)
    }

    /// Where the element is that lies `first` elements from the present first one.
    #[inline]
    fn memory_from(&self, first: i64, is_empty: bool) -> Result<Memory, DescribeError> {
        let mut memory = Memory { data: self.data, byte_offset: self.byte_offset, device: self.device };
        if first == 0 || is_empty {
            // An empty tensor keeps its pointer: there is nothing to address.
            return Ok(memory);
        }
        let overflow = DescribeError::AddressOverflow { byte_offset: self.byte_offset };
        let bits = first.checked_mul(i64::from(self.storage_bits())).ok_or_else(|| overflow.clone())?;
        if bits.checked_rem_euclid(8) != Some(0) {
            return Err(DescribeError::WithinByte { dtype: self.dtype });
        }
        let bytes = bits.checked_div_euclid(8).ok_or_else(|| overflow.clone())?;
        if self.is_addressed() {
            memory.data = memory.data.wrapping_byte_offset(isize::try_from(bytes).map_err(|_| overflow)?);
        } else {
            memory.byte_offset = memory.byte_offset.checked_add_signed(bytes).ok_or(overflow)?;
        }
        Ok(memory)
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

/// Where elements are.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    pub(super) data: *mut c_void,
    pub(super) byte_offset: u64,
    pub(super) device: DLDevice,
}
