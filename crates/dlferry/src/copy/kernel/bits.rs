//! The loops that move bytes. Plain and right; what is common (runs of elements without gaps) is one `memcpy` each.

use crate::layout::Layout;

/// One side of a copy: where the element at index (0, ..., 0) is, and strides in the unit of the kernel.
#[derive(Clone, Copy, Debug)]
pub(in crate::copy) struct Bits<'a> {
    pub(in crate::copy) first: *mut u8,
    pub(in crate::copy) layout: &'a Layout,
}

impl Bits<'_> {
    fn at(self, offset: i64) -> *mut u8 {
        // An offset within a layout whose bytes fit the address space fits an `isize`.
        self.first.wrapping_offset(isize::try_from(offset).unwrap_or_default())
    }
}

/// Copies packed elements of `width` bits, strides in elements, bit by bit.
///
/// # Safety
///
/// As [`copy_bytes`], for the bytes that hold bits of an element.
pub(in crate::copy) unsafe fn copy_bits(target: Bits<'_>, source: Bits<'_>, width: u32) {
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
fn place(side: Bits<'_>, bit: i64) -> (*mut u8, u32) {
    let within = u32::try_from(bit.wrapping_rem_euclid(8)).unwrap_or_default();
    (side.at(bit.wrapping_div_euclid(8)), within)
}
