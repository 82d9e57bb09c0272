use alloc::vec::Vec;

use super::{CopyError, Job, Plan, Strided};
use crate::element::Element;
use crate::layout::Layout;
use crate::view::{TypedView, TypedViewMut};

impl<T: Element> TypedView<'_, T> {
    /// Copies all elements, in C order.
    ///
    /// # Panics
    ///
    /// As any vector does when there is no memory for so many; [`Self::try_to_vec`] answers instead.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        let mut elements = Vec::with_capacity(self.layout().size());
        self.fill(&mut elements);
        elements
    }

    /// Copies all elements, in C order.
    ///
    /// # Errors
    ///
    /// [`CopyError::OutOfMemory`].
    pub fn try_to_vec(&self) -> Result<Vec<T>, CopyError> {
        let count = self.layout().size();
        let bytes = count.saturating_mul(size_of::<T>());
        let mut elements = Vec::new();
        elements.try_reserve_exact(count).map_err(|_| CopyError::OutOfMemory { bytes })?;
        self.fill(&mut elements);
        Ok(elements)
    }

    /// Copies all elements into a slice, in C order.
    ///
    /// # Errors
    ///
    /// [`CopyError::Shape`] when the slice has another number of elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use dlferry::export::Export;
    /// use dlferry::layout::Layout;
    ///
    /// let layout = Layout::new(&[2, 3], &[1, 2])?;
    /// let tensor = Export::read_only([0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0]).layout(layout, 0).finish()?;
    /// let mut rows = [0.0; 6];
    /// tensor.view().typed::<f32>()?.copy_to(&mut rows)?;
    /// assert_eq!(rows, [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copy_to(&self, target: &mut [T]) -> Result<(), CopyError> {
        if target.len() != self.layout().size() {
            let wanted = i64::try_from(target.len()).unwrap_or(i64::MAX);
            return Err(CopyError::Shape { wanted: alloc::vec![wanted], found: self.shape().to_vec() });
        }
        // SAFETY: a slice of as many elements, which nobody else looks at.
        unsafe { self.write(target.as_mut_ptr()) };
        Ok(())
    }

    /// Puts all elements into a vector that has none, and room for them.
    fn fill(&self, elements: &mut Vec<T>) {
        // SAFETY: room for as many elements.
        unsafe { self.write(elements.as_mut_ptr()) };
        // SAFETY: they have just been written, each a valid value.
        unsafe { elements.set_len(self.layout().size()) };
    }

    /// # Safety
    ///
    /// As many elements as there are may be written from `target` on, and nobody else looks at them.
    unsafe fn write(&self, target: *mut T) {
        let raw = target.cast::<T::Raw>();
        if let Some((plan, source)) = self.plan(raw) {
            // SAFETY: the view's elements are readable, the target's writable, says the caller; the two are apart, since
            // the latter are nobody else's.
            let done = unsafe { Job::new().run(&plan, raw.cast(), source) };
            debug_assert!(done.is_ok(), "nobody is asked, so nothing is interrupted");
        }
        if T::ALL_BITS_VALID {
            return;
        }
        for at in 0..self.layout().size() {
            // SAFETY: one of as many elements, each of which has been written; any bytes are a `T::Raw`.
            let element = unsafe { raw.wrapping_add(at).read() };
            // SAFETY: the same element; a `T` has the size and alignment of its raw type (contract of `Element`).
            unsafe { target.wrapping_add(at).write(T::from_raw(element)) };
        }
    }

    /// A copy to dense elements at an address, and where it begins in the source.
    fn plan(&self, target: *mut T::Raw) -> Option<(Plan, *const u8)> {
        let source = Strided::of(self.descriptor())?;
        let dense = Layout::c_contiguous(self.shape()).ok()?;
        let layout = super::strided::scaled(&dense, i64::try_from(size_of::<T>()).ok()?)?;
        let target = Strided { data: target.cast(), layout, ..source.clone() };
        Some((Plan::of(&target, &source), source.data))
    }
}

impl<T: Element> TypedViewMut<'_, T> {
    /// Copies the elements of another tensor to the same indices, after broadcasting it to this shape.
    ///
    /// # Errors
    ///
    /// [`CopyError::Shape`] when the shapes do not fit.
    pub fn copy_from(&mut self, source: &TypedView<'_, T>) -> Result<(), CopyError> {
        // SAFETY: the view of a view's descriptor.
        let source = unsafe { crate::view::TensorView::new(source.descriptor()) };
        // SAFETY: writable, and `&mut self` is the only access.
        unsafe { super::copy_into(self.descriptor(), source) }
    }
}
