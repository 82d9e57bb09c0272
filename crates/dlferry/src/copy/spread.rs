use super::memory::Unwritten;
use super::new::New;
use super::plan::Packed;
use super::{CopyError, Job, Order};
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
        Job::new().spread(view, order)
    }
}

impl Job<'_> {
    /// Copies as [`Tensor::spread`] does.
    ///
    /// # Errors
    ///
    /// As there, and [`CopyError::Interrupted`].
    pub fn spread(self, view: TensorView<'_>, order: Order) -> Result<Tensor, CopyError> {
        let source = view.descriptor();
        if !source.is_host_readable() {
            return Err(CopyError::Device { device: source.device() });
        }
        let dtype = source.dtype();
        if !(1..8).contains(&dtype.item_bits()) {
            return Err(CopyError::NotPacked { dtype });
        }
        let fields = Fields { copied: Some(true), padded: true, ..Fields::SHARED };
        // The bits above an element are read before they are written.
        let target = New { dtype, fields, allocate: Unwritten::zeroed }.tensor(source.layout(), order)?;
        let packed = Packed::new(target.descriptor(), source)?;
        let (to, from) = (target.descriptor().data().cast::<u8>(), source.data().cast::<u8>());
        // SAFETY: a view's memory is readable (its constructor's contract), and new memory has no byte of it.
        unsafe { self.carry_out(&packed, to, from) }?;
        // SAFETY: zeros, and the elements.
        Ok(unsafe { target.written() })
    }
}
