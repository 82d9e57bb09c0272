use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use dlferry::abi::{DLDataType, DLDataTypeCode, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion};

use crate::managed;
use crate::memory::Memory;
use crate::record::Record;

/// The largest `ndim` for which shape and strides are filled up with ones when they were given shorter.
///
/// A larger `ndim` is written as it is, over arrays that do not hold so many: a consumer has to refuse it unread.
pub const PADDED_NDIM: i32 = 4096;

/// A recipe for managed tensors, each field of which may be set to anything.
///
/// All tensors of a recipe, and its clones, share one memory and one [`Record`]. The memory is freed with the last of
/// them; struct, shape and strides of a tensor are freed by its own deleter.
#[derive(Clone, Debug)]
pub struct Crafted {
    pub(crate) memory: Arc<Memory>,
    pub(crate) record: Arc<Record>,
    pub(crate) data: Data,
    pub(crate) dtype: DLDataType,
    pub(crate) device: DLDevice,
    pub(crate) shape: Option<Vec<i64>>,
    pub(crate) strides: Option<Vec<i64>>,
    pub(crate) ndim: Option<i32>,
    pub(crate) byte_offset: u64,
    pub(crate) flags: u64,
    pub(crate) version: DLPackVersion,
    pub(crate) has_deleter: bool,
    pub(crate) after: After,
}

/// What the field `data` holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Data {
    Memory,
    Address(usize),
}

/// What the deleter does with the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Free,
    Keep,
    Poison,
}

impl Crafted {
    /// Makes a recipe over a copy of `bytes`, 64-byte aligned: unsigned bytes, 1-d, compact, version 1.3, no flags.
    ///
    /// # Panics
    ///
    /// Panics when the bytes are more than an `i64` counts.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let extent = i64::try_from(bytes.len()).expect("a slice's length fits i64");
        Self {
            memory: Arc::new(Memory::new(bytes, 0)),
            record: Arc::default(),
            data: Data::Memory,
            dtype: DLDataType { code: DLDataTypeCode::UINT, bits: 8, lanes: 1 },
            device: DLDevice::CPU,
            shape: Some(vec![extent]),
            strides: Some(vec![1]),
            ndim: None,
            byte_offset: 0,
            flags: 0,
            version: DLPackVersion::CURRENT,
            has_deleter: true,
            after: After::Free,
        }
    }

    /// Sets the dtype.
    #[must_use]
    pub fn dtype(mut self, dtype: DLDataType) -> Self {
        self.dtype = dtype;
        self
    }

    /// Sets the device that the struct names; the memory stays where it is.
    #[must_use]
    pub fn device(mut self, device: DLDevice) -> Self {
        self.device = device;
        self
    }

    /// Sets the extents and, unless [`ndim`](Self::ndim) is set, the number of axes.
    #[must_use]
    pub fn shape(mut self, shape: impl Into<Vec<i64>>) -> Self {
        self.shape = Some(shape.into());
        self
    }

    /// Makes the shape pointer NULL.
    #[must_use]
    pub fn null_shape(mut self) -> Self {
        self.shape = None;
        self
    }

    /// Sets the strides, in elements.
    #[must_use]
    pub fn strides(mut self, strides: impl Into<Vec<i64>>) -> Self {
        self.strides = Some(strides.into());
        self
    }

    /// Makes the strides pointer NULL.
    #[must_use]
    pub fn null_strides(mut self) -> Self {
        self.strides = None;
        self
    }

    /// Sets `ndim` regardless of the shape; see [`PADDED_NDIM`].
    #[must_use]
    pub fn ndim(mut self, ndim: i32) -> Self {
        self.ndim = Some(ndim);
        self
    }

    /// Sets `byte_offset`; the first element then lies that many bytes into the data.
    #[must_use]
    pub fn byte_offset(mut self, byte_offset: u64) -> Self {
        self.byte_offset = byte_offset;
        self
    }

    /// Sets the flags, known ones or not; unversioned tensors have none.
    #[must_use]
    pub fn flags(mut self, flags: u64) -> Self {
        self.flags = flags;
        self
    }

    /// Sets the version; the struct keeps the layout of major 1 whatever it says.
    #[must_use]
    pub fn version(mut self, major: u32, minor: u32) -> Self {
        self.version = DLPackVersion { major, minor };
        self
    }

    /// Moves the data to an address that leaves `bytes` when divided by 64.
    #[must_use]
    pub fn misalign(mut self, bytes: usize) -> Self {
        self.memory = Arc::new(Memory::new(&self.memory.read(), bytes));
        self
    }

    /// Makes the data pointer NULL.
    #[must_use]
    pub fn null_data(self) -> Self {
        self.address(0)
    }

    /// Makes the data pointer an arbitrary address, which nobody may follow.
    #[must_use]
    pub fn address(mut self, address: usize) -> Self {
        self.data = Data::Address(address);
        self
    }

    /// Makes the deleter NULL; what is built then is never freed.
    #[must_use]
    pub fn null_deleter(mut self) -> Self {
        self.has_deleter = false;
        self
    }

    /// Lets the deleter overwrite data, shape, strides and struct with 0xDD and keep all of them allocated.
    ///
    /// A use after the deletion then reads recognisable values instead of being undefined. `manager_ctx` and `deleter`
    /// stay, so that a second deletion is counted instead of jumping into nowhere.
    #[must_use]
    pub fn poison(mut self) -> Self {
        self.after = After::Poison;
        self
    }

    /// Lets the deleter only count: the tensor stays allocated and intact.
    ///
    /// A second deletion can be tested without undefined behaviour.
    #[must_use]
    pub fn leak(mut self) -> Self {
        self.after = After::Keep;
        self
    }

    /// Builds a tensor of the versioned struct, which the caller owns.
    ///
    /// # Examples
    ///
    /// ```
    /// use dlferry_testing::Crafted;
    ///
    /// let recipe = Crafted::new(&[1, 2, 3, 4]).shape([2, 2]).strides([2, 1]).misalign(1);
    /// let (managed, record) = recipe.build_versioned();
    ///
    /// // A consumer would stand here. This one only gives the tensor back.
    /// // SAFETY: the struct was built above and nobody has deleted it.
    /// let deleter = unsafe { (*managed.as_ptr()).deleter };
    /// // SAFETY: the deleter is called once, with the pointer it belongs to.
    /// unsafe { deleter.unwrap()(managed.as_ptr()) };
    ///
    /// assert_eq!(record.count(), 1);
    /// assert!(record.calls()[0].original);
    /// ```
    #[must_use]
    pub fn build_versioned(&self) -> (NonNull<DLManagedTensorVersioned>, Arc<Record>) {
        (managed::build(self), Arc::clone(&self.record))
    }

    /// Builds a tensor of the unversioned struct, which the caller owns.
    #[must_use]
    pub fn build_unversioned(&self) -> (NonNull<DLManagedTensor>, Arc<Record>) {
        (managed::build(self), Arc::clone(&self.record))
    }

    /// Returns the record that every tensor of this recipe writes to.
    #[must_use]
    pub fn record(&self) -> &Arc<Record> {
        &self.record
    }

    /// Returns what the field `data` of every tensor of this recipe holds.
    #[must_use]
    pub fn data(&self) -> *mut c_void {
        match self.data {
            Data::Memory => self.memory.data().cast(),
            Data::Address(address) => ptr::without_provenance_mut(address),
        }
    }

    /// Returns a copy of the recipe's bytes as they are now, with what consumers wrote.
    #[must_use]
    pub fn read(&self) -> Vec<u8> {
        self.memory.read()
    }

    /// Returns what the field `ndim` of every tensor of this recipe holds.
    pub(crate) fn written_ndim(&self) -> i32 {
        let axes = self.shape.as_ref().map_or(0, Vec::len);
        self.ndim.unwrap_or_else(|| i32::try_from(axes).unwrap_or(i32::MAX))
    }
}
