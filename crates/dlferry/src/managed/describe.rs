use core::ptr::NonNull;

use super::descriptor::{Memory, Outline, Strides};
use super::{DescribeError, Descriptor, Fields, ManagedStruct};
use crate::abi::{DLDataType, DLDataTypeCode, DLDevice, DLTensor};
use crate::element::check_dtype;
use crate::layout::Layout;

/// Reads a managed struct: each field once, checked, copied. The struct stays whose it was.
///
/// # Errors
///
/// [`DescribeError`] names the field at fault. Nothing behind a faulty field is read, and the data never is.
///
/// # Safety
///
/// Conditions 1 and 2 of [`managed`](crate::managed).
pub unsafe fn describe<S: ManagedStruct>(managed: NonNull<S>) -> Result<Descriptor, DescribeError> {
    let mut descriptor = Descriptor::blank();
    // SAFETY: vouched for by the caller.
    unsafe { describe_into(&mut descriptor, managed) }?;
    Ok(descriptor)
}

/// Like [`describe`], into a descriptor where it is. Of no use to anybody when the struct is refused.
///
/// # Safety
///
/// As [`describe`].
#[inline]
pub(super) unsafe fn describe_into<S: ManagedStruct>(
    descriptor: &mut Descriptor,
    managed: NonNull<S>,
) -> Result<(), DescribeError> {
    // SAFETY: condition 1, vouched for by the caller.
    let (fields, tensor) = unsafe { S::read(managed) }?;
    // SAFETY: conditions 1 and 2, vouched for by the caller.
    unsafe { describe_tensor(descriptor, tensor, fields) }
}

/// Reads a tensor that is only lent, as the exchange API lends one.
///
/// It has no flags, so the descriptor is read-only and cannot say whether the data was copied.
///
/// # Errors
///
/// As [`describe`].
///
/// # Safety
///
/// Condition 2 of [`managed`](crate::managed).
pub unsafe fn describe_borrowed(tensor: &DLTensor) -> Result<Descriptor, DescribeError> {
    let mut descriptor = Descriptor::blank();
    // SAFETY: condition 2, vouched for by the caller.
    unsafe { describe_tensor(&mut descriptor, tensor.into(), Fields::UNVERSIONED) }?;
    Ok(descriptor)
}

/// What a new tensor shall be, as a caller of an exchange table's allocator says it.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// The type of one element.
    pub dtype: DLDataType,
    /// Where the memory shall be.
    pub device: DLDevice,
    /// The shape, in C order.
    pub layout: Layout,
}

/// Reads a prototype: dtype, device, ndim and shape, and no other field (rule E4).
///
/// # Errors
///
/// [`DescribeError`] names the field at fault.
///
/// # Safety
///
/// The four fields are set, and `shape` points to `ndim` readable integers.
pub unsafe fn describe_prototype(tensor: NonNull<DLTensor>) -> Result<Prototype, DescribeError> {
    let tensor = tensor.as_ptr();
    // SAFETY: set, vouched for by the caller.
    let dtype = unsafe { (*tensor).dtype };
    // SAFETY: as above.
    let device = unsafe { (*tensor).device };
    // SAFETY: as above.
    let ndim = unsafe { (*tensor).ndim };
    // SAFETY: as above.
    let shape = unsafe { (*tensor).shape };
    check_dtype(dtype)?;
    let mut layout = Layout::scalar();
    // SAFETY: vouched for by the caller.
    unsafe { read_layout(&mut layout, ndim, shape, core::ptr::null()) }?;
    Ok(Prototype { dtype, device, layout })
}

/// Reads each field once. One by one, for a producer has written them one by one, a moment ago.
///
/// # Safety
///
/// The tensor is readable; condition 2.
#[inline]
pub(super) unsafe fn describe_tensor(
    descriptor: &mut Descriptor,
    tensor: NonNull<DLTensor>,
    fields: Fields,
) -> Result<(), DescribeError> {
    let tensor = tensor.as_ptr();
    // SAFETY: readable, vouched for by the caller.
    let mut dtype = unsafe { (*tensor).dtype };
    // The dtype comes before the shape: what cannot be held at all needs no layout.
    check_dtype(dtype)?;
    // SAFETY: as above.
    let ndim = unsafe { (*tensor).ndim };
    // SAFETY: as above.
    let shape = unsafe { (*tensor).shape };
    // SAFETY: as above.
    let strides = unsafe { (*tensor).strides };
    let layout = descriptor.layout_mut();
    // SAFETY: condition 2, vouched for by the caller.
    unsafe { read_layout(layout, ndim, shape, strides) }?;
    if let Some(halves) = split_pairs(dtype, layout, fields) {
        dtype = DLDataType::F4_E2M1FN;
        *layout = halves;
    }
    // SAFETY: readable, vouched for by the caller.
    let data = unsafe { (*tensor).data };
    // SAFETY: as above.
    let byte_offset = unsafe { (*tensor).byte_offset };
    // SAFETY: as above.
    let device = unsafe { (*tensor).device };
    descriptor.refill(Memory { data, byte_offset, device }, dtype, fields)
}

/// What most tensors that are lent say: that they have axes, with strides, and begin where their data does. `None` for others,
/// for elements that are two, and for what is at fault at first sight.
///
/// # Safety
///
/// As [`describe_tensor`].
#[inline]
pub(super) unsafe fn plain_outline<'a>(tensor: NonNull<DLTensor>) -> Option<Outline<'a>> {
    let tensor = tensor.as_ptr();
    // SAFETY: readable, vouched for by the caller.
    let dtype = unsafe { (*tensor).dtype };
    // SAFETY: as above.
    let ndim = usize::try_from(unsafe { (*tensor).ndim }).ok()?;
    // SAFETY: as above.
    let shape = unsafe { (*tensor).shape };
    // SAFETY: as above.
    let strides = unsafe { (*tensor).strides };
    // SAFETY: as above.
    let byte_offset = unsafe { (*tensor).byte_offset };
    let is_there = ndim != 0 && !shape.is_null() && !strides.is_null() && byte_offset == 0;
    if !is_there || dtype.code == DLDataTypeCode::FLOAT4_E2M1FN {
        return None;
    }
    // SAFETY: condition 2, vouched for by the caller; not NULL.
    let shape = unsafe { dims(shape, ndim, "shape") }.ok()?;
    // SAFETY: as above.
    let strides = unsafe { dims(strides, ndim, "strides") }.ok()?;
    // SAFETY: readable, vouched for by the caller.
    let data = unsafe { (*tensor).data };
    // SAFETY: as above.
    let device = unsafe { (*tensor).device };
    Some(Outline { data, device, dtype, shape, strides: Strides::Elements(strides), fields: Fields::UNVERSIONED })
}

/// Reads shape and strides into a layout where it is.
///
/// # Safety
///
/// Condition 2, for these fields; NULL strides stand for C order.
#[inline]
unsafe fn read_layout(
    layout: &mut Layout,
    ndim: i32,
    shape: *const i64,
    strides: *const i64,
) -> Result<(), DescribeError> {
    let rank = usize::try_from(ndim).map_err(|_| DescribeError::NegativeNdim { ndim })?;
    if rank == 0 {
        *layout = Layout::scalar();
        return Ok(());
    }
    if shape.is_null() {
        return Err(DescribeError::NullShape { ndim });
    }
    // SAFETY: vouched for by the caller; not NULL.
    let shape = unsafe { dims(shape, rank, "shape") }?;
    if strides.is_null() {
        *layout = Layout::c_contiguous(shape)?;
        return Ok(());
    }
    // SAFETY: as above.
    let strides = unsafe { dims(strides, rank, "strides") }?;
    Ok(layout.fill(shape, strides)?)
}

/// # Safety
///
/// `first` is not NULL, and `ndim` integers are readable there for as long as the result is used.
#[inline]
unsafe fn dims<'a>(first: *const i64, ndim: usize, field: &'static str) -> Result<&'a [i64], DescribeError> {
    if !first.is_aligned() {
        return Err(DescribeError::MisalignedDims { field });
    }
    // SAFETY: vouched for by the caller; alignment was checked.
    Ok(unsafe { core::slice::from_raw_parts(first, ndim) })
}

/// Turns elements of two 4-bit floats, as one library exports them, into single ones along the last axis, when that
/// axis is dense (rule R9.17): the layout of the single ones. `None`: anything else stays as it is.
///
/// A padded flag means nothing on a pair, which is a byte. On its halves it would, and they would take twice the memory
/// that was described; so such pairs stay together.
#[inline]
fn split_pairs(dtype: DLDataType, layout: &Layout, fields: Fields) -> Option<Layout> {
    if dtype.code != DLDataTypeCode::FLOAT4_E2M1FN || dtype.lanes != 2 || fields.padded {
        return None;
    }
    split_last_axis(layout)
}

fn split_last_axis(layout: &Layout) -> Option<Layout> {
    let mut shape = layout.shape().to_vec();
    let mut strides = layout.strides().to_vec();
    let last_extent = shape.last_mut()?;
    let (last_stride, outer_strides) = strides.split_last_mut()?;
    if *last_extent > 1 && *last_stride != 1 {
        return None;
    }
    *last_extent = last_extent.checked_mul(2)?;
    *last_stride = 1;
    for stride in outer_strides {
        // Too large to be doubled are only strides without a meaning, and those of a span that no layout has.
        *stride = stride.saturating_mul(2);
    }
    Layout::new(&shape, &strides).ok()
}
