//! A class of its own that every library takes as an array.

use dlferry_pyo3::{Producer, Tensor, producer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A test picture of black and white tiles, one byte for each pixel.
///
/// It is painted when somebody first takes it as an array, by `numpy.from_dlpack`, `torch.from_dlpack`, `memoryview` ...
#[pyclass(frozen, module = "pictures")]
pub(crate) struct Checkerboard {
    height: usize,
    width: usize,
    tile: usize,
    pixels: PyOnceLock<Tensor>,
}

/// Which memory others get.
impl Producer for Checkerboard {
    fn tensor(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        let (this, py) = (slf.get(), slf.py());
        Ok(this.pixels.get_or_try_init(py, || this.paint())?.clone_ref(py))
    }
}

// The attribute adds __dlpack__, __dlpack_device__, the C exchange API and the buffer protocol.
#[producer]
#[pymethods]
impl Checkerboard {
    #[new]
    #[pyo3(signature = (height, width, tile=8))]
    fn new(height: usize, width: usize, tile: usize) -> PyResult<Self> {
        if tile == 0 {
            return Err(PyValueError::new_err("a tile has at least one pixel"));
        }
        Ok(Self { height, width, tile, pixels: PyOnceLock::new() })
    }

    /// Whether it was painted yet.
    #[getter]
    fn painted(&self, py: Python<'_>) -> bool {
        self.pixels.get(py).is_some()
    }
}

impl Checkerboard {
    fn paint(&self) -> PyResult<Tensor> {
        let is_white = |row: usize, column: usize| (row / self.tile + column / self.tile) % 2 == 1;
        let rows = (0..self.height).flat_map(|row| (0..self.width).map(move |column| (row, column)));
        let pixels: Vec<u8> = rows.map(|(row, column)| if is_white(row, column) { 255 } else { 0 }).collect();
        Tensor::of((pixels, [self.height, self.width]))
    }
}
