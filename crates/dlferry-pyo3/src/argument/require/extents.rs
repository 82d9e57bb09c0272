use super::Open;

/// Any number of axes, or any extent of an axis.
#[allow(non_upper_case_globals, reason = "in a list of types it reads as one: `View<'_, f32, Dyn>`")]
pub const Dyn: usize = usize::MAX;

/// As many extents can be required.
pub(crate) const EXTENTS: usize = 8;

/// Extents that are required of the first axes, [`Dyn`] for any: `Extents<480, Dyn, 3>`.
#[derive(Clone, Copy, Debug)]
pub struct Extents<
    const A: usize,
    const B: usize = Dyn,
    const C: usize = Dyn,
    const D: usize = Dyn,
    const E: usize = Dyn,
    const F: usize = Dyn,
    const G: usize = Dyn,
    const H: usize = Dyn,
>(());

/// Extents, as a type.
#[doc(hidden)]
pub trait Extent {
    #[doc(hidden)]
    const EXTENTS: [usize; EXTENTS];
}

impl Extent for Open {
    const EXTENTS: [usize; EXTENTS] = [Dyn; EXTENTS];
}

impl<
    const A: usize,
    const B: usize,
    const C: usize,
    const D: usize,
    const E: usize,
    const F: usize,
    const G: usize,
    const H: usize,
> Extent for Extents<A, B, C, D, E, F, G, H>
{
    const EXTENTS: [usize; EXTENTS] = [A, B, C, D, E, F, G, H];
}
