//! What a function wants of an array beyond its element type and number of axes: the last parameter of
//! [`View`](crate::View), [`ViewMut`](crate::ViewMut), [`AnyView`](crate::AnyView) and [`AnyViewMut`](crate::AnyViewMut).
//!
//! By default (`()`) any order and any extents will do, the host must be able to read the memory, and nothing is converted.
//! A requirement changes one of these, a tuple of up to four several:
//!
//! | requirement | the array must |
//! | --- | --- |
//! | [`COrder`], [`FOrder`] | lie in memory without gaps, the last (the first) axis fastest |
//! | [`Extents<480, Dyn, 3>`](Extents) | have these extents, any where it says [`Dyn`] |
//! | [`OnDevice<TYPE>`](OnDevice), [`Cuda`], [`Rocm`], [`Metal`], [`AnyDevice`] | be on such a device: there are pointers, no elements |
//! | [`Convert`] | be such that a copy of it can be made that fits |
//!
//! ```no_run
//! use dlferry_pyo3::argument::{COrder, Convert, Dyn, Extents};
//! use dlferry_pyo3::View;
//!
//! /// Pixels of any height and width, in any order.
//! fn blur(picture: View<'_, u8, 3, Extents<Dyn, Dyn, 3>>) {}
//!
//! /// Numbers of any kind that a 64-bit float holds; a copy where they are of another or lie apart.
//! fn mean(values: View<'_, f64, 1, (COrder, Convert)>) {}
//! ```

mod conversion;
mod device;
mod extents;
mod order;

pub use conversion::Convert;
pub use device::{AnyDevice, Cpu, Cuda, Metal, OnDevice, OnHost, Rocm};
pub use extents::{Dyn, Extents};
pub use order::{COrder, FOrder};

#[doc(hidden)]
pub use conversion::{AnyElement, Conversion, Never};
#[doc(hidden)]
pub use device::{Device, Host};
#[doc(hidden)]
pub use extents::Extent;
#[doc(hidden)]
pub use order::MemoryOrder;

pub(crate) use device::Devices;
pub(crate) use extents::EXTENTS;
pub(crate) use order::Order;

/// A requirement, or a tuple of several. Sealed: those of [this module](self), and no other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no requirement of an array",
    note = "a requirement is one of those in `dlferry_pyo3::argument`, or a tuple of up to four that do not contradict one another"
)]
pub trait Requirement: sealed::Sealed {
    /// The order in memory.
    #[doc(hidden)]
    type Order: MemoryOrder;
    /// The extents.
    #[doc(hidden)]
    type Extents: Extent;
    /// The device.
    #[doc(hidden)]
    type Device: Device;
    /// Whether a copy will do.
    #[doc(hidden)]
    type Conversion;
}

/// What no requirement was made about.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Open(());

/// Two requirements about the same thing, one of which is none.
#[doc(hidden)]
#[diagnostic::on_unimplemented(message = "the requirements `{Self}` and `{Other}` contradict one another")]
pub trait Join<Other> {
    /// The one that is made.
    type Both;
}

impl<Other> Join<Other> for Open {
    type Both = Other;
}

#[allow(unnameable_types, reason = "that nobody outside can name it is what seals `Requirement`")]
mod sealed {
    pub trait Sealed {}
}

use sealed::Sealed;

/// Implements [`Requirement`] for a type that changes one thing.
macro_rules! requirement {
    ([$($generics:tt)*] $name:ty: $($what:ident)*) => {
        impl<$($generics)*> Sealed for $name {}

        impl<$($generics)*> Join<Open> for $name {
            type Both = Self;
        }

        impl<$($generics)*> Requirement for $name {
            requirement!(@ Order $($what)*);
            requirement!(@ Extents $($what)*);
            requirement!(@ Device $($what)*);
            requirement!(@ Conversion $($what)*);
        }
    };
    (@ Order Order) => { type Order = Self; };
    (@ Extents Extents) => { type Extents = Self; };
    (@ Device Device) => { type Device = Self; };
    (@ Conversion Conversion) => { type Conversion = Self; };
    (@ $other:ident $($what:ident)*) => { type $other = Open; };
}

requirement!([] COrder: Order);
requirement!([] FOrder: Order);
requirement!([] Cpu: Device);
requirement!([] AnyDevice: Device);
requirement!([const TYPE: i32] OnDevice<TYPE>: Device);
requirement!([] Convert: Conversion);
requirement!([
    const A: usize, const B: usize, const C: usize, const D: usize,
    const E: usize, const F: usize, const G: usize, const H: usize
] Extents<A, B, C, D, E, F, G, H>: Extents);

impl Sealed for () {}

impl Requirement for () {
    type Order = Open;
    type Extents = Open;
    type Device = Open;
    type Conversion = Open;
}

impl<A: Requirement> Sealed for (A,) {}

impl<A: Requirement> Requirement for (A,) {
    type Order = A::Order;
    type Extents = A::Extents;
    type Device = A::Device;
    type Conversion = A::Conversion;
}

impl<A: Requirement, B: Requirement> Sealed for (A, B) {}

impl<A: Requirement, B: Requirement> Requirement for (A, B)
where
    A::Order: Join<B::Order, Both: MemoryOrder>,
    A::Extents: Join<B::Extents, Both: Extent>,
    A::Device: Join<B::Device, Both: Device>,
    A::Conversion: Join<B::Conversion>,
{
    type Order = <A::Order as Join<B::Order>>::Both;
    type Extents = <A::Extents as Join<B::Extents>>::Both;
    type Device = <A::Device as Join<B::Device>>::Both;
    type Conversion = <A::Conversion as Join<B::Conversion>>::Both;
}

impl<A, B, C> Sealed for (A, B, C) {}

impl<A, B, C> Requirement for (A, B, C)
where
    ((A, B), C): Requirement,
{
    type Order = <((A, B), C) as Requirement>::Order;
    type Extents = <((A, B), C) as Requirement>::Extents;
    type Device = <((A, B), C) as Requirement>::Device;
    type Conversion = <((A, B), C) as Requirement>::Conversion;
}

impl<A, B, C, D> Sealed for (A, B, C, D) {}

impl<A, B, C, D> Requirement for (A, B, C, D)
where
    (((A, B), C), D): Requirement,
{
    type Order = <(((A, B), C), D) as Requirement>::Order;
    type Extents = <(((A, B), C), D) as Requirement>::Extents;
    type Device = <(((A, B), C), D) as Requirement>::Device;
    type Conversion = <(((A, B), C), D) as Requirement>::Conversion;
}
