use super::{CopyError, Order, allocate, own};
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
        let (mut memory, target) = allocate(dtype, order.layout(source.layout())?, fields)?;
        let unused = 8_u32.saturating_sub(dtype.item_bits());
        let bytes = memory.as_mut_slice();
        for (offset, value) in target.layout().offsets().zip(bits) {
            if let Some(place) = usize::try_from(offset).ok().and_then(|offset| bytes.get_mut(offset)) {
                *place = if dtype.code == DLDataTypeCode::INT { extended(value, unused) } else { value };
            }
        }
        own(memory, target)
    }
}

/// Repeats the highest bit that is used in those above it.
fn extended(value: u8, unused: u32) -> u8 {
    let [signed] = value.wrapping_shl(unused).to_ne_bytes().map(|byte| i8::from_ne_bytes([byte]));
    let [byte] = signed.wrapping_shr(unused).to_ne_bytes();
    byte
}
