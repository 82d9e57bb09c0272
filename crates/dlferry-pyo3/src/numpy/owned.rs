//! Vectors as arrays of NumPy's, with nothing in between: what a function returns most often.

use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use dlferry::element::Element;
use pyo3::prelude::*;

use super::dtype;
use super::runtime::Runtime;

/// The memory of a vector, as the base of an array.
#[pyclass(frozen, module = "dlferry", name = "Memory")]
#[derive(Debug)]
struct Memory {
    // Invariant: the parts of a vector that was taken apart, and the function that puts such a one together and drops it.
    first: NonNull<()>,
    len: usize,
    capacity: usize,
    free: unsafe fn(NonNull<()>, usize, usize),
}

// SAFETY: elements are `Send`, and nobody reaches them through this.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    fn of<T: Element>(elements: Vec<T>) -> Self {
        let mut elements = ManuallyDrop::new(elements);
        let (len, capacity) = (elements.len(), elements.capacity());
        // SAFETY: the pointer of a vector is never NULL.
        let first = unsafe { NonNull::new_unchecked(elements.as_mut_ptr()) }.cast();
        Self { first, len, capacity, free: free::<T> }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the parts of a vector of the type that the function is for (invariant), dropped once.
        unsafe { (self.free)(self.first, self.len, self.capacity) }
    }
}

/// Drops the vector that the parts are of.
///
/// # Safety
///
/// They are the parts of a `Vec<T>`, and not used again.
unsafe fn free<T>(first: NonNull<()>, len: usize, capacity: usize) {
    // SAFETY: vouched for by the caller.
    drop(unsafe { Vec::<T>::from_raw_parts(first.cast().as_ptr(), len, capacity) });
}

/// Up to this many axes are laid out here.
pub(crate) const MAX_AXES: usize = 8;

/// Extents, and strides in bytes, of an array.
struct Axes {
    ndim: usize,
    shape: [isize; MAX_AXES],
    strides: [isize; MAX_AXES],
}

impl Axes {
    /// Takes extents and strides in elements that reach only elements from `-first` to before `len - first`; `None` for
    /// others, for more axes, and when there are no elements.
    fn within<T>(axes: impl ExactSizeIterator<Item = (i64, i64)>, first: usize, len: usize) -> Option<Self> {
        let mut this = Self { ndim: axes.len(), shape: [0; MAX_AXES], strides: [0; MAX_AXES] };
        if this.ndim > MAX_AXES {
            return None;
        }
        let (mut lowest, mut highest) = (i64::try_from(first).ok()?, i64::try_from(first).ok()?);
        let item = i64::try_from(size_of::<T>()).ok()?;
        for ((place, step), (extent, stride)) in this.shape.iter_mut().zip(&mut this.strides).zip(axes) {
            let reach = extent.checked_sub(1).filter(|last| *last >= 0)?.checked_mul(stride)?;
            let end = if reach < 0 { &mut lowest } else { &mut highest };
            *end = end.checked_add(reach)?;
            *place = isize::try_from(extent).ok()?;
            *step = isize::try_from(stride.checked_mul(item)?).ok()?;
        }
        (lowest >= 0 && usize::try_from(highest).is_ok_and(|highest| highest < len)).then_some(this)
    }
}

/// A new `numpy.ndarray` of the elements, writable, that begins with the element `first` and has the extents and strides, in
/// elements, of `axes`.
///
/// The elements come back where there is more to think about: a NumPy whose structures are not known, an element type that
/// is not its own, many axes, no elements, or axes that reach beyond them.
///
/// # Errors
///
/// `ImportError` without NumPy, and what NumPy raises.
pub(crate) fn of_vec<T: Element>(
    py: Python<'_>,
    mut elements: Vec<T>,
    first: usize,
    axes: impl ExactSizeIterator<Item = (i64, i64)>,
) -> PyResult<Result<Bound<'_, PyAny>, Vec<T>>> {
    let Some(axes) = Axes::within::<T>(axes, first, elements.len()) else { return Ok(Err(elements)) };
    let (Some(runtime), Some(number)) = (Runtime::load(py)?, dtype::to_number(T::DTYPE)) else {
        return Ok(Err(elements));
    };
    let data = elements.as_mut_ptr().wrapping_add(first).cast();
    let descr = runtime.descr(py, number)?;
    let base = Bound::new(py, Memory::of(elements))?.into_any();
    let shape = axes.shape.get(..axes.ndim).unwrap_or_default();
    let strides = axes.strides.get(..axes.ndim).unwrap_or_default();
    // SAFETY: the elements stay where they are until `base` drops them, nobody else has them, and `Axes::within` checked that
    // no others are reached.
    unsafe { runtime.wrap(descr, shape, strides, data, true, base) }.map(Ok)
}
