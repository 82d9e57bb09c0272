use super::memory::Unwritten;
use super::new::New;
use super::{CopyError, Order};
use crate::abi::DLDataTypeCode;
use crate::managed::{Fields, Tensor};
use crate::view::TensorView;

impl Tensor {
    /// Copies elements below a byte into one byte each: the value in the low bits, its sign repeated above.
    ///
    /// # Errors
    ///
    /// [`CopyError::Device`] when the host cannot read the memory, [`CopyError::NotPacked`] for elements of whole
    /// bytes, [`CopyError::OutOfMemory`].
    pub fn spread(view: TensorView<'_>, order: Order) -> Result<Self, CopyError> {
        let source = view.descriptor();
        if !source.is_host_readable() {
            return Err(CopyError::Device { device: source.device() });
        }
        let dtype = source.dtype();
        let bits = view.small_bits().map_err(|_| CopyError::NotPacked { dtype })?;
        let fields = Fields { copied: Some(true), padded: true, ..Fields::SHARED };
        let target = New { dtype, fields, allocate: Unwritten::new }.tensor(source.layout(), order)?;
        let first = target.descriptor().data().cast::<u8>();
        let unused = 8_u32.saturating_sub(dtype.item_bits());
        for (offset, value) in target.descriptor().layout().offsets().zip(bits) {
            let value = if dtype.code == DLDataTypeCode::INT { extended(value, unused) } else { value };
            let place = first.wrapping_offset(isize::try_from(offset).unwrap_or(0));
            // SAFETY: a byte of the memory, which has one for each element.
            unsafe { place.write(value) };
        }
        // SAFETY: the elements lie without gaps, and each has been written.
        Ok(unsafe { target.written() })
    }
}

/// Repeats the highest bit that is used in those above it.
fn extended(value: u8, unused: u32) -> u8 {
    let [signed] = value.wrapping_shl(unused).to_ne_bytes().map(|byte| i8::from_ne_bytes([byte]));
    let [byte] = signed.wrapping_shr(unused).to_ne_bytes();
    byte
}
