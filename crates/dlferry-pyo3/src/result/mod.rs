//! What a function gives back to Python: memory that Rust owns, as the kind of array that the caller wants.
//!
//! | return type | Python gets |
//! | --- | --- |
//! | [`Tensor`] | a tensor that every library takes |
//! | [`Numpy`] | a `numpy.ndarray` |
//! | [`Torch`] | a `torch.Tensor` |
//! | [`Jax`] | a `jax.Array` |
//! | [`Memoryview`] | a `memoryview` |
//! | [`Like`] | whatever an argument was |
//!
//! Each is made of anything that is [`IntoTensor`]: a `Vec`, a `Vec` and a shape, an `Arc`, a type of one's own. The memory
//! is handed on, not copied, and is freed when its last user lets go of it. What others may hold as well, an `Arc<[T]>` or
//! a `&'static [T]`, is read-only for all of them.
//!
//! Nothing is imported before it is needed. A library that is missing is an `ImportError` which names it.
//!
//! # Examples
//!
//! ```no_run
//! use dlferry_pyo3::{Like, Numpy};
//! use pyo3::prelude::*;
//!
//! /// The first numbers, an array of NumPy's.
//! #[pyfunction]
//! fn count(until: u32) -> Numpy<Vec<u32>> {
//!     Numpy((0..until).collect())
//! }
//!
//! /// The identity matrix, of the library that `like` is of.
//! #[pyfunction]
//! fn identity<'py>(like: &Bound<'py, PyAny>, size: usize) -> PyResult<Like<'py, f32>> {
//!     let mut ones = vec![0.0; size * size];
//!     ones.iter_mut().step_by(size + 1).for_each(|one| *one = 1.0);
//!     Like::of(like, (ones, [size, size]))
//! }
//! ```

mod data;
mod like;
mod release;

use pyo3::prelude::*;

use crate::tensor::{Tensor, hand_on};

pub use data::{Extents, IntoTensor, OwnedData};
pub use like::{Like, Origin};

/// The data as a tensor that Python has.
fn of(py: Python<'_>, data: impl IntoTensor) -> PyResult<Bound<'_, Tensor>> {
    Bound::new(py, data.into_tensor()?)
}

/// Makes a result type: a wrapper and how it becomes a Python object.
macro_rules! results {
    ($($(#[$doc:meta])* $name:ident => $convert:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<X>(
            /// The data.
            pub X,
        );

        impl<'py, X: IntoTensor> IntoPyObject<'py> for $name<X> {
            type Target = PyAny;
            type Output = Bound<'py, PyAny>;
            type Error = PyErr;

            fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                let convert: fn(X, Python<'py>) -> PyResult<Bound<'py, PyAny>> = $convert;
                convert(self.0, py)
            }
        }
    )*};
}

results! {
    /// A result that becomes a `numpy.ndarray`. Elements of a type that NumPy has only with `ml_dtypes` need that.
    Numpy => X::into_ndarray;

    /// A result that becomes a `torch.Tensor`.
    ///
    /// PyTorch has no read-only tensors, so read-only data is refused with `BufferError`; and no negative strides, so data
    /// that has some is copied.
    Torch => |data, py| hand_on::give(&of(py, data)?, "torch");

    /// A result that becomes a `jax.Array`. JAX copies what is not aligned to 64 bytes; what has gaps is copied for it.
    Jax => |data, py| hand_on::give(&of(py, data)?, "jax");

    /// A result that becomes a `memoryview`. Elements without a buffer format, such as bfloat16, are refused with
    /// `BufferError`.
    Memoryview => |data, py| hand_on::memoryview(&of(py, data)?);
}
