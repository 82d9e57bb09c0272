use super::memory::Unwritten;
use super::{CopyError, Job, Order, Plan, Strided};
use crate::abi::{DLDataType, DLDevice, DLDeviceType};
use crate::layout::Layout;
use crate::managed::{Descriptor, Fields, Tensor};
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
        let (memory, target) =
            allocate(dtype, Layout::c_contiguous(layout.shape())?, Fields::SHARED, Unwritten::zeroed)?;
        // SAFETY: zeros.
        unsafe { own(memory, target) }
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
        let layout = order.layout(source.layout())?;
        let is_whole = source.storage_bits().checked_rem(8) == Some(0);
        let new = if is_whole { Unwritten::new } else { Unwritten::zeroed };
        let (memory, target) = allocate(source.dtype(), layout, fields, new)?;
        // SAFETY: a view's memory is readable (its constructor's contract), and new memory has no byte of it.
        unsafe { self.copy_apart(&target, source) }?;
        // SAFETY: the copy has written every element, and there is nothing between them.
        unsafe { own(memory, target) }
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
        let layout = Layout::c_contiguous(source.shape())?;
        let (memory, target) = allocate(source.dtype(), layout, fields, Unwritten::new)?;
        let Some(to) = Strided::of(&target) else {
            // Elements of whole bytes at any strides have a form like that.
            return Err(CopyError::OutOfMemory { bytes: usize::MAX });
        };
        // SAFETY: vouched for by the caller; new memory has no byte of the source.
        unsafe { self.run(&Plan::of(&to, source), to.data, source.data) }?;
        // SAFETY: the copy has written every element, and there is nothing between them.
        unsafe { own(memory, target) }
    }
}

/// Memory for a layout without gaps, and the description of the tensor that it is for.
pub(super) fn allocate(
    dtype: DLDataType,
    layout: Layout,
    fields: Fields,
    new: fn(usize) -> Result<Unwritten, CopyError>,
) -> Result<(Unwritten, Descriptor), CopyError> {
    // The size is that of the layout's bytes, which the description knows; its address comes with the memory.
    let bits = if fields.padded { 8 } else { dtype.item_bits() };
    let range = layout.byte_range(bits).map_err(|_| CopyError::OutOfMemory { bytes: usize::MAX })?;
    let memory = new(range.end.unsigned_abs())?;
    let target = Descriptor::new(memory.first().cast(), DLDevice::CPU, dtype, layout, fields)?;
    Ok((memory, target))
}

/// The tensor that [`allocate`] described.
///
/// # Safety
///
/// All bytes of the memory have been written.
pub(super) unsafe fn own(memory: Unwritten, descriptor: Descriptor) -> Result<Tensor, CopyError> {
    // SAFETY: vouched for by the caller.
    let memory = unsafe { memory.written() };
    // SAFETY: the memory is the owner's, initialised, as long as the elements of a layout without gaps, and touched by
    // nobody else from here on.
    Ok(unsafe { Tensor::from_owner(memory, descriptor) }?)
}
