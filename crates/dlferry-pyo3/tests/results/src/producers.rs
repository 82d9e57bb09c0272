//! Classes of a user's own that have the protocol.

use std::sync::atomic::{AtomicUsize, Ordering};

use dlferry_pyo3::protocol::{Request, import};
use dlferry_pyo3::{Producer, Tensor, producer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::counted::Counted;

/// Squares that are computed when somebody first wants them.
#[pyclass(frozen)]
struct Squares {
    count: u32,
    values: PyOnceLock<Tensor>,
    computed: AtomicUsize,
}

impl Producer for Squares {
    fn tensor(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        let (this, py) = (slf.get(), slf.py());
        let values = this.values.get_or_try_init(py, || {
            this.computed.fetch_add(1, Ordering::SeqCst);
            let squares: Vec<u64> = (0..this.count).map(|number| u64::from(number).pow(2)).collect();
            Tensor::of(squares)
        });
        Ok(values?.clone_ref(py))
    }
}

#[producer]
#[pymethods]
impl Squares {
    #[new]
    fn new(count: u32) -> Self {
        Self { count, values: PyOnceLock::new(), computed: AtomicUsize::new(0) }
    }

    /// How often the squares were computed.
    #[getter]
    fn computed(&self) -> usize {
        self.computed.load(Ordering::SeqCst)
    }
}

/// Whatever array it was given last; a class that changes and has subclasses.
#[pyclass(subclass)]
struct Slot {
    held: Option<Tensor>,
}

impl Producer for Slot {
    fn tensor(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        let this = slf.try_borrow()?;
        let held = this.held.as_ref().ok_or_else(|| PyValueError::new_err("the slot is empty"))?;
        Ok(held.clone_ref(slf.py()))
    }
}

#[producer(crate = "dlferry_pyo3")]
#[pymethods]
impl Slot {
    #[new]
    #[pyo3(signature = (array=None))]
    fn new(array: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut slot = Self { held: None };
        slot.put(array)?;
        Ok(slot)
    }

    /// Holds another array, or none.
    #[pyo3(signature = (array=None))]
    fn put(&mut self, array: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.held = array.map(|array| import(array, &Request::default())).transpose()?;
        Ok(())
    }

    /// Holds memory that is counted while it is there.
    fn count(&mut self) -> PyResult<()> {
        self.held = Some(Tensor::of(Counted::new())?);
        Ok(())
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Squares>()?;
    module.add_class::<Slot>()
}
