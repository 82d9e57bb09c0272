//! Stratum 4: copying, when sharing is not possible or not wanted.
//!
//! [`Tensor::copy_of`] gathers the elements of any host-readable tensor, at any strides and alignment, into new memory
//! in C order.
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
mod gather;
mod memory;

pub use error::CopyError;
pub use memory::Memory;

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
        let source = view.descriptor();
        if !source.is_host_readable() {
            return Err(CopyError::Device { device: source.device() });
        }
        let mut memory = Memory::zeroed(source.nbytes())?;
        // SAFETY: a view's memory is readable (its constructor's contract), and new memory overlaps nothing.
        unsafe { gather::gather(source, memory.as_mut_slice()) };
        let fields = Fields { copied: Some(true), padded: source.fields().padded, ..Fields::SHARED };
        own(memory, source.dtype(), Layout::c_contiguous(source.shape())?, fields)
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
        let layout = Layout::c_contiguous(layout.shape())?;
        let bytes = layout.byte_range(dtype.item_bits())?.end;
        own(Memory::zeroed(bytes.unsigned_abs())?, dtype, layout, Fields::SHARED)
    }
}

/// A tensor over the whole of some memory, which is as long as the elements of a layout in C order.
fn own(mut memory: Memory, dtype: DLDataType, layout: Layout, fields: Fields) -> Result<Tensor, CopyError> {
    let data = memory.as_mut_slice().as_mut_ptr().cast();
    let descriptor = Descriptor::new(data, DLDevice::CPU, dtype, layout, fields)?;
    // SAFETY: the memory is the owner's, initialised, as long as the elements (both callers measured it so), and
    // touched by nobody else from here on.
    Ok(unsafe { Tensor::from_owner(memory, descriptor) }?)
}
