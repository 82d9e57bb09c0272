use crate::abi::{DLDataType, DLDataTypeCode};
use crate::layout::Layout;
use crate::managed::{DescribeError, Descriptor};

/// Elements of whole bytes at any strides, alignment and byte order: what a copy can read, also where DLPack has no
/// words for it.
///
/// Describes only; the functions that read the memory are `unsafe`.
#[derive(Clone, Debug)]
pub struct Strided {
    // Invariant: the bytes of all elements lie within the address space, and `data` is not NULL when there are some.
    pub(super) data: *mut u8,
    /// Strides count bytes.
    pub(super) layout: Layout,
    pub(super) dtype: DLDataType,
    /// Bytes of each unit that is reversed on its way; 1 for none.
    pub(super) unit: usize,
}

// SAFETY: a set of numbers; its pointer gives no access without an `unsafe` block elsewhere.
unsafe impl Send for Strided {}
// SAFETY: as above.
unsafe impl Sync for Strided {}

impl Strided {
    /// Describes elements by strides in bytes; `swapped` says that their scalars are in the other byte order.
    ///
    /// # Errors
    ///
    /// [`DescribeError`] for a malformed dtype, shape or span, NULL data with elements, and elements below a byte.
    pub fn new(
        data: *mut u8,
        dtype: DLDataType,
        shape: &[i64],
        byte_strides: &[i64],
        swapped: bool,
    ) -> Result<Self, DescribeError> {
        crate::element::check_dtype(dtype)?;
        if dtype.is_sub_byte() {
            return Err(DescribeError::Padding { dtype });
        }
        let layout = Layout::new(shape, byte_strides)?;
        if data.is_null() && !layout.is_empty() {
            return Err(DescribeError::NullData { size: layout.size() });
        }
        let unit = if swapped { unit(dtype) } else { 1 };
        let this = Self { data, layout, dtype, unit };
        if this.fits() { Ok(this) } else { Err(DescribeError::AddressOverflow { byte_offset: 0 }) }
    }

    /// The elements of a tensor, in this form; `None` for packed ones below a byte.
    pub(super) fn of(descriptor: &Descriptor) -> Option<Self> {
        let size = i64::from(descriptor.storage_bits());
        if size.checked_rem(8) != Some(0) {
            return None;
        }
        let layout = scaled(descriptor.layout(), size / 8)?;
        Some(Self { data: descriptor.data().cast(), layout, dtype: descriptor.dtype(), unit: 1 })
    }

    /// The same elements, repeated along new axes and along those of extent 1.
    #[must_use]
    pub fn broadcast_to(&self, shape: &[i64]) -> Option<Self> {
        Some(Self { layout: self.layout.broadcast_to(shape)?, ..self.clone() })
    }

    /// The extents.
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        self.layout.shape()
    }

    /// The type of one element.
    #[must_use]
    pub fn dtype(&self) -> DLDataType {
        self.dtype
    }

    /// Bytes of all elements.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.item().saturating_mul(self.layout.size())
    }

    /// Bytes of one element in memory; padded ones below a byte have one.
    pub(super) fn item(&self) -> usize {
        self.dtype.item_bytes()
    }

    /// Whether two indices may reach the same byte; then this is no target.
    pub(super) fn overlaps(&self) -> bool {
        let item = i64::try_from(self.item()).unwrap_or(i64::MAX);
        // Bytes of an element are one more axis.
        let shape: alloc::vec::Vec<i64> = self.layout.shape().iter().copied().chain([item]).collect();
        let strides: alloc::vec::Vec<i64> = self.layout.strides().iter().copied().chain([1]).collect();
        crate::layout::has_overlap(&shape, &strides)
    }

    /// The first address and that behind the last byte; equal when there are no elements.
    #[must_use]
    pub fn addresses(&self) -> Option<(usize, usize)> {
        let Some(span) = self.layout.span() else {
            return Some((0, 0));
        };
        let low = self.data.addr().checked_add_signed(isize::try_from(span.lowest).ok()?)?;
        let last = self.data.addr().checked_add_signed(isize::try_from(span.highest).ok()?)?;
        Some((low, last.checked_add(self.item())?))
    }

    fn fits(&self) -> bool {
        self.addresses().is_some_and(|(low, high)| isize::try_from(high.saturating_sub(low)).is_ok())
    }
}

/// The layout with strides multiplied. Strides without meaning become 0, for they may be any number.
pub(super) fn scaled(layout: &Layout, by: i64) -> Option<Layout> {
    let empty = layout.is_empty();
    let axes = layout.shape().iter().zip(layout.strides());
    let strides = axes.map(|(extent, stride)| if *extent <= 1 || empty { Some(0) } else { stride.checked_mul(by) });
    Layout::new(layout.shape(), &strides.collect::<Option<alloc::vec::Vec<_>>>()?).ok()
}

/// Bytes of what has a byte order of its own: a complex element has two.
fn unit(dtype: DLDataType) -> usize {
    let bytes = usize::from(dtype.bits).div_ceil(8);
    let is_complex = matches!(dtype.code, DLDataTypeCode::COMPLEX | DLDataTypeCode::BCOMPLEX);
    if is_complex { bytes / 2 } else { bytes }
}
