use super::memory::Unwritten;
use super::{CopyError, Job, Order, Plan, Strided};
use crate::abi::{DLDataType, DLDevice, DLDeviceType};
use crate::layout::{Layout, element_count};
use crate::managed::{Descriptor, Fields, Outline, Strides, Tensor};
use crate::view::TensorView;

impl TensorView<'_> {
    /// Copies the elements into new host memory without gaps, aligned to
    /// [`Memory::ALIGNMENT`](super::Memory::ALIGNMENT) bytes.
    ///
    /// The copy is writable and says that it was copied. Packed elements below a byte stay packed.
    ///
    /// # Errors
    ///
    /// [`CopyError::Device`] when the host cannot read the memory, [`CopyError::OutOfMemory`].
    pub fn to_contiguous(&self, order: Order) -> Result<Tensor, CopyError> {
        Job::new().to_contiguous(*self, order)
    }
}

impl Tensor {
    /// Copies a tensor into new host memory in C order; see [`TensorView::to_contiguous`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn copy_of(view: TensorView<'_>) -> Result<Self, CopyError> {
        view.to_contiguous(Order::C)
    }

    /// Copies elements that DLPack cannot describe into new host memory, in C order and this machine's byte order.
    ///
    /// # Errors
    ///
    /// [`CopyError::OutOfMemory`].
    ///
    /// # Safety
    ///
    /// The host can read the memory of `source`, and nobody writes it meanwhile.
    pub unsafe fn copy_strided(source: &Strided) -> Result<Self, CopyError> {
        // SAFETY: vouched for by the caller.
        unsafe { Job::new().copy_strided(source) }
    }

    /// A new tensor of zeros in host memory, in C order, aligned to
    /// [`Memory::ALIGNMENT`](super::Memory::ALIGNMENT) bytes; only the shape of `layout` counts.
    ///
    /// # Errors
    ///
    /// [`CopyError::Device`] for another device than the CPU, [`CopyError::OutOfMemory`].
    pub fn zeroed(dtype: DLDataType, device: DLDevice, layout: &Layout) -> Result<Self, CopyError> {
        if device.device_type != DLDeviceType::CPU {
            return Err(CopyError::Device { device });
        }
        let new = New { dtype, fields: Fields::SHARED, allocate: Unwritten::zeroed };
        let tensor = new.tensor(layout, Order::C)?;
        // SAFETY: zeros.
        Ok(unsafe { tensor.written() })
    }
}

impl Job<'_> {
    /// Copies as [`TensorView::to_contiguous`] does.
    ///
    /// # Errors
    ///
    /// As there, and [`CopyError::Interrupted`].
    pub fn to_contiguous(self, view: TensorView<'_>, order: Order) -> Result<Tensor, CopyError> {
        let source = view.descriptor();
        if !source.is_host_readable() {
            return Err(CopyError::Device { device: source.device() });
        }
        let fields = Fields { copied: Some(true), padded: source.fields().padded, ..Fields::SHARED };
        let is_whole = source.storage_bits().checked_rem(8) == Some(0);
        let allocate = if is_whole { Unwritten::new } else { Unwritten::zeroed };
        let target = New { dtype: source.dtype(), fields, allocate }.tensor(source.layout(), order)?;
        // SAFETY: a view's memory is readable (its constructor's contract), and new memory has no byte of it.
        unsafe { self.copy_apart(target.descriptor(), source) }?;
        // SAFETY: the copy has written every element, and there is nothing between them.
        Ok(unsafe { target.written() })
    }

    /// Copies as [`Tensor::copy_strided`] does.
    ///
    /// # Errors
    ///
    /// As there, and [`CopyError::Interrupted`].
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn copy_strided(self, source: &Strided) -> Result<Tensor, CopyError> {
        let fields = Fields { copied: Some(true), ..Fields::SHARED };
        let new = New { dtype: source.dtype(), fields, allocate: Unwritten::new };
        let target = new.tensor(&source.layout, Order::C)?;
        let Some(to) = Strided::of(target.descriptor()) else {
            // Elements of whole bytes at any strides have a form like that.
            return Err(CopyError::OutOfMemory { bytes: usize::MAX });
        };
        // SAFETY: vouched for by the caller; new memory has no byte of the source.
        unsafe { self.run(&Plan::of(&to, source), to.data, source.data) }?;
        // SAFETY: the copy has written every element, and there is nothing between them.
        Ok(unsafe { target.written() })
    }
}

/// A tensor that is to be made in new host memory.
pub(super) struct New {
    pub(super) dtype: DLDataType,
    pub(super) fields: Fields,
    pub(super) allocate: fn(usize) -> Result<Unwritten, CopyError>,
}

/// A tensor whose bytes may not have been written yet. Nobody reads them before.
pub(super) struct Draft(Tensor);

impl New {
    /// Memory for as many elements as a layout has, without gaps and in some order.
    pub(super) fn tensor(&self, source: &Layout, order: Order) -> Result<Draft, CopyError> {
        order.strides(source, |strides| self.with_strides(source.shape(), strides))?
    }

    /// Bytes of as many elements.
    fn bytes(&self, count: usize) -> Option<usize> {
        let bits = usize::try_from(if self.fields.padded { 8 } else { self.dtype.item_bits() }).ok()?;
        match bits.checked_rem(8)? {
            0 => count.checked_mul(bits / 8),
            _ => Some(count.checked_mul(bits)?.div_ceil(8)),
        }
    }

    fn with_strides(&self, shape: &[i64], strides: &[i64]) -> Result<Draft, CopyError> {
        let bytes = self.bytes(element_count(shape)?).unwrap_or(usize::MAX);
        let memory = (self.allocate)(bytes)?;
        let (dtype, strides) = (self.dtype, Strides::Elements(strides));
        let (data, device) = (memory.first().cast(), DLDevice::CPU);
        let outline = Outline { data, device, dtype, shape, strides, fields: self.fields };
        // SAFETY: the memory is the handle's, and as long as elements without gaps are; written before it is read, which
        // `Draft` sees to; nobody else has it, so that it may be written then.
        let tensor = unsafe { Tensor::from_outline(memory.into_handle(), &outline) };
        Ok(Draft(tensor.map_err(|(error, _handle)| error)?))
    }
}

impl Draft {
    /// What the tensor will be.
    pub(super) fn descriptor(&self) -> &Descriptor {
        self.0.descriptor()
    }

    /// The tensor.
    ///
    /// # Safety
    ///
    /// All bytes of its memory have been written.
    pub(super) unsafe fn written(self) -> Tensor {
        self.0
    }
}
