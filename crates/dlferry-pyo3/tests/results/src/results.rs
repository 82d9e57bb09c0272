//! Every kind of data as every kind of result.

use std::sync::Arc;

use dlferry_pyo3::dlferry::export::Export;
use dlferry_pyo3::dlferry::managed::Tensor as Managed;
use dlferry_pyo3::{IntoTensor, Jax, Like, Memoryview, Numpy, Tensor, Torch};
use half::{bf16, f16};
use ndarray::{ArrayD, Axis, arr0, array};
use num_complex::Complex;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::counted::Counted;

/// What a result shall become.
struct Target<'a, 'py> {
    name: &'a str,
    like: Option<&'a Bound<'py, PyAny>>,
    py: Python<'py>,
}

impl<'py> Target<'_, 'py> {
    fn make<X: IntoTensor>(&self, data: X) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match (self.name, self.like) {
            ("tensor", _) => Ok(Bound::new(py, Tensor::of(data)?)?.into_any()),
            ("numpy", _) => Numpy(data).into_pyobject(py),
            ("torch", _) => Torch(data).into_pyobject(py),
            ("jax", _) => Jax(data).into_pyobject(py),
            ("memoryview", _) => Memoryview(data).into_pyobject(py),
            ("like", Some(like)) => Like::of(like, data)?.into_pyobject(py),
            (name, _) => Err(PyValueError::new_err(format!("{name} is no target"))),
        }
    }
}

/// The numbers 0 to 5, from what `data` names, as what `target` names.
#[pyfunction]
#[pyo3(signature = (data, target="tensor", like=None))]
fn give<'py>(
    py: Python<'py>,
    data: &str,
    target: &str,
    like: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    static NUMBERS: [i32; 6] = [0, 1, 2, 3, 4, 5];
    let target = Target { name: target, like, py };
    let numbers = NUMBERS.to_vec();
    let matrix = || array![[0, 1, 2], [3, 4, 5]];
    match data {
        "vec" => target.make(numbers),
        "box" => target.make(numbers.into_boxed_slice()),
        "array" => target.make(NUMBERS),
        "arc" => target.make(Arc::<[i32]>::from(numbers)),
        "arc vec" => target.make(Arc::new(numbers)),
        "static" => target.make(&NUMBERS[..]),
        "shaped vec" => target.make((numbers, [2, 3])),
        "shaped arc" => target.make((Arc::<[i32]>::from(numbers), vec![2_i64, 3])),
        "shaped static" => target.make((&NUMBERS[..], [2_usize, 3].as_slice())),
        "export" => target.make(Export::read_only(numbers).shape(&[2, 3])),
        "managed" => {
            target.make(Managed::try_from(matrix()).map_err(|error| PyValueError::new_err(error.to_string()))?)
        }
        "class" => target.make(Tensor::of(matrix())?),
        "ndarray" => target.make(matrix()),
        "ndarray reversed" => {
            let mut reversed = array![[5, 4, 3], [2, 1, 0]];
            reversed.invert_axis(Axis(0));
            reversed.invert_axis(Axis(1));
            target.make(reversed)
        }
        "ndarray transposed" => target.make(array![[0, 3], [1, 4], [2, 5]].reversed_axes()),
        "ndarray shared" => target.make(matrix().into_shared()),
        "ndarray no axes" => target.make(arr0(7)),
        "ndarray empty" => target.make(ArrayD::<i32>::zeros(vec![2, 0, 3])),
        "counted" => target.make(Counted::new()),
        other => Err(PyValueError::new_err(format!("{other} is no data"))),
    }
}

/// The numbers 0 and 1 as elements of a dtype.
#[pyfunction]
#[pyo3(signature = (dtype, target="tensor", like=None))]
fn elements<'py>(
    py: Python<'py>,
    dtype: &str,
    target: &str,
    like: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let target = Target { name: target, like, py };
    match dtype {
        "bool" => target.make(vec![false, true]),
        "int8" => target.make(vec![0_i8, 1]),
        "int16" => target.make(vec![0_i16, 1]),
        "int32" => target.make(vec![0_i32, 1]),
        "int64" => target.make(vec![0_i64, 1]),
        "uint8" => target.make(vec![0_u8, 1]),
        "uint16" => target.make(vec![0_u16, 1]),
        "uint32" => target.make(vec![0_u32, 1]),
        "uint64" => target.make(vec![0_u64, 1]),
        "float16" => target.make(vec![f16::ZERO, f16::ONE]),
        "bfloat16" => target.make(vec![bf16::ZERO, bf16::ONE]),
        "float32" => target.make(vec![0_f32, 1.0]),
        "float64" => target.make(vec![0_f64, 1.0]),
        "complex64" => target.make(vec![Complex::new(0_f32, 0.0), Complex::new(1.0, 0.0)]),
        "complex128" => target.make(vec![Complex::new(0_f64, 0.0), Complex::new(1.0, 0.0)]),
        other => Err(PyValueError::new_err(format!("{other} is no dtype here"))),
    }
}

/// As many zeros, of a shape that may not fit them.
#[pyfunction]
fn shaped(count: usize, shape: Vec<i64>) -> PyResult<Tensor> {
    Tensor::of((vec![0_u8; count], shape))
}

/// The same, as those write who count with `usize`.
#[pyfunction]
fn shaped_unsigned(count: usize, shape: Vec<usize>) -> PyResult<Tensor> {
    Tensor::of((vec![0_u8; count], shape))
}

/// The numbers 0 to 2 as an array of a library by its name.
#[pyfunction]
fn in_library<'py>(py: Python<'py>, name: &str) -> PyResult<Like<'py, f32>> {
    Like::library(py, name, vec![0.0, 1.0, 2.0])
}

/// Written as a user would: return types alone.
#[pyfunction]
fn first_numbers(until: u32) -> Numpy<Vec<u32>> {
    Numpy((0..until).collect())
}

/// Written as a user would, with what may fail.
#[pyfunction]
fn zeros_like<'py>(array: &Bound<'py, PyAny>, size: usize) -> PyResult<Like<'py, f32>> {
    Like::of(array, (vec![0.0; size], [size, 1]))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(give, module)?)?;
    module.add_function(wrap_pyfunction!(elements, module)?)?;
    module.add_function(wrap_pyfunction!(in_library, module)?)?;
    module.add_function(wrap_pyfunction!(shaped, module)?)?;
    module.add_function(wrap_pyfunction!(shaped_unsigned, module)?)?;
    module.add_function(wrap_pyfunction!(first_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(zeros_like, module)?)
}
