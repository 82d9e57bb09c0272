//! What a copy will do, found out once.

mod axes;
mod choice;
mod packed;
mod part;

use core::fmt;

use super::kernel::{Axis, Inner, Kernel, Level, Pass, body, simd};
use super::{CopyError, Strided};
use crate::layout::Layout;
use axes::Axes;
pub(super) use packed::Packed;
pub(super) use part::{Pieces, Work};

/// How elements of one layout are copied to another: made once, used for any memory with those layouts.
///
/// Axes of one element are dropped, neighbors merged, all sorted, and the loops chosen that are the fastest for what is
/// left.
///
/// # Examples
///
/// ```
/// use dlferry::abi::DLDataType;
/// use dlferry::copy::{Plan, Strided};
///
/// // Pictures of 2 by 2 pixels: from three channels in each pixel to a plane for each channel.
/// let mut planes = [0_u8; 12];
/// let pixels = [1_u8, 10, 100, 2, 20, 200, 3, 30, 33, 4, 40, 44];
/// let shape = [3, 2, 2];
/// let target = Strided::new(planes.as_mut_ptr(), DLDataType::U8, &shape, &[4, 2, 1], false)?;
/// let source = Strided::new(pixels.as_ptr().cast_mut(), DLDataType::U8, &shape, &[1, 6, 3], false)?;
/// let plan = Plan::new(&target, &source)?;
/// // SAFETY: both arrays are as described.
/// unsafe { plan.run(planes.as_mut_ptr(), pixels.as_ptr()) };
/// assert_eq!(planes, [1, 2, 3, 4, 10, 20, 30, 40, 100, 200, 33, 44]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Plan {
    /// Loops around the kernel, the slowest of the target first.
    outer: Axes,
    inner: Inner,
    kernel: Kernel,
    level: Level,
    pass: Pass,
    /// From the first element to where the walk begins, in both.
    first: (isize, isize),
    /// Bytes that will be written.
    bytes: usize,
}

/// Copies of this many bytes and more are written past the caches: they would not stay there.
const STREAMS_FROM: usize = 4 << 20;

impl Plan {
    /// Plans copies from one layout to another; the source is broadcast to the target's shape. No memory is touched.
    ///
    /// # Errors
    ///
    /// [`CopyError::DType`] and [`CopyError::Shape`] when the two do not fit, and [`CopyError::ReadOnly`] when two
    /// indices of the target reach one element.
    pub fn new(target: &Strided, source: &Strided) -> Result<Self, CopyError> {
        if target.dtype() != source.dtype() {
            return Err(CopyError::DType { wanted: target.dtype(), found: source.dtype() });
        }
        if target.overlaps() {
            return Err(CopyError::ReadOnly);
        }
        match source.broadcast_to(target.shape()) {
            Some(source) => Ok(Self::of(target, &source)),
            None => Err(CopyError::Shape { wanted: target.shape().to_vec(), found: source.shape().to_vec() }),
        }
    }

    /// The same for layouts of one shape and dtype.
    pub(super) fn of(target: &Strided, source: &Strided) -> Self {
        // Units are reversed when just one side has the other byte order.
        let unit = if target.unit == source.unit { 1 } else { source.unit.max(target.unit) };
        Self::of_layouts(&target.layout, &source.layout, 1, source.item(), unit)
    }

    /// The same for layouts of one shape whose strides count as many bytes.
    pub(super) fn of_layouts(target: &Layout, source: &Layout, stride: i64, item: usize, unit: usize) -> Self {
        let strides = target.strides().iter().zip(source.strides());
        let axes = source.shape().iter().zip(strides).map(|(&n, (&to, &from))| axis(n, (to, stride), (from, stride)));
        Self::of_axes(axes, item, unit, item.saturating_mul(source.size()))
    }

    /// The same for axes with strides in bytes.
    fn of_axes(axes: impl Iterator<Item = Axis> + Clone, item: usize, unit: usize, bytes: usize) -> Self {
        let (outer, first) = Axes::of(axes);
        let inner = Inner { i: Axis::ONE, j: Axis::ONE, item };
        let level = Level::best();
        let streams = bytes >= STREAMS_FROM && level != Level::Portable;
        let pass = Pass::new(unit, streams);
        let mut this = Self { outer, inner, kernel: Kernel::Any, level, pass, first, bytes };
        this.choose();
        this
    }

    /// Copies from the element at index (0, ..., 0) of one memory to that of the other, and all that follow.
    ///
    /// # Safety
    ///
    /// The layouts that the plan was made for, at these addresses, describe readable elements in the source and writable
    /// ones in the target, and no byte of one is a byte of the other. Nobody else looks at the target meanwhile, and
    /// nobody writes the source.
    pub unsafe fn run(&self, target: *mut u8, source: *const u8) {
        if self.bytes == 0 {
            return;
        }
        let to = target.wrapping_offset(self.first.0);
        let from = source.wrapping_offset(self.first.1);
        let body = body(self.kernel, self.level, &self.inner, &self.pass);
        let mut copy = |to, from| {
            // SAFETY: all elements of both sides, vouched for by the caller; `level` is one that is available.
            unsafe { body(to, from, &self.inner, &self.pass) }
        };
        each(self.outer.as_slice(), to, from, &mut copy);
        if self.pass.streams {
            simd::fence();
        }
    }

    /// Begins elsewhere: so many bytes further, in both.
    fn skip(&mut self, skipped: (isize, isize)) {
        self.first = (self.first.0.wrapping_add(skipped.0), self.first.1.wrapping_add(skipped.1));
    }

    /// Bytes that the copy writes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    #[cfg(test)]
    pub(super) fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The instructions that the copy will use: the best that the processor has, unless said otherwise.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Uses the instructions of another level; `None` when the processor does not have them.
    #[must_use]
    pub fn at_level(mut self, level: Level) -> Option<Self> {
        if !level.is_available() {
            return None;
        }
        self.level = level;
        self.rechoose();
        Some(self)
    }

    /// Writes past the caches, or not; large copies do unless said otherwise.
    #[must_use]
    pub fn streaming(mut self, streams: bool) -> Self {
        self.pass.streams = streams;
        self
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("kernel", &self.kernel)
            .field("level", &self.level)
            .field("outer", &self.outer.as_slice())
            .field("inner", &self.inner)
            .field("streams", &self.pass.streams)
            .finish_non_exhaustive()
    }
}

/// An axis of a layout of both sides: strides, and how much one of them counts. Strides without meaning, which may be any
/// number, become 0.
fn axis(n: i64, to: (i64, i64), from: (i64, i64)) -> Axis {
    let n = usize::try_from(n).unwrap_or(0);
    if n < 2 {
        return Axis { n, ..Axis::ONE };
    }
    // The bytes of both layouts lie within the address space, unless there are none.
    let bytes = |(steps, stride): (i64, i64)| isize::try_from(steps.wrapping_mul(stride)).unwrap_or(0);
    Axis { n, to: bytes(to), from: bytes(from) }
}

/// Goes through the indices of some axes.
fn each(axes: &[Axis], to: *mut u8, from: *const u8, copy: &mut impl FnMut(*mut u8, *const u8)) {
    let Some((axis, faster)) = axes.split_first() else {
        return copy(to, from);
    };
    let (mut to, mut from) = (to, from);
    for _ in 0..axis.n {
        each(faster, to, from, copy);
        to = to.wrapping_offset(axis.to);
        from = from.wrapping_offset(axis.from);
    }
}
