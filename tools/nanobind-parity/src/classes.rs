//! Classes that have arrays.

use dlferry_pyo3::dlferry::export::Export;
use dlferry_pyo3::dlferry::layout::Layout;
use dlferry_pyo3::{Dyn, IntoPyErr, Numpy, Producer, Tensor, View, ViewMut, producer};
use pyo3::prelude::*;

use crate::argument::Arg;
use crate::results::Counted;

/// Ten numbers, which are counted when they go.
#[pyclass(frozen)]
struct Cls {
    data: Tensor,
}

#[pymethods]
impl Cls {
    #[new]
    fn new() -> PyResult<Self> {
        let numbers = (0_u8..10).map(f32::from).collect();
        Ok(Self { data: Tensor::of(Export::writable(Counted(numbers)))? })
    }

    /// A copy.
    fn f1(&self, py: Python<'_>) -> PyResult<Numpy<Vec<f32>>> {
        Ok(Numpy(self.data.typed(py)?.to_vec()?))
    }

    /// The numbers themselves.
    fn f2(&self, py: Python<'_>) -> Numpy<Tensor> {
        Numpy(self.data.clone_ref(py))
    }

    fn f1_ri(&self, py: Python<'_>) -> Numpy<Tensor> {
        self.f2(py)
    }

    fn f2_ri(&self, py: Python<'_>) -> Numpy<Tensor> {
        self.f2(py)
    }
}

/// Four by four numbers.
#[pyclass(frozen)]
struct Matrix4f {
    m: Tensor,
}

#[pymethods]
impl Matrix4f {
    #[new]
    fn new() -> PyResult<Self> {
        let layout = Layout::new(&[4, 4], &[1, 4]).map_err(IntoPyErr::into_py_err)?;
        Ok(Self { m: Tensor::of(Export::writable([0.0_f32; 16]).layout(layout, 0))? })
    }

    /// The numbers, for reading and writing.
    fn data(&self, py: Python<'_>) -> Numpy<Tensor> {
        Numpy(self.m.clone_ref(py))
    }

    /// The numbers, for reading and writing.
    fn data_ref(&self, py: Python<'_>) -> Numpy<Tensor> {
        self.data(py)
    }

    fn data_copy(&self, py: Python<'_>) -> PyResult<Numpy<(Vec<f32>, [i64; 2])>> {
        Ok(Numpy((self.m.typed(py)?.to_vec()?, [4, 4])))
    }
}

/// Keeps an array.
#[pyclass(frozen)]
struct Wrapper {
    kept: Tensor,
}

#[pymethods]
impl Wrapper {
    #[new]
    fn new(value: Arg<View<'_, f32, Dyn>>) -> PyResult<Self> {
        Ok(Self { kept: value.0.into_owned()? })
    }

    #[getter]
    fn value(&self, py: Python<'_>) -> Numpy<Tensor> {
        Numpy(self.kept.clone_ref(py))
    }
}

/// An array of its own.
#[pyclass(frozen)]
struct MyArray {
    d: Tensor,
}

impl Producer for MyArray {
    fn tensor(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        Ok(slf.get().d.clone_ref(slf.py()))
    }
}

#[producer]
#[pymethods]
impl MyArray {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(Self { d: Tensor::of(vec![0.0, 1.0, 2.0, 3.0, 4.0])? })
    }

    /// Writes where others may look: borrowed, as any argument would be.
    fn mutate(slf: &Bound<'_, Self>) -> PyResult<()> {
        slf.as_any().extract::<ViewMut<'_, f64, 1>>()?.apply(|value| value + 0.5);
        Ok(())
    }

    fn array_api(&self, py: Python<'_>) -> Tensor {
        self.d.clone_ref(py)
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Cls>()?;
    module.add_class::<Matrix4f>()?;
    module.add_class::<Wrapper>()?;
    module.add_class::<MyArray>()
}
