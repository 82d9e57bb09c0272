//! `Crafted`: the recipe as a Python class.

use dlferry::abi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::capsule::{self, Name};
use crate::Crafted;

/// A recipe for managed tensors over a copy of `data`, each field of which may be set to anything.
///
/// `shape=None` and `strides=None` are NULL pointers. `ndim` overrides the length of the shape; arrays shorter than it
/// are filled up with ones. `address` replaces the data pointer, `misalign` moves the data to that many bytes past a
/// multiple of 64. `poison` lets the deleter overwrite everything with 0xDD and free nothing, `leak` lets it only
/// count; without either it frees. All tensors of a recipe share its memory.
#[pyclass(name = "Crafted", frozen, module = "dlferry_testing")]
pub(super) struct Recipe(pub(super) Crafted);

#[pymethods]
impl Recipe {
    #[new]
    #[pyo3(signature = (data, *, shape, code=2, bits=32, lanes=1, strides=None, ndim=None, byte_offset=0,
        device=(1, 0), flags=0, version=(1, 3), null_data=false, address=None, null_deleter=false, poison=false,
        leak=false, misalign=0))]
    #[allow(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "keywords of a Python constructor, one for each field"
    )]
    fn new(
        data: &[u8],
        shape: Option<Vec<i64>>,
        code: u8,
        bits: u8,
        lanes: u16,
        strides: Option<Vec<i64>>,
        ndim: Option<i32>,
        byte_offset: u64,
        device: (i32, i32),
        flags: u64,
        version: (u32, u32),
        null_data: bool,
        address: Option<usize>,
        null_deleter: bool,
        poison: bool,
        leak: bool,
        misalign: usize,
    ) -> PyResult<Self> {
        if poison && leak {
            return Err(PyValueError::new_err("poison and leak exclude each other"));
        }
        let mut recipe = Crafted::new(data)
            .dtype(DLDataType { code: DLDataTypeCode(code), bits, lanes })
            .device(DLDevice { device_type: DLDeviceType(device.0), device_id: device.1 })
            .byte_offset(byte_offset)
            .flags(flags)
            .version(version.0, version.1)
            .misalign(misalign);
        recipe.shape = shape;
        recipe.strides = strides;
        recipe.ndim = ndim;
        if let Some(address) = address.or(null_data.then_some(0)) {
            recipe = recipe.address(address);
        }
        recipe = if null_deleter { recipe.null_deleter() } else { recipe };
        recipe = if poison { recipe.poison() } else { recipe };
        recipe = if leak { recipe.leak() } else { recipe };
        Ok(Self(recipe))
    }

    /// Makes a new tensor in a new capsule, whose destructor deletes it while the name is the one given here.
    ///
    /// A capsule born with a `used_` name deletes nothing.
    #[pyo3(signature = (versioned=true, name=None, *, null_name=false))]
    fn capsule<'py>(
        &self,
        py: Python<'py>,
        versioned: bool,
        name: Option<&str>,
        null_name: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name = match name {
            _ if null_name => Name::Null,
            Some(text) => Name::Other(text),
            None => Name::Right,
        };
        capsule::craft(py, &self.0, versioned, name)
    }

    /// The calls of the deleter so far: dicts of `thread`, `attached`, `pending`, `absent` and `original`.
    ///
    /// `absent` says that there was no interpreter any more, `original` that the pointer was the producer's own.
    #[getter]
    fn deleter_calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let calls = PyList::empty(py);
        for call in self.0.record().calls() {
            let fields = PyDict::new(py);
            fields.set_item("thread", call.thread)?;
            fields.set_item("attached", call.interpreter.attached())?;
            fields.set_item("pending", call.interpreter.pending())?;
            fields.set_item("absent", call.interpreter == crate::Interpreter::Absent)?;
            fields.set_item("original", call.original)?;
            calls.append(fields)?;
        }
        Ok(calls)
    }

    /// What the field `data` holds.
    #[getter]
    fn address(&self) -> usize {
        self.0.data().addr()
    }

    /// Returns the recipe's bytes as they are now.
    fn read<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.read())
    }
}
