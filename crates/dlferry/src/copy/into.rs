use super::plan::Packed;
use super::{CopyError, Job, Plan, Strided, small};
use crate::managed::Descriptor;
use crate::view::TensorView;

/// Copies the elements of `source` into the memory that `target` describes, as if through a temporary.
///
/// `source` is broadcast to the shape of `target`; the dtypes are equal. Elements below a byte may be packed in one and have a
/// byte each in the other: there the value is in the low bits, its sign repeated above.
///
/// # Errors
///
/// [`CopyError::Device`], [`CopyError::ReadOnly`], [`CopyError::DType`], [`CopyError::Shape`], and
/// [`CopyError::OutOfMemory`] when the temporary is needed and cannot be had.
///
/// # Safety
///
/// Conditions 3 and 5 of [`managed`](crate::managed) for the memory of `target`: it may be written, and nobody else
/// looks at it meanwhile.
pub unsafe fn copy_into(target: &Descriptor, source: TensorView<'_>) -> Result<(), CopyError> {
    // SAFETY: vouched for by the caller.
    unsafe { Job::new().copy_into(target, source) }
}

impl Job<'_> {
    /// Copies as [`copy_into`](super::copy_into) does.
    ///
    /// # Errors
    ///
    /// As there, and [`CopyError::Interrupted`].
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn copy_into(mut self, target: &Descriptor, source: TensorView<'_>) -> Result<(), CopyError> {
        let found = source.descriptor();
        check(target, found)?;
        if target.shape() == found.shape() && !may_meet(target, found) {
            // SAFETY: readable as the view's; the caller vouches for the target; apart.
            return unsafe { self.copy_apart(target, found) };
        }
        let Some(layout) = found.layout().broadcast_to(target.shape()) else {
            return Err(CopyError::Shape { wanted: target.shape().to_vec(), found: found.shape().to_vec() });
        };
        let widened = found.view(layout, 0)?;
        if !may_meet(target, &widened) {
            // SAFETY: readable as the view's; the caller vouches for the target; apart.
            return unsafe { self.copy_apart(target, &widened) };
        }
        // SAFETY: within the elements of `source`, repeated.
        let temporary = self.again().to_contiguous(unsafe { TensorView::new(&widened) }, super::Order::K)?;
        // SAFETY: the temporary is new memory; the target is the caller's.
        unsafe { self.copy_apart(target, temporary.descriptor()) }
    }

    /// Copies elements that DLPack cannot describe into the memory that `target` describes, once and as if through a temporary.
    ///
    /// # Errors
    ///
    /// As [`copy_into`](super::copy_into), and [`CopyError::Interrupted`].
    ///
    /// # Safety
    ///
    /// As there; and the host can read the memory of `source`, and nobody writes it meanwhile.
    pub unsafe fn copy_strided_into(mut self, target: &Descriptor, source: &Strided) -> Result<(), CopyError> {
        check_host(target)?;
        check_writable(target)?;
        let Some(to) = Strided::of(target) else {
            return Err(CopyError::DType { wanted: target.dtype(), found: source.dtype() });
        };
        let plan = Plan::new(&to, source)?;
        if are_apart(to.addresses(), source.addresses()) {
            // SAFETY: both vouched for by the caller; apart.
            return unsafe { self.run(&plan, to.data, source.data) };
        }
        // SAFETY: vouched for by the caller.
        let temporary = unsafe { self.again().copy_strided(source) }?;
        // SAFETY: the target is the caller's.
        unsafe { self.copy_into(target, temporary.view()) }
    }

    /// Copies between two tensors of equal shape and dtype.
    ///
    /// # Safety
    ///
    /// The elements of `source` are readable, those of `target` writable, and they have no byte in common.
    pub(super) unsafe fn copy_apart(self, target: &Descriptor, source: &Descriptor) -> Result<(), CopyError> {
        if target.layout().is_empty() {
            return Ok(());
        }
        let (to, from) = (target.data().cast::<u8>(), source.data().cast::<u8>());
        let bits = source.storage_bits();
        if bits.checked_rem(8) == Some(0) && bits == target.storage_bits() {
            let item = bits.wrapping_div(8);
            let bytes = source.nbytes();
            if bytes < SMALL && target.layout().is_c_contiguous() && source.layout().is_c_contiguous() {
                // SAFETY: a run of that many bytes on both sides; vouched for by the caller.
                unsafe { to.copy_from_nonoverlapping(from, bytes) };
                return Ok(());
            }
            let (stride, item) = (i64::from(item), usize::try_from(item).unwrap_or(0));
            // SAFETY: vouched for by the caller.
            if unsafe { small::copy(to, from, target.layout(), source.layout(), item) } {
                return Ok(());
            }
            let plan = Plan::of_layouts(target.layout(), source.layout(), stride, item, 1);
            // SAFETY: vouched for by the caller.
            return unsafe { self.run(&plan, to, from) };
        }
        let packed = Packed::new(target, source)?;
        match packed.as_bytes() {
            // SAFETY: vouched for by the caller.
            Some(plan) => unsafe { self.run(&plan, to, from) },
            // SAFETY: as above.
            None => unsafe { self.carry_out(&packed, to, from) },
        }
    }
}

/// Bytes below which a run is not worth a plan.
const SMALL: usize = 1 << 20;

/// The host may read both and write the target, and what is copied is of one kind.
fn check(target: &Descriptor, source: &Descriptor) -> Result<(), CopyError> {
    check_host(target)?;
    check_host(source)?;
    check_writable(target)?;
    if target.dtype() != source.dtype() {
        return Err(CopyError::DType { wanted: target.dtype(), found: source.dtype() });
    }
    Ok(())
}

fn check_host(descriptor: &Descriptor) -> Result<(), CopyError> {
    if descriptor.is_host_readable() { Ok(()) } else { Err(CopyError::Device { device: descriptor.device() }) }
}

fn check_writable(target: &Descriptor) -> Result<(), CopyError> {
    if target.is_read_only() { Err(CopyError::ReadOnly) } else { Ok(()) }
}

/// Whether the bytes of the two may be the same. Ranges are compared, so interleaved ones count as meeting.
fn may_meet(one: &Descriptor, other: &Descriptor) -> bool {
    let ends = |descriptor: &Descriptor| {
        let range = descriptor.byte_range().ok()?;
        let first = descriptor.data().addr();
        Some((first.checked_add_signed(range.start)?, first.checked_add_signed(range.end)?))
    };
    !are_apart(ends(one), ends(other))
}

/// Whether two ranges of addresses, the ends exclusive, are known to have none in common.
fn are_apart(one: Option<(usize, usize)>, other: Option<(usize, usize)>) -> bool {
    match (one, other) {
        (Some((low, high)), Some((other_low, other_high))) => low >= other_high || other_low >= high,
        _ => false,
    }
}
