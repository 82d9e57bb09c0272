//! Plans for elements below a byte that are packed, on one side at least.

use super::axes::Axes;
use super::part::{Along, Cut, Work};
use super::{Plan, axis, each};
use crate::abi::DLDataTypeCode;
use crate::copy::kernel::bits::{From, To};
use crate::copy::kernel::packed::{Plane, elements};
use crate::copy::kernel::{Axis, LINE, Level, signed};
use crate::layout::{Layout, LayoutError};
use crate::managed::Descriptor;

/// How packed elements of one layout are copied to another, or to elements that have a byte each, or from such.
#[derive(Clone, Debug)]
pub(in crate::copy) struct Packed {
    /// Strides count bits: a side whose elements have a byte each goes by 8, and their low bits are copied.
    axes: Axes,
    /// From the first element to where the walk begins, in both.
    first: (isize, isize),
    /// Bits of an element.
    width: usize,
    count: usize,
    /// Whether the last two axes are those of a transpose.
    is_plane: bool,
    /// What becomes of the bits above an element.
    above: Above,
}

/// What becomes of the bits above an element in the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Above {
    /// They are those of other elements, or of nobody.
    Kept,
    /// The element has a byte, and its sign is repeated there.
    Sign,
    /// The element has a byte, and they become 0.
    Zero,
}

/// Elements along an axis from which a transpose goes by tiles.
const PLANE_FROM: usize = 16;

impl Packed {
    /// Plans copies from one tensor to another of the same shape and dtype, whose elements are below a byte.
    ///
    /// # Errors
    ///
    /// [`LayoutError::ByteOverflow`] when an `isize` cannot count the bits, as in 256 MiB where addresses have 32 bits.
    pub(in crate::copy) fn new(target: &Descriptor, source: &Descriptor) -> Result<Self, LayoutError> {
        let dtype = source.dtype();
        let above = match (target.fields().padded, dtype.code) {
            (false, _) => Above::Kept,
            (true, DLDataTypeCode::INT) => Above::Sign,
            (true, _) => Above::Zero,
        };
        let sides = [target, source].map(|side| (side.layout(), side.storage_bits()));
        Self::of(sides, dtype.item_bits(), above)
    }

    /// The same for packed elements of `width` bits on both sides.
    #[cfg(test)]
    pub(in crate::copy) fn of_layouts(target: &Layout, source: &Layout, width: u32) -> Result<Self, LayoutError> {
        Self::of([(target, width), (source, width)], width, Above::Kept)
    }

    /// Each side with the bits from one element to the next.
    fn of(sides: [(&Layout, u32); 2], width: u32, above: Above) -> Result<Self, LayoutError> {
        for (layout, bits) in sides {
            // As many bytes as there are bits.
            let range = layout.byte_range(bits.saturating_mul(8));
            range.map_err(|_| LayoutError::ByteOverflow { bits })?;
        }
        let [(target, to_bits), (source, from_bits)] = sides;
        let (to_bits, from_bits) = (i64::from(to_bits), i64::from(from_bits));
        let strides = target.strides().iter().zip(source.strides());
        let axes =
            source.shape().iter().zip(strides).map(|(&n, (&to, &from))| axis(n, (to, to_bits), (from, from_bits)));
        let (axes, first) = Axes::of(axes);
        let width = usize::try_from(width).unwrap_or(0);
        let mut this = Self { axes, first, width, count: source.size(), is_plane: false, above };
        this.find_plane();
        Ok(this)
    }

    /// Puts the axis along which the source is dense before that along which the target is, when these are two.
    fn find_plane(&mut self) {
        let dense = signed(self.width);
        let Some((i, slower)) = self.axes.as_slice().split_last() else { return };
        let is_long = |axis: &Axis| axis.n >= PLANE_FROM;
        if self.width >= 8 || i.to != dense || !is_long(i) {
            return;
        }
        let j = slower.iter().position(|axis| axis.from == dense && is_long(axis));
        if let Some(j) = j.and_then(|at| self.axes.remove(at)) {
            let i = self.axes.pop().unwrap_or(Axis::ONE);
            self.axes.push(j);
            self.axes.push(i);
            self.is_plane = true;
        }
    }

    #[cfg(test)]
    pub(in crate::copy) fn is_plane(&self) -> bool {
        self.is_plane
    }

    /// The same copy as one of whole bytes, where it is.
    pub(in crate::copy) fn as_bytes(&self) -> Option<Plan> {
        let (fastest, slower) = self.axes.as_slice().split_last()?;
        let dense = signed(self.width);
        let bits = self.width.wrapping_mul(fastest.n);
        let are_whole = |bits: [isize; 2]| bits.iter().all(|bits| bits.rem_euclid(8) == 0);
        let is_run = fastest.to == dense && fastest.from == dense;
        let starts =
            are_whole([self.first.0, self.first.1]) && slower.iter().all(|axis| are_whole([axis.to, axis.from]));
        if !is_run || bits % 8 != 0 || !starts {
            return None;
        }
        let axes = slower.iter().map(|axis| Axis { n: axis.n, to: axis.to / 8, from: axis.from / 8 });
        let mut plan = Plan::of_axes(axes, bits / 8, 1, self.bytes());
        plan.skip((self.first.0 / 8, self.first.1 / 8));
        Some(plan)
    }

    fn bytes(&self) -> usize {
        self.count.saturating_mul(self.width).div_ceil(8)
    }

    /// Fills the bits above elements that have a byte each.
    ///
    /// # Safety
    ///
    /// As [`Plan::run`]; the elements have been copied.
    unsafe fn fill(&self, target: *mut u8) {
        let unused = 8_u32.saturating_sub(u32::try_from(self.width).unwrap_or(8));
        // From bits to bytes, which are whole here.
        let mut axes = self.axes.clone();
        for at in 0..axes.as_slice().len() {
            if let Some(axis) = axes.get_mut(at) {
                *axis = Axis { to: axis.to / 8, from: 0, ..*axis };
            }
        }
        let (row, slower) =
            axes.as_slice().split_last().map_or((Axis::ONE, [].as_slice()), |(row, slower)| (*row, slower));
        let first = target.wrapping_offset(self.first.0 / 8);
        let whole = |byte| if self.above == Above::Sign { extended(byte, unused) } else { cut(byte, unused) };
        each(slower, first, first, &mut |first, _| {
            if row.to == 1 {
                // SAFETY: bytes that lie one after another, each that of an element, which was copied; vouched for by the caller.
                let bytes = unsafe { core::slice::from_raw_parts_mut(first, row.n) };
                return bytes.iter_mut().for_each(|byte| *byte = whole(*byte));
            }
            for at in 0..signed(row.n) {
                let place = first.wrapping_offset(at.wrapping_mul(row.to));
                // SAFETY: the byte of an element, which was copied; vouched for by the caller.
                let byte = unsafe { place.read() };
                // SAFETY: as above.
                unsafe { place.write(whole(byte)) };
            }
        });
    }

    /// Whether what comes before an element along an axis has no byte in common with what comes from it on, where the element
    /// begins a byte.
    ///
    /// So it is when all that the faster axes reach lies within a step, and each step of a slower axis begins a byte that
    /// nothing of the steps before has.
    fn keeps_apart(&self, axis: &Axis) -> bool {
        let axes = self.axes.as_slice();
        let is_nested = |axis: &Axis| {
            let faster = axes.iter().filter(|faster| faster.to < axis.to);
            let reach = faster.map(|faster| faster.to.saturating_mul(signed(faster.n.saturating_sub(1))));
            reach.fold(signed(self.width), isize::saturating_add) <= axis.to
        };
        let mut slower = axes.iter().filter(|slower| slower.to > axis.to);
        self.first.0.rem_euclid(8) == 0
            && is_nested(axis)
            && slower.all(|slower| slower.to % 8 == 0 && is_nested(slower))
    }
}

impl Work for Packed {
    /// An element that is moved by itself takes no less than a byte does.
    fn bytes(&self) -> usize {
        let dense = signed(self.width);
        let is_run = self.axes.as_slice().last().is_some_and(|axis| axis.to == dense && axis.from == dense);
        if is_run { self.bytes() } else { self.bytes().max(self.count) }
    }

    fn cuts(&self, apart: bool) -> impl Iterator<Item = Cut> {
        let axes = self.axes.as_slice();
        let fastest = axes.len().saturating_sub(1);
        axes.iter().enumerate().filter(move |(_, axis)| !apart || self.keeps_apart(axis)).map(move |(at, axis)| {
            // As many as begin a byte each time, and of what is dense enough that no lines are shared throughout.
            let grain = match fastest.wrapping_sub(at) {
                0 => 8 * LINE,
                1 if self.is_plane => 4 * LINE,
                _ if apart => 8 >> axis.to.trailing_zeros().min(3),
                _ => 1,
            };
            Cut { along: Along::Outer(at), n: axis.n, grain }
        })
    }

    fn part(&self, along: Along, start: usize, n: usize) -> Self {
        let mut part = self.clone();
        if let Along::Outer(at) = along {
            let skipped = part.axes.get_mut(at).map_or((0, 0), |axis| axis.keep(start, n));
            part.first = (self.first.0.wrapping_add(skipped.0), self.first.1.wrapping_add(skipped.1));
        }
        // As for a plan of bytes.
        part.count = if n == 0 { 0 } else { self.count };
        part
    }

    unsafe fn run(&self, target: *mut u8, source: *const u8) {
        if self.count == 0 {
            return;
        }
        let (to, from) = (To { byte: target, bit: self.first.0 }, From { byte: source, bit: self.first.1 });
        let mut plane = self.is_plane.then(|| Plane::new(Level::best()));
        // SAFETY: vouched for by the caller; `find_plane` has found the last two axes to be as they have to be.
        unsafe { elements(to, from, self.axes.as_slice(), self.width, &mut plane) };
        if self.above != Above::Kept {
            // SAFETY: vouched for by the caller.
            unsafe { self.fill(target) };
        }
    }
}

/// Repeats the highest bit that is used in those above it.
fn extended(value: u8, unused: u32) -> u8 {
    let [signed] = value.wrapping_shl(unused).to_ne_bytes().map(|byte| i8::from_ne_bytes([byte]));
    let [byte] = signed.wrapping_shr(unused).to_ne_bytes();
    byte
}

/// Makes 0 of the bits above those that are used.
fn cut(value: u8, unused: u32) -> u8 {
    value & u8::MAX.wrapping_shr(unused)
}
