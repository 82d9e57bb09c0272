//! The loops that move bytes. Plain and right; what is common (runs of elements without gaps) is one `memcpy` each.

use crate::layout::Layout;

/// One side of a copy: where the element at index (0, ..., 0) is, and strides in the unit of the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub(super) first: *mut u8,
    pub(super) layout: &'a Layout,
}

impl Side<'_> {
    fn at(self, offset: i64) -> *mut u8 {
        // An offset within a layout whose bytes fit the address space fits an `isize`.
        self.first.wrapping_offset(isize::try_from(offset).unwrap_or_default())
    }
}

/// Copies elements of `item` bytes, strides in bytes, reversing each `unit` bytes of them.
///
/// # Safety
///
/// Both layouts have the same shape. The elements of `source` are readable, those of `target` writable, and no element
/// of one overlaps one of the other.
pub(super) unsafe fn copy_bytes(target: Side<'_>, source: Side<'_>, item: usize, unit: usize) {
    let (Some(to), Some(from)) = (Rows::of(target.layout), Rows::of(source.layout)) else {
        // No axis: one element.
        let row = Row { extent: 1, to: 0, from: 0 };
        // SAFETY: vouched for by the caller.
        return unsafe { copy_row(target.first, source.first, row, item, unit) };
    };
    let row = Row { extent: to.extent, to: to.stride, from: from.stride };
    for (target_at, source_at) in to.outer.offsets().zip(from.outer.offsets()) {
        // SAFETY: the rows of both sides, vouched for by the caller.
        unsafe { copy_row(target.at(target_at), source.at(source_at), row, item, unit) };
    }
}

/// A layout as rows along its last axis.
struct Rows {
    outer: Layout,
    extent: usize,
    stride: isize,
}

impl Rows {
    fn of(layout: &Layout) -> Option<Self> {
        let (extent, outer_shape) = layout.shape().split_last()?;
        let (stride, outer_strides) = layout.strides().split_last()?;
        let outer = Layout::new(outer_shape, outer_strides).ok()?;
        Some(Self { outer, extent: usize::try_from(*extent).ok()?, stride: isize::try_from(*stride).unwrap_or(0) })
    }
}

/// How a row is walked: strides in bytes.
#[derive(Clone, Copy)]
struct Row {
    extent: usize,
    to: isize,
    from: isize,
}

/// # Safety
///
/// As [`copy_bytes`], for one row.
unsafe fn copy_row(target: *mut u8, source: *const u8, row: Row, item: usize, unit: usize) {
    let dense = isize::try_from(item).unwrap_or(isize::MAX);
    if unit > 1 {
        // SAFETY: vouched for by the caller.
        unsafe { copy_swapped(target, source, row, item, unit) }
    } else if row.to == dense && row.from == dense {
        // SAFETY: a row without gaps on both sides; readable, writable, apart (vouched for by the caller).
        unsafe { target.copy_from_nonoverlapping(source, item.saturating_mul(row.extent)) }
    } else {
        let kernel = match item {
            1 => copy_items::<[u8; 1]>,
            2 => copy_items::<[u8; 2]>,
            4 => copy_items::<[u8; 4]>,
            8 => copy_items::<[u8; 8]>,
            16 => copy_items::<[u8; 16]>,
            _ => copy_any,
        };
        // SAFETY: vouched for by the caller; the kernel takes elements of `item` bytes.
        unsafe { kernel(target, source, row, item) }
    }
}

/// # Safety
///
/// As [`copy_row`]; `E` is an array of `item` bytes.
unsafe fn copy_items<E: Copy>(mut target: *mut u8, mut source: *const u8, row: Row, _item: usize) {
    for _ in 0..row.extent {
        // SAFETY: an element of the row, of the size of `E`; an array of bytes has no alignment to keep.
        unsafe { target.cast::<E>().copy_from_nonoverlapping(source.cast::<E>(), 1) };
        target = target.wrapping_offset(row.to);
        source = source.wrapping_offset(row.from);
    }
}

/// # Safety
///
/// As [`copy_row`].
unsafe fn copy_any(mut target: *mut u8, mut source: *const u8, row: Row, item: usize) {
    for _ in 0..row.extent {
        // SAFETY: an element of the row.
        unsafe { target.copy_from_nonoverlapping(source, item) };
        target = target.wrapping_offset(row.to);
        source = source.wrapping_offset(row.from);
    }
}

/// # Safety
///
/// As [`copy_row`].
unsafe fn copy_swapped(mut target: *mut u8, mut source: *const u8, row: Row, item: usize, unit: usize) {
    for _ in 0..row.extent {
        // SAFETY: an element of the row.
        unsafe { target.copy_from_nonoverlapping(source, item) };
        // SAFETY: the bytes just written.
        let bytes = unsafe { core::slice::from_raw_parts_mut(target, item) };
        bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
        target = target.wrapping_offset(row.to);
        source = source.wrapping_offset(row.from);
    }
}

/// Copies packed elements of `width` bits, strides in elements, bit by bit.
///
/// # Safety
///
/// As [`copy_bytes`], for the bytes that hold bits of an element.
pub(super) unsafe fn copy_bits(target: Side<'_>, source: Side<'_>, width: u32) {
    let width = i64::from(width);
    for (to, from) in target.layout.offsets().zip(source.layout.offsets()) {
        let (to, from) = (to.wrapping_mul(width), from.wrapping_mul(width));
        for bit in 0..width {
            let (from_byte, from_bit) = place(source, from.wrapping_add(bit));
            let (to_byte, to_bit) = place(target, to.wrapping_add(bit));
            // SAFETY: a byte with a bit of an element (vouched for by the caller).
            let value = unsafe { from_byte.read() }.wrapping_shr(from_bit) & 1;
            // SAFETY: as above.
            let rest = unsafe { to_byte.read() } & !1_u8.wrapping_shl(to_bit);
            // SAFETY: as above.
            unsafe { to_byte.write(rest | value.wrapping_shl(to_bit)) };
        }
    }
}

/// Byte and place within it of a bit, counted from the first element, low bits first (rule R3.17).
fn place(side: Side<'_>, bit: i64) -> (*mut u8, u32) {
    let within = u32::try_from(bit.wrapping_rem_euclid(8)).unwrap_or_default();
    (side.at(bit.wrapping_div_euclid(8)), within)
}
