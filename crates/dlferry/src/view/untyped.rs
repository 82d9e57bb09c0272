use core::marker::PhantomData;

use super::{TypedView, ViewError};
use crate::abi::{DLDataType, DLDevice};
use crate::element::{Element, Scalar};
use crate::layout::{Layout, Offsets};
use crate::managed::{Descriptor, SharedTensor, Tensor};

/// The largest element that has a scalar value: complex128.
const SCALAR_BYTES: usize = 16;

/// A borrowed tensor of any dtype, on any device.
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a> {
    descriptor: &'a Descriptor,
    memory: PhantomData<&'a [u8]>,
}

impl Tensor {
    /// Looks at the tensor.
    #[must_use]
    #[inline]
    pub fn view(&self) -> TensorView<'_> {
        // SAFETY: a tensor's handle keeps the described memory alive (its constructor's contract), and outlives the
        // borrow.
        unsafe { TensorView::new(self.descriptor()) }
    }
}

impl SharedTensor {
    /// Looks at the tensor.
    #[must_use]
    #[inline]
    pub fn view(&self) -> TensorView<'_> {
        // SAFETY: as for `Tensor`: the shared handle outlives the borrow.
        unsafe { TensorView::new(self.descriptor()) }
    }
}

impl<'a> TensorView<'a> {
    /// Looks at memory that somebody else keeps alive.
    ///
    /// # Safety
    ///
    /// Conditions 3 and 5 of [`managed`](crate::managed), for as long as `'a`.
    #[must_use]
    #[inline]
    pub unsafe fn new(descriptor: &'a Descriptor) -> Self {
        Self { descriptor, memory: PhantomData }
    }

    /// What the tensor is.
    #[must_use]
    #[inline]
    pub fn descriptor(&self) -> &'a Descriptor {
        self.descriptor
    }

    /// The extents.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &'a [i64] {
        self.descriptor.shape()
    }

    /// The strides, in elements.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> &'a [i64] {
        self.descriptor.strides()
    }

    /// Shape and strides.
    #[must_use]
    #[inline]
    pub fn layout(&self) -> &'a Layout {
        self.descriptor.layout()
    }

    /// The type of one element.
    #[must_use]
    #[inline]
    pub fn dtype(&self) -> DLDataType {
        self.descriptor.dtype()
    }

    /// Where the memory is.
    #[must_use]
    #[inline]
    pub fn device(&self) -> DLDevice {
        self.descriptor.device()
    }

    /// Elements of a Rust type, checked once.
    ///
    /// # Errors
    ///
    /// [`ViewError::DType`] or [`ViewError::Device`].
    #[inline]
    pub fn typed<T: Element>(self) -> Result<TypedView<'a, T>, ViewError> {
        TypedView::new(self)
    }

    /// The element at an index, or `None` when it is out of range.
    ///
    /// # Errors
    ///
    /// [`ViewError::Device`] or [`ViewError::Opaque`].
    pub fn scalar(&self, index: &[usize]) -> Result<Option<Scalar>, ViewError> {
        self.check_scalars()?;
        let Some(offset) = self.layout().offset(index) else {
            return Ok(None);
        };
        // SAFETY: `offset` is that of an index in range, and the elements are readable scalars.
        Ok(unsafe { read_scalar(self.descriptor, offset) })
    }

    /// All elements, in C order.
    ///
    /// # Errors
    ///
    /// [`ViewError::Device`] or [`ViewError::Opaque`].
    pub fn scalars(&self) -> Result<Scalars<'a>, ViewError> {
        self.check_scalars()?;
        Ok(Scalars { view: *self, offsets: self.layout().offsets() })
    }

    /// The bits of elements below a byte, packed or padded, in C order.
    ///
    /// # Errors
    ///
    /// [`ViewError::Device`], or [`ViewError::Opaque`] for elements of whole bytes or of no bits.
    pub fn small_bits(&self) -> Result<SmallBits<'a>, ViewError> {
        if !self.descriptor.is_host_readable() {
            return Err(ViewError::Device { device: self.device() });
        }
        // Handles may have no bits: then there is not a byte to read.
        if !(1..8).contains(&self.dtype().item_bits()) {
            return Err(ViewError::Opaque { dtype: self.dtype() });
        }
        Ok(SmallBits { view: *self, offsets: self.layout().offsets() })
    }

    /// The host can read the memory, and every element has a scalar value.
    fn check_scalars(self) -> Result<(), ViewError> {
        if !self.descriptor.is_host_readable() {
            return Err(ViewError::Device { device: self.device() });
        }
        let dtype = self.dtype();
        let zeros = [0_u8; SCALAR_BYTES];
        match zeros.get(..dtype.item_bytes()).and_then(|bytes| Scalar::decode(dtype, bytes)) {
            Some(_) => Ok(()),
            None => Err(ViewError::Opaque { dtype }),
        }
    }
}

/// The elements of a [`TensorView`], in C order.
#[derive(Clone, Debug)]
pub struct Scalars<'a> {
    view: TensorView<'a>,
    offsets: Offsets<'a>,
}

impl Iterator for Scalars<'_> {
    type Item = Scalar;

    fn next(&mut self) -> Option<Scalar> {
        let offset = self.offsets.next()?;
        // SAFETY: `Offsets` yields those of indices in range, and `scalars` checked the rest.
        unsafe { read_scalar(self.view.descriptor, offset) }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.offsets.size_hint()
    }
}

impl ExactSizeIterator for Scalars<'_> {}

/// The bits of elements below a byte, each in the low bits of a byte of its own, in C order.
#[derive(Clone, Debug)]
pub struct SmallBits<'a> {
    view: TensorView<'a>,
    offsets: Offsets<'a>,
}

impl Iterator for SmallBits<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let offset = self.offsets.next()?;
        let mut byte = [0];
        // SAFETY: `Offsets` yields those of indices in range, and `small_bits` checked the rest.
        unsafe { read_element(self.view.descriptor, offset, &mut byte) }?;
        let unused = 8_u32.checked_sub(self.view.dtype().item_bits())?;
        let [byte] = byte;
        byte.checked_shl(unused)?.checked_shr(unused)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.offsets.size_hint()
    }
}

impl ExactSizeIterator for SmallBits<'_> {}

/// Reads the element `offset` elements from the first one.
///
/// # Safety
///
/// `offset` is that of an index in range; the memory is readable by the host and stays so meanwhile.
unsafe fn read_scalar(descriptor: &Descriptor, offset: i64) -> Option<Scalar> {
    let mut bytes = [0_u8; SCALAR_BYTES];
    let target = bytes.get_mut(..descriptor.dtype().item_bytes())?;
    // SAFETY: vouched for by the caller.
    unsafe { read_element(descriptor, offset, target) }?;
    Scalar::decode(descriptor.dtype(), target)
}

/// Reads the bytes of an element into as many; those of an element below a byte into the low bits of one, beside which
/// there may be bits of its neighbours.
///
/// # Safety
///
/// As [`read_scalar`].
unsafe fn read_element(descriptor: &Descriptor, offset: i64, target: &mut [u8]) -> Option<()> {
    let bits = offset.checked_mul(i64::from(descriptor.storage_bits()))?;
    let first = isize::try_from(bits.checked_div_euclid(8)?).ok()?;
    let shift = bits.checked_rem_euclid(8)?;
    let address = descriptor.data().cast::<u8>().wrapping_offset(first);
    // SAFETY: the bytes of an element in range are readable (condition 3, vouched for by the caller; invariant 3 of
    // `Descriptor`); an array on the stack overlaps none of them.
    unsafe { core::ptr::copy_nonoverlapping(address, target.as_mut_ptr(), target.len()) };
    if shift != 0 {
        let low = target.first_mut()?;
        *low = low.checked_shr(u32::try_from(shift).ok()?)?;
        if shift.checked_add(i64::from(descriptor.dtype().item_bits()))? > 8 {
            let rest = u32::try_from(8_i64.checked_sub(shift)?).ok()?;
            // SAFETY: the element reaches into the next byte, which is thereby one of its own.
            let next = unsafe { address.wrapping_add(1).read() };
            *low |= next.checked_shl(rest)?;
        }
    }
    Some(())
}
