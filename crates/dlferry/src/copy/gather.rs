use crate::managed::Descriptor;

/// Copies the elements of `source`, in C order, to the beginning of `target`.
///
/// # Safety
///
/// The host can read the memory of `source`, nobody writes it meanwhile, and it does not overlap `target`.
pub(super) unsafe fn gather(source: &Descriptor, target: &mut [u8]) {
    let layout = source.layout();
    if layout.is_empty() {
        return;
    }
    let bits = source.storage_bits();
    if layout.is_c_contiguous() {
        let len = target.len().min(source.nbytes());
        // SAFETY: a contiguous tensor occupies `nbytes` from its first element on (invariant 3 of `Descriptor`).
        unsafe { core::ptr::copy_nonoverlapping(source.data().cast::<u8>(), target.as_mut_ptr(), len) };
    } else if bits.checked_rem(8) == Some(0) {
        let kernel = match bits / 8 {
            1 => gather_elements::<[u8; 1]>,
            2 => gather_elements::<[u8; 2]>,
            4 => gather_elements::<[u8; 4]>,
            8 => gather_elements::<[u8; 8]>,
            16 => gather_elements::<[u8; 16]>,
            _ => gather_any,
        };
        // SAFETY: vouched for by the caller; an element has as many bytes as the kernel takes.
        unsafe { kernel(source, target) }
    } else {
        // SAFETY: vouched for by the caller.
        unsafe { gather_packed(source, target) }
    }
}

/// # Safety
///
/// As [`gather`]; an element has the size of `E`, an array of bytes.
unsafe fn gather_elements<E: Copy>(source: &Descriptor, target: &mut [u8]) {
    let first = source.data().cast::<E>();
    let places = target.chunks_exact_mut(size_of::<E>());
    for (place, offset) in places.zip(source.layout().offsets()) {
        let element = first.wrapping_offset(isize::try_from(offset).unwrap_or_default());
        // SAFETY: an element in range is readable (vouched for by the caller); `place` is as long.
        unsafe { core::ptr::copy_nonoverlapping(element.cast::<u8>(), place.as_mut_ptr(), size_of::<E>()) };
    }
}

/// # Safety
///
/// As [`gather`]; an element has whole bytes.
unsafe fn gather_any(source: &Descriptor, target: &mut [u8]) {
    let size = source.dtype().item_bytes();
    let first = source.data().cast::<u8>();
    let places = target.chunks_exact_mut(size.max(1));
    for (place, offset) in places.zip(source.layout().offsets()) {
        let size = isize::try_from(size).unwrap_or_default();
        let bytes = isize::try_from(offset).unwrap_or_default().wrapping_mul(size);
        // SAFETY: an element in range is readable (vouched for by the caller); `place` is as long.
        unsafe { core::ptr::copy_nonoverlapping(first.wrapping_offset(bytes), place.as_mut_ptr(), place.len()) };
    }
}

/// Copies bit by bit: packed elements of less than a byte that are not contiguous.
///
/// # Safety
///
/// As [`gather`].
unsafe fn gather_packed(source: &Descriptor, target: &mut [u8]) {
    let width = i64::from(source.storage_bits());
    let first = source.data().cast::<u8>();
    let mut written: usize = 0;
    for offset in source.layout().offsets() {
        let start = offset.wrapping_mul(width);
        for bit in start..start.wrapping_add(width) {
            let byte = isize::try_from(bit.wrapping_div_euclid(8)).unwrap_or_default();
            // SAFETY: a byte that holds bits of an element in range is readable (vouched for by the caller).
            let value = unsafe { first.wrapping_offset(byte).read() };
            let set = value.wrapping_shr(u32::try_from(bit.wrapping_rem_euclid(8)).unwrap_or_default()) & 1;
            if let Some(place) = target.get_mut(written / 8) {
                *place |= set.wrapping_shl(u32::try_from(written % 8).unwrap_or_default());
            }
            written = written.wrapping_add(1);
        }
    }
}
