//! Functions that look at an array.

use dlferry_pyo3::argument::{AnyDevice, COrder, Convert, Cuda, Dyn, Extents, FOrder, OnHost, Requirement};
use dlferry_pyo3::dlferry::abi::DLDataType;
use dlferry_pyo3::dlferry::element::{Element, F8E4M3Fn, Scalar, assert_element};
use dlferry_pyo3::{AnyView, IntoPyErr, Tensor, View};
use half::{bf16, f16};
use num_complex::Complex;
use pyo3::prelude::*;

/// Shape, strides, address, values.
type Seen<T> = (Vec<i64>, Vec<i64>, usize, Vec<T>);

fn seen<T: Element, const N: usize, W: OnHost>(view: &View<'_, T, N, W>) -> PyResult<Seen<T>> {
    let values = view.to_vec()?;
    assert_eq!(values.len(), view.size());
    assert_eq!(view.iter().len(), view.size());
    assert_eq!(view.ndim(), view.shape().len());
    assert_eq!(view.is_empty(), values.is_empty());
    Ok((view.shape().to_vec(), view.strides().to_vec(), view.data_ptr().addr(), values))
}

/// A function for each element type: `see_f32(x)`, of any rank.
macro_rules! see {
    ($($name:ident: $element:ty),* $(,)?) => {
        $(
            #[pyfunction]
            fn $name(x: View<'_, $element, Dyn>) -> PyResult<Seen<$element>> {
                seen(&x)
            }
        )*

        fn register_see(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(())
        }
    };
}

see! {
    see_i8: i8, see_i16: i16, see_i32: i32, see_i64: i64, see_u8: u8, see_u16: u16, see_u32: u32, see_u64: u64,
    see_f32: f32, see_f64: f64, see_bool: bool,
}

#[pyfunction]
fn see_float8(x: View<'_, F8E4M3Fn, 1>) -> Vec<f64> {
    x.iter().map(f64::from).collect()
}

/// A type of one's own.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Celsius(f32);

// SAFETY: 1 to 5 hold as they do for `f32`, of which this is a transparent wrapper.
unsafe impl Element for Celsius {
    type Raw = f32;
    const DTYPE: DLDataType = DLDataType::F32;
    const ALL_BITS_VALID: bool = true;
    fn from_raw(raw: f32) -> Self {
        Self(raw)
    }
    fn to_raw(self) -> f32 {
        self.0
    }
    fn is_valid(_: &f32) -> bool {
        true
    }
}
const _: () = assert_element::<Celsius>();

#[pyfunction]
fn see_own(x: View<'_, Celsius, 1>) -> PyResult<Vec<f32>> {
    Ok(x.as_slice()?.iter().map(|degrees| degrees.0).collect())
}

#[pyfunction]
fn see_2d(x: View<'_, f32, 2>) -> PyResult<Seen<f32>> {
    seen(&x)
}

#[pyfunction]
fn see_0d(x: View<'_, f32, 0>) -> Option<f32> {
    let none: [usize; 0] = [];
    x.get(none)
}

#[pyfunction]
fn see_c(x: View<'_, f32, 2, COrder>) -> PyResult<Vec<f32>> {
    x.as_slice().map(<[f32]>::to_vec)
}

#[pyfunction]
fn see_f(x: View<'_, f32, 2, FOrder>) -> PyResult<Seen<f32>> {
    seen(&x)
}

#[pyfunction]
fn see_pixels(x: View<'_, u8, 3, Extents<Dyn, Dyn, 3>>) -> PyResult<Seen<u8>> {
    seen(&x)
}

#[pyfunction]
fn see_pairs(x: View<'_, f32, Dyn, (Extents<2>, COrder)>) -> PyResult<Seen<f32>> {
    seen(&x)
}

#[pyfunction]
fn see_option(x: Option<View<'_, f32, 1>>) -> PyResult<Option<Vec<f32>>> {
    x.map(|x| x.to_vec()).transpose()
}

#[pyfunction]
fn see_slice(x: View<'_, f32, Dyn>) -> PyResult<Vec<f32>> {
    x.as_slice().map(<[f32]>::to_vec)
}

#[pyfunction]
fn see_bool_slice(x: View<'_, bool, Dyn>) -> PyResult<Vec<bool>> {
    x.as_slice().map(<[bool]>::to_vec)
}

#[pyfunction]
fn see_at(x: View<'_, f32, Dyn>, index: Vec<usize>) -> Option<f32> {
    x.get(index)
}

#[pyfunction]
fn see_copied(x: View<'_, f32, Dyn>, room: usize) -> PyResult<Vec<f32>> {
    let mut target = vec![0.0; room];
    x.copy_to(&mut target)?;
    Ok(target)
}

fn place<T: Element, const N: usize, W: Requirement>(x: &View<'_, T, N, W>) -> (Vec<i64>, usize, String) {
    (x.shape().to_vec(), x.data_ptr().addr(), x.device().to_string())
}

#[pyfunction]
fn see_cuda(x: View<'_, f32, 2, Cuda>) -> (Vec<i64>, usize, String) {
    place(&x)
}

#[pyfunction]
fn see_anywhere(x: View<'_, f32, 2, AnyDevice>) -> (Vec<i64>, usize, String) {
    place(&x)
}

/// Whatever it is: dtype, shape, device, address, first value.
#[pyfunction]
fn see_any(x: AnyView<'_>) -> (String, Vec<i64>, String, usize, Option<String>) {
    let origin = vec![0; x.ndim()];
    let first = x.scalar(&origin).ok().flatten().map(|scalar| match scalar {
        Scalar::Float(value) => value.to_string(),
        other => format!("{other:?}"),
    });
    (x.dtype().to_string(), x.shape().to_vec(), x.device().to_string(), x.data_ptr().addr(), first)
}

#[pyfunction]
fn see_narrowed(x: AnyView<'_>) -> PyResult<Seen<f32>> {
    let view: View<'_, f32, 2> = x.into_view()?;
    seen(&view)
}

#[pyfunction]
fn see_converted(x: View<'_, f64, Dyn, Convert>) -> PyResult<Seen<f64>> {
    seen(&x)
}

#[pyfunction]
fn see_converted_c(x: View<'_, f32, 2, (COrder, Convert)>) -> PyResult<(usize, Vec<f32>)> {
    Ok((x.data_ptr().addr(), x.as_slice()?.to_vec()))
}

#[pyfunction]
fn see_converted_f(x: View<'_, f32, 2, (Convert, FOrder)>) -> PyResult<Seen<f32>> {
    seen(&x)
}

#[pyfunction]
fn see_converted_i8(x: View<'_, i8, Dyn, Convert>) -> PyResult<Seen<i8>> {
    seen(&x)
}

#[pyfunction]
fn see_converted_bool(x: View<'_, bool, Dyn, Convert>) -> PyResult<Vec<bool>> {
    x.as_slice().map(<[bool]>::to_vec)
}

/// What converts to elements that Python lacks, as the widest that it has.
macro_rules! see_converted {
    ($($name:ident: $element:ty => $seen:ty, $see:expr;)*) => {
        $(
            #[pyfunction]
            fn $name(x: View<'_, $element, Dyn, Convert>) -> (usize, Vec<$seen>) {
                let see: fn($element) -> $seen = $see;
                (x.data_ptr().addr(), x.iter().map(see).collect())
            }
        )*

        fn register_converted(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(())
        }
    };
}

see_converted! {
    see_converted_f16: f16 => f64, f64::from;
    see_converted_bf16: bf16 => f64, f64::from;
    see_converted_c32: Complex<f16> => (f64, f64), |value| (value.re.into(), value.im.into());
    see_converted_c64: Complex<f32> => (f64, f64), |value| (value.re.into(), value.im.into());
    see_converted_c128: Complex<f64> => (f64, f64), |value| (value.re, value.im);
}

#[pyfunction]
fn see_f16(x: View<'_, f16, Dyn>) -> Vec<f32> {
    x.iter().map(f32::from).collect()
}

#[pyfunction]
fn see_bf16(x: View<'_, bf16, Dyn>) -> Vec<f32> {
    x.iter().map(f32::from).collect()
}

#[pyfunction]
fn see_c64(x: View<'_, Complex<f32>, Dyn>) -> Vec<(f32, f32)> {
    x.iter().map(|value| (value.re, value.im)).collect()
}

/// An array of any dtype in C order: whether that is a copy, its address and the array as Python has it.
#[pyfunction]
fn see_in_order(x: AnyView<'_, (COrder, Convert)>) -> PyResult<(bool, usize, Tensor)> {
    Ok((x.is_copy(), x.data_ptr().addr(), x.into_owned()?))
}

/// An array that is converted: whether it is a copy.
#[pyfunction]
fn see_is_copy(x: View<'_, f64, Dyn, Convert>) -> bool {
    x.is_copy()
}

#[pyfunction]
fn own(x: View<'_, f32, Dyn>) -> PyResult<Tensor> {
    x.into_owned()
}

#[pyfunction]
fn own_any(x: AnyView<'_, AnyDevice>) -> PyResult<Tensor> {
    x.into_owned()
}

/// A private copy.
#[pyfunction]
fn duplicate(x: AnyView<'_>) -> PyResult<Tensor> {
    use dlferry_pyo3::dlferry::managed::Tensor as Managed;

    Ok(Managed::copy_of(x.view()).map_err(IntoPyErr::into_py_err)?.into())
}

#[pyfunction]
fn debug(x: View<'_, f32, Dyn>) -> String {
    format!("{x:?}")
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_see(module)?;
    register_converted(module)?;
    module.add_function(wrap_pyfunction!(see_f16, module)?)?;
    module.add_function(wrap_pyfunction!(see_bf16, module)?)?;
    module.add_function(wrap_pyfunction!(see_c64, module)?)?;
    module.add_function(wrap_pyfunction!(see_in_order, module)?)?;
    module.add_function(wrap_pyfunction!(see_is_copy, module)?)?;
    module.add_function(wrap_pyfunction!(see_float8, module)?)?;
    module.add_function(wrap_pyfunction!(see_own, module)?)?;
    module.add_function(wrap_pyfunction!(see_2d, module)?)?;
    module.add_function(wrap_pyfunction!(see_0d, module)?)?;
    module.add_function(wrap_pyfunction!(see_c, module)?)?;
    module.add_function(wrap_pyfunction!(see_f, module)?)?;
    module.add_function(wrap_pyfunction!(see_pixels, module)?)?;
    module.add_function(wrap_pyfunction!(see_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(see_option, module)?)?;
    module.add_function(wrap_pyfunction!(see_slice, module)?)?;
    module.add_function(wrap_pyfunction!(see_bool_slice, module)?)?;
    module.add_function(wrap_pyfunction!(see_at, module)?)?;
    module.add_function(wrap_pyfunction!(see_copied, module)?)?;
    module.add_function(wrap_pyfunction!(see_cuda, module)?)?;
    module.add_function(wrap_pyfunction!(see_anywhere, module)?)?;
    module.add_function(wrap_pyfunction!(see_any, module)?)?;
    module.add_function(wrap_pyfunction!(see_narrowed, module)?)?;
    module.add_function(wrap_pyfunction!(see_converted, module)?)?;
    module.add_function(wrap_pyfunction!(see_converted_c, module)?)?;
    module.add_function(wrap_pyfunction!(see_converted_f, module)?)?;
    module.add_function(wrap_pyfunction!(see_converted_i8, module)?)?;
    module.add_function(wrap_pyfunction!(see_converted_bool, module)?)?;
    module.add_function(wrap_pyfunction!(own, module)?)?;
    module.add_function(wrap_pyfunction!(own_any, module)?)?;
    module.add_function(wrap_pyfunction!(duplicate, module)?)?;
    module.add_function(wrap_pyfunction!(debug, module)?)
}
