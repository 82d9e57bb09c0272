//! Descriptors that are written where they stay, for moving one costs more than making one; and views of them.

use core::ffi::c_void;
use core::ptr::NonNull;

use super::Descriptor;
use crate::abi::{DLDataType, DLDevice, DLDeviceType, DLTensor};
use crate::element::check_dtype;
use crate::layout::Layout;
use crate::managed::describe::{describe_tensor, plain_outline};
use crate::managed::{DescribeError, Fields};

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

/// Where elements are.
#[derive(Clone, Copy)]
pub(in crate::managed) struct Memory {
    pub(in crate::managed) data: *mut c_void,
    pub(in crate::managed) byte_offset: u64,
    pub(in crate::managed) device: DLDevice,
}

impl Descriptor {
    /// The description of one axis without elements, to be [rewritten](Self::rewrite).
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
    /// another, on up to eight axes. Returns how many bytes they are, from the address of the first one
    /// on. `None` for all else: then the descriptor is [blank](Self::blank), and [`Self::rewrite`] is to be asked.
    #[inline]
    #[must_use]
    pub fn rewrite_row_major(&mut self, outline: &Outline<'_>) -> Option<usize> {
        let is_host = outline.device.device_type == DLDeviceType::CPU && !outline.data.is_null();
        let is_simple = is_host && !outline.dtype.is_sub_byte() && check_dtype(outline.dtype).is_ok();
        let item = outline.dtype.item_bytes();
        let bytes = match outline.strides {
            Strides::Bytes(strides) if is_simple => self.layout.fill_row_major(outline.shape, strides, item),
            // Of elements of one byte both units are the same.
            Strides::Elements(strides) if is_simple => {
                let size = self.layout.fill_row_major(outline.shape, strides, 1);
                size.zip(i64::try_from(item).ok()).and_then(|(size, item)| size.checked_mul(item))
            }
            _ => None,
        };
        let bytes = bytes.and_then(|bytes| isize::try_from(bytes).ok()).map(isize::unsigned_abs);
        let bytes = bytes.filter(|&bytes| outline.data.addr().checked_add(bytes).is_some());
        if bytes.is_none() {
            *self = Self::blank();
            return None;
        }
        self.data = outline.data;
        self.byte_offset = 0;
        self.device = outline.device;
        self.dtype = outline.dtype;
        self.fields = Fields { padded: false, ..outline.fields };
        bytes
    }

    /// Becomes the description of a tensor that is only lent, as the exchange API lends one: what
    /// [`describe_borrowed`](crate::managed::describe_borrowed) returns, written where this descriptor is. Returns how many
    /// bytes the elements are when this is a tensor that [`Self::rewrite_row_major`] takes, `None` for others.
    ///
    /// # Errors
    ///
    /// As [`describe`](crate::managed::describe()); the descriptor is then [blank](Self::blank).
    ///
    /// # Safety
    ///
    /// The tensor is readable; condition 2 of [`managed`](crate::managed).
    #[inline]
    pub unsafe fn rewrite_borrowed(&mut self, tensor: NonNull<DLTensor>) -> Result<Option<usize>, DescribeError> {
        // SAFETY: vouched for by the caller.
        if let Some(outline) = unsafe { plain_outline(tensor) }
            && let Some(bytes) = self.rewrite_row_major(&outline)
        {
            return Ok(Some(bytes));
        }
        // SAFETY: vouched for by the caller.
        let rewritten = unsafe { describe_tensor(self, tensor, Fields::UNVERSIONED) };
        if rewritten.is_err() {
            *self = Self::blank();
        }
        rewritten.map(|()| None)
    }

    /// Becomes what an outline says, where it is. Of no use to anybody when it is refused.
    #[inline]
    pub(in crate::managed) fn fill(&mut self, outline: &Outline<'_>) -> Result<(), DescribeError> {
        match outline.strides {
            Strides::Elements(strides) => self.layout.fill(outline.shape, strides)?,
            Strides::Bytes(strides) => self.layout.fill_bytes(outline.shape, strides, outline.dtype.item_bytes())?,
        }
        let memory = Memory { data: outline.data, byte_offset: 0, device: outline.device };
        self.refill(memory, outline.dtype, outline.fields)
    }

    /// The layout, to be refilled before [`Self::refill`] checks all the rest.
    #[inline]
    pub(in crate::managed) fn layout_mut(&mut self) -> &mut Layout {
        &mut self.layout
    }

    /// Becomes the description of the layout that it has at other memory, where it is: moving a descriptor costs more
    /// than making one. Of no use to anybody when it is refused.
    #[inline]
    pub(in crate::managed) fn refill(
        &mut self,
        memory: Memory,
        dtype: DLDataType,
        fields: Fields,
    ) -> Result<(), DescribeError> {
        self.data = memory.data;
        self.byte_offset = memory.byte_offset;
        self.device = memory.device;
        self.dtype = dtype;
        self.fields = fields;
        self.check()
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
    pub(in crate::managed) fn fill_view(
        &mut self,
        whole: &Self,
        layout: &Layout,
        first: i64,
    ) -> Result<(), DescribeError> {
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
}
