use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::element::Element;

/// A value that owns elements lying one after another.
///
/// Safe to implement: the slice is borrowed from the owner in its final place, and the owner is not touched again
/// until it is dropped, on whichever thread that happens.
///
/// # Examples
///
/// ```
/// use dlferry::export::{Export, Owner};
///
/// struct Frame {
///     pixels: [u8; 12],
/// }
///
/// impl Owner for Frame {
///     type Item = u8;
///
///     fn as_slice(&self) -> &[u8] {
///         &self.pixels
///     }
/// }
///
/// let tensor = Export::read_only(Frame { pixels: [7; 12] }).shape(&[2, 2, 3]).finish()?;
/// assert!(tensor.descriptor().is_read_only());
/// # Ok::<(), dlferry::export::ExportError>(())
/// ```
pub trait Owner: Send + 'static {
    /// The type of one element.
    type Item: Element;

    /// The elements.
    fn as_slice(&self) -> &[Self::Item];
}

/// An [`Owner`] whose elements a consumer may write.
pub trait OwnerMut: Owner {
    /// The elements, for writing.
    fn as_mut_slice(&mut self) -> &mut [Self::Item];
}

impl<T: Element> Owner for Vec<T> {
    type Item = T;

    fn as_slice(&self) -> &[T] {
        self
    }
}

impl<T: Element> OwnerMut for Vec<T> {
    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Element> Owner for Box<[T]> {
    type Item = T;

    fn as_slice(&self) -> &[T] {
        self
    }
}

impl<T: Element> OwnerMut for Box<[T]> {
    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Element, const N: usize> Owner for [T; N] {
    type Item = T;

    fn as_slice(&self) -> &[T] {
        self
    }
}

impl<T: Element, const N: usize> OwnerMut for [T; N] {
    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

/// Others may hold the same memory, so it is exported read-only, always.
impl<T: Element> Owner for Arc<[T]> {
    type Item = T;

    fn as_slice(&self) -> &[T] {
        self
    }
}

/// Others may hold the same memory, so it is exported read-only, always.
impl<T: Element> Owner for Arc<Vec<T>> {
    type Item = T;

    fn as_slice(&self) -> &[T] {
        self
    }
}

/// Memory that is never freed and never written.
impl<T: Element> Owner for &'static [T] {
    type Item = T;

    fn as_slice(&self) -> &[T] {
        self
    }
}
