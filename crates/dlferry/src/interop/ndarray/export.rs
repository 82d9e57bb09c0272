use ::ndarray::{ArcArray, Array, Dimension};
use alloc::vec::Vec;

use crate::abi::DLDevice;
use crate::element::Element;
use crate::export::{Export, ExportError};
use crate::layout::{Layout, LayoutError};
use crate::managed::{Descriptor, Fields, Tensor};

impl<T: Element> Export<Vec<T>> {
    /// Exports an array that the consumer may write, with the strides that it has.
    pub fn array<D: Dimension>(array: Array<T, D>) -> Self {
        let layout = layout_of(array.shape(), array.strides());
        let (elements, first) = array.into_raw_vec_and_offset();
        Self::vec(elements).laid_out(layout, first.unwrap_or(0))
    }
}

/// The array's elements become the tensor's, writable.
impl<T: Element, D: Dimension> TryFrom<Array<T, D>> for Tensor {
    type Error = ExportError;

    fn try_from(array: Array<T, D>) -> Result<Self, ExportError> {
        Export::array(array).finish()
    }
}

/// Others may hold the same array, so the tensor is read-only, always.
impl<T: Element, D: Dimension + 'static> TryFrom<ArcArray<T, D>> for Tensor {
    type Error = ExportError;

    fn try_from(array: ArcArray<T, D>) -> Result<Self, ExportError> {
        let layout = layout_of(array.shape(), array.strides())?;
        let fields = Fields { read_only: true, ..Fields::SHARED };
        let data = array.as_ptr().cast_mut().cast();
        let descriptor = Descriptor::new(data, DLDevice::CPU, T::DTYPE, layout, fields)?;
        // SAFETY: the elements lie on the heap, where moving the array leaves them; it keeps them alive, and who else
        // holds them copies before writing, for they are shared with this one.
        unsafe { Self::from_owner(array, descriptor) }
    }
}

fn layout_of(shape: &[usize], strides: &[isize]) -> Result<Layout, LayoutError> {
    let shape: Option<Vec<i64>> = shape.iter().map(|extent| i64::try_from(*extent).ok()).collect();
    let strides: Option<Vec<i64>> = strides.iter().map(|stride| i64::try_from(*stride).ok()).collect();
    Layout::new(&shape.ok_or(LayoutError::SizeOverflow)?, &strides.ok_or(LayoutError::SpanOverflow)?)
}
