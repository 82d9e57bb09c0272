use dlferry::layout::Layout;

use super::Open;

/// The last axis is the fastest, and there are no gaps: row-major.
#[derive(Clone, Copy, Debug)]
pub struct COrder(());

/// The first axis is the fastest, and there are no gaps: column-major.
#[derive(Clone, Copy, Debug)]
pub struct FOrder(());

/// An order in memory, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Any,
    C,
    F,
}

impl Order {
    #[inline]
    pub(crate) fn fits(self, layout: &Layout) -> bool {
        match self {
            Self::Any => true,
            Self::C => layout.is_c_contiguous(),
            Self::F => layout.is_f_contiguous(),
        }
    }
}

/// An order in memory, as a type.
#[doc(hidden)]
#[allow(private_interfaces, reason = "what it is made of is nobody's business outside")]
pub trait MemoryOrder {
    #[doc(hidden)]
    const ORDER: Order;
}

#[allow(private_interfaces, reason = "as for the trait")]
impl MemoryOrder for Open {
    const ORDER: Order = Order::Any;
}

#[allow(private_interfaces, reason = "as for the trait")]
impl MemoryOrder for COrder {
    const ORDER: Order = Order::C;
}

#[allow(private_interfaces, reason = "as for the trait")]
impl MemoryOrder for FOrder {
    const ORDER: Order = Order::F;
}
