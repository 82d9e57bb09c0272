//! How numbers are written in what is said of a layout.

use core::fmt;

/// Extents as libraries write a shape: `(3, 2)`, and `(3,)` of one axis.
pub(crate) struct Tuple<'a>(pub(crate) &'a [i64]);

impl fmt::Display for Tuple<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        self.0.iter().enumerate().try_for_each(|(at, extent)| {
            f.write_str(if at == 0 { "" } else { ", " })?;
            extent.fmt(f)
        })?;
        f.write_str(if self.0.len() == 1 { ",)" } else { ")" })
    }
}

/// A number and what is counted: `1 axis`, `2 axes`.
pub(crate) struct Counted<N>(pub(crate) N, pub(crate) &'static str, pub(crate) &'static str);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Counted<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number, one, many) = self;
        write!(f, "{number} {}", if *number == N::from(1) { one } else { many })
    }
}
