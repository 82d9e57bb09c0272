//! Stratum 4: copying, when sharing is not possible or not wanted.
//!
//! [`Tensor::copy_of`] gathers the elements of any host-readable tensor, at any strides and alignment, into new memory;
//! [`Tensor::copy_strided`] does it for what DLPack cannot describe (strides that are no whole number of elements, the
//! other byte order); [`copy_into`] writes into memory that exists.
//!
//! # Examples
//!
//! ```
//! use dlferry::export::Export;
//! use dlferry::layout::Layout;
//! use dlferry::managed::Tensor;
//!
//! // Columns of a matrix, backwards.
//! let layout = Layout::new(&[2, 3], &[1, -2])?;
//! let tensor = Export::read_only([0_u8, 1, 2, 3, 4, 5]).layout(layout, 4).finish()?;
//! let copy = Tensor::copy_of(tensor.view())?;
//! assert_eq!(copy.view().typed::<u8>()?.as_slice()?, [4, 2, 0, 5, 3, 1]);
//! assert_eq!(copy.descriptor().copied(), Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod into;
mod kernel;
mod memory;
mod order;
mod plan;
mod spread;
mod strided;

pub use error::CopyError;
pub use into::copy_into;
pub use kernel::Level;
pub use memory::Memory;
pub use order::Order;
pub use plan::Plan;
pub use strided::Strided;

use crate::abi::{DLDataType, DLDevice, DLDeviceType};
use crate::layout::Layout;
use crate::managed::{Descriptor, Fields, Tensor};
use crate::view::TensorView;

#[cfg(test)]
mod tests;

impl Tensor {
    /// Copies a tensor into new host memory, in C order, aligned to [`Memory::ALIGNMENT`] bytes.
    ///
    /// The copy is writable and says that it was copied. Packed elements below a byte stay packed.
    ///
    /// # Errors
    ///
    /// [`CopyError::Device`] when the host cannot read the memory, [`CopyError::OutOfMemory`].
    pub fn copy_of(view: TensorView<'_>) -> Result<Self, CopyError> {
        Self::copy_in_order(view, Order::C)
    }

    /// Like [`Self::copy_of`], with the elements in another order in memory.
    ///
    /// # Errors
    ///
    /// As [`Self::copy_of`].
    pub fn copy_in_order(view: TensorView<'_>, order: Order) -> Result<Self, CopyError> {
        let source = view.descriptor();
        if !source.is_host_readable() {
            return Err(CopyError::Device { device: source.device() });
        }
        let fields = Fields { copied: Some(true), padded: source.fields().padded, ..Fields::SHARED };
        let layout = order.layout(source.layout())?;
        let (memory, target) = allocate(source.dtype(), layout, fields)?;
        // SAFETY: a view's memory is readable (its constructor's contract), and new memory has no byte of it.
        unsafe { into::copy_apart(&target, source) };
        own(memory, target)
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
        let fields = Fields { copied: Some(true), ..Fields::SHARED };
        let (memory, target) = allocate(source.dtype(), Layout::c_contiguous(source.shape())?, fields)?;
        if let Some(to) = Strided::of(&target) {
            // SAFETY: vouched for by the caller; new memory has no byte of the source.
            unsafe { into::copy_strided(&to, source) };
        }
        own(memory, target)
    }

    /// A new tensor of zeros in host memory, in C order, aligned to [`Memory::ALIGNMENT`] bytes; only the shape of
    /// `layout` counts.
    ///
    /// # Errors
    ///
    /// [`CopyError::Device`] for another device than the CPU, [`CopyError::OutOfMemory`].
    pub fn zeroed(dtype: DLDataType, device: DLDevice, layout: &Layout) -> Result<Self, CopyError> {
        if device.device_type != DLDeviceType::CPU {
            return Err(CopyError::Device { device });
        }
        let (memory, target) = allocate(dtype, Layout::c_contiguous(layout.shape())?, Fields::SHARED)?;
        own(memory, target)
    }
}

/// Memory of zeros for a layout without gaps, and the description of the tensor that it is for.
fn allocate(dtype: DLDataType, layout: Layout, fields: Fields) -> Result<(Memory, Descriptor), CopyError> {
    // The size is that of the layout's bytes, which the description knows; its address comes with the memory.
    let bits = if fields.padded { 8 } else { dtype.item_bits() };
    let range = layout.byte_range(bits).map_err(|_| CopyError::OutOfMemory { bytes: usize::MAX })?;
    let mut memory = Memory::zeroed(range.end.unsigned_abs())?;
    let data = memory.as_mut_slice().as_mut_ptr().cast();
    let target = Descriptor::new(data, DLDevice::CPU, dtype, layout, fields)?;
    Ok((memory, target))
}

/// The tensor that [`allocate`] described.
fn own(memory: Memory, descriptor: Descriptor) -> Result<Tensor, CopyError> {
    // SAFETY: the memory is the owner's, initialised, as long as the elements of a layout without gaps, and touched by
    // nobody else from here on.
    Ok(unsafe { Tensor::from_owner(memory, descriptor) }?)
}
