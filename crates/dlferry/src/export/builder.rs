use core::ffi::c_void;

use super::block::Draft;
use super::release::let_go;
use super::{AtOnce, ExportError, Owner, OwnerMut, Release};
use crate::abi::{DLDataType, DLDevice, DLManagedTensorVersioned};
use crate::element::Element;
use crate::layout::{Layout, LayoutError};
use crate::managed::{Descriptor, Fields, Handle, ManagedStruct, Tensor};

/// Data that Rust owns, on its way to becoming a tensor.
///
/// The layout is one axis over all elements unless [`shape`](Self::shape) or [`layout`](Self::layout) says otherwise.
#[derive(Debug)]
#[must_use = "nothing is exported before `finish`"]
pub struct Export<O> {
    owner: O,
    borrow: fn(&mut O) -> (*mut c_void, usize),
    dtype: DLDataType,
    fields: Fields,
    layout: Option<Result<Layout, LayoutError>>,
    first: usize,
}

impl<O: Owner> Export<O> {
    /// Exports data that the consumer may only read.
    pub fn read_only(owner: O) -> Self {
        Self::new(owner, Fields { read_only: true, ..Fields::SHARED }, |owner| {
            let slice = owner.as_slice();
            (slice.as_ptr().cast_mut().cast(), slice.len())
        })
    }

    fn new(owner: O, fields: Fields, borrow: fn(&mut O) -> (*mut c_void, usize)) -> Self {
        Self { owner, borrow, dtype: O::Item::DTYPE, fields, layout: None, first: 0 }
    }
}

impl<O: OwnerMut> Export<O> {
    /// Exports data that the consumer may write.
    ///
    /// Does not compile for element types that not every bit pattern is a value of, such as `bool`: the consumer could
    /// leave others behind. A vector of those is exported with [`Export::vec`].
    pub fn writable(owner: O) -> Self {
        const {
            assert!(<O::Item as Element>::ALL_BITS_VALID, "the consumer could write values that are none");
        };
        Self::new(owner, Fields::SHARED, |owner| {
            let slice = owner.as_mut_slice();
            (slice.as_mut_ptr().cast(), slice.len())
        })
    }
}

impl<T: Element> Export<alloc::vec::Vec<T>> {
    /// Exports a vector that the consumer may write, also one of `bool`: a vector reads none of its elements when it is
    /// dropped, so the consumer may leave any bits behind.
    pub fn vec(owner: alloc::vec::Vec<T>) -> Self {
        Self::new(owner, Fields::SHARED, |owner| (owner.as_mut_ptr().cast(), owner.len()))
    }
}

impl<O: Owner> Export<O> {
    /// Lays the elements out in row-major order with the given extents.
    pub fn shape(mut self, shape: &[i64]) -> Self {
        self.layout = Some(Layout::c_contiguous(shape));
        self
    }

    /// Lays the elements out in any way, the element at index (0, ..., 0) being the owner's element `first`.
    pub fn layout(mut self, layout: Layout, first: usize) -> Self {
        self.layout = Some(Ok(layout));
        self.first = first;
        self
    }

    /// Lays the elements out as found elsewhere; a fault is told by [`finish`](Self::finish).
    #[cfg(feature = "ndarray")]
    pub(crate) fn laid_out(mut self, layout: Result<Layout, LayoutError>, first: usize) -> Self {
        self.layout = Some(layout);
        self.first = first;
        self
    }

    /// Says that the data was copied for this exchange, so that its consumer need not copy it again.
    pub fn copied(mut self) -> Self {
        self.fields.copied = Some(true);
        self
    }

    /// Makes the tensor.
    ///
    /// # Errors
    ///
    /// [`ExportError::OutOfBounds`] when the layout reaches beyond the owner's elements, [`ExportError::Layout`] when
    /// it is malformed, [`ExportError::OutOfMemory`]. The owner is dropped.
    pub fn finish(self) -> Result<Tensor, ExportError> {
        self.finish_releasing::<AtOnce>()
    }

    /// Makes the tensor, whose owner is dropped as `R` says.
    ///
    /// # Errors
    ///
    /// As [`Self::finish`].
    pub fn finish_releasing<R: Release>(self) -> Result<Tensor, ExportError> {
        let (draft, descriptor, fields) = self.draft::<DLManagedTensorVersioned, R>()?;
        let managed = draft.finish(&descriptor, fields);
        // SAFETY: just made and handed to nobody else; owners are `Send`.
        let handle = unsafe { Handle::versioned(managed) };
        // SAFETY: `draft` found the memory in the owner, which the handle keeps, borrowed as the fields say.
        Ok(unsafe { Tensor::from_parts(handle, descriptor) })
    }

    /// Makes a managed struct, for a consumer that calls its deleter.
    ///
    /// # Errors
    ///
    /// As [`Self::finish`], and [`ExportError::ReadOnlyUnversioned`] when the struct cannot say what it must.
    pub fn into_managed<S: ManagedStruct>(self) -> Result<core::ptr::NonNull<S>, ExportError> {
        if !S::VERSIONED && self.fields.read_only {
            return Err(ExportError::ReadOnlyUnversioned);
        }
        let (draft, descriptor, fields) = self.draft::<S, AtOnce>()?;
        // Elements that overlap have made it read-only.
        if !S::VERSIONED && fields.read_only {
            return Err(ExportError::ReadOnlyUnversioned);
        }
        Ok(draft.finish(&descriptor, fields))
    }

    fn draft<S: ManagedStruct, R: Release>(self) -> Result<Drafted<S, O, R>, ExportError> {
        let layout = match self.layout.transpose() {
            Ok(layout) => layout,
            Err(error) => {
                let_go::<R, O>(self.owner);
                return Err(error.into());
            }
        };
        let ndim = layout.as_ref().map_or(1, Layout::ndim);
        let mut draft = Draft::<S, O, R>::new(self.owner, ndim)?;
        let (base, len) = (self.borrow)(draft.owner());
        let layout = match layout {
            Some(layout) => layout,
            None => Layout::c_contiguous(&[i64::try_from(len).unwrap_or(i64::MAX)])?,
        };
        check_bounds(&layout, self.first, len)?;
        let first = base.cast::<O::Item>().wrapping_add(self.first).cast::<c_void>();
        let descriptor = Descriptor::new(first, DLDevice::CPU, self.dtype, layout, self.fields)?;
        let fields = descriptor.fields();
        Ok((draft, descriptor, fields))
    }
}

/// What the owner became, and how it is described.
type Drafted<S, O, R> = (Draft<S, O, R>, Descriptor, Fields);

/// Every element of the layout is one of the owner's.
fn check_bounds(layout: &Layout, first: usize, len: usize) -> Result<(), ExportError> {
    let Some(span) = layout.span() else { return Ok(()) };
    let first = i64::try_from(first).unwrap_or(i64::MAX);
    let lowest = span.lowest.saturating_add(first);
    let highest = span.highest.saturating_add(first);
    let inside = lowest >= 0 && usize::try_from(highest).is_ok_and(|highest| highest < len);
    if inside { Ok(()) } else { Err(ExportError::OutOfBounds { lowest, highest, len }) }
}
