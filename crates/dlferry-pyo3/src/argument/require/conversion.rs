use dlferry::copy::Order as CopyOrder;
use dlferry::element::{Element, FromScalar};
use dlferry::managed::Tensor as Managed;
use dlferry::view::TensorView;
use pyo3::prelude::*;

use super::Open;
use crate::argument::convert;

/// A copy will do, where the array is of another dtype, in another order or cannot be described.
///
/// A kind of number goes to a kind that holds it ([`FromScalar`]): booleans to all, integers to integers in which they
/// fit and to floats, floats to floats. Nothing of a copy can be written, so there is no [`ViewMut`](crate::ViewMut) that
/// converts. An [`AnyView`](crate::AnyView), which takes any elements, has a copy of them as they are.
#[derive(Clone, Copy, Debug)]
pub struct Convert(());

/// How elements of `T` are made of others.
#[doc(hidden)]
pub trait Conversion<T> {
    /// Whether a copy will do.
    #[doc(hidden)]
    const IS_ALLOWED: bool;

    /// Makes the copy.
    #[doc(hidden)]
    fn convert(view: TensorView<'_>, order: CopyOrder) -> PyResult<Managed>;
}

/// No copy will do.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "what is written to a copy is lost, so a `ViewMut` does not convert",
    note = "take the array as it is, without `Convert`"
)]
pub trait Never {}

impl Never for Open {}

/// Elements of any dtype, which stay what they are.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct AnyElement(());

impl Conversion<AnyElement> for Open {
    const IS_ALLOWED: bool = false;

    fn convert(view: TensorView<'_>, order: CopyOrder) -> PyResult<Managed> {
        convert::copy(view, order)
    }
}

impl Conversion<AnyElement> for Convert {
    const IS_ALLOWED: bool = true;

    fn convert(view: TensorView<'_>, order: CopyOrder) -> PyResult<Managed> {
        convert::copy(view, order)
    }
}

impl<T: Element> Conversion<T> for Open {
    const IS_ALLOWED: bool = false;

    fn convert(view: TensorView<'_>, order: CopyOrder) -> PyResult<Managed> {
        convert::copy(view, order)
    }
}

impl<T: FromScalar> Conversion<T> for Convert {
    const IS_ALLOWED: bool = true;

    fn convert(view: TensorView<'_>, order: CopyOrder) -> PyResult<Managed> {
        convert::convert::<T>(view, order)
    }
}
