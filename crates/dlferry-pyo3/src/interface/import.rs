use core::ptr;

use dlferry::abi::{DLDevice, DLDeviceType};
use dlferry::element::notation::parse_typestr;
use dlferry::managed::DescribeError;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::buffer::Flat;
use crate::error::{CopyRequiredError, IntoPyErr, broken};
use crate::memory::{Keep, Memory};
use crate::once::interned;
use crate::protocol::Request;
use crate::python::{name_of_type, offered};
use crate::tensor::{Source, Tensor};

/// Takes host memory that `__array_interface__` describes; `None` when the object has none.
pub(crate) fn host(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Option<Tensor>> {
    let py = object.py();
    let Some(interface) = offered(object, interned!(py, "__array_interface__"))? else {
        return Ok(None);
    };
    let interface = Interface::of(&interface)?;
    let data = interface.get(interned!(py, "data"))?;
    if let Some(Ok(pair)) = data.as_ref().map(|data| data.cast::<PyTuple>()) {
        let memory = interface.memory(pair, DLDevice::CPU)?;
        // The interface may hold what keeps the memory alive, so it is kept beside the object.
        let keep = Keep::new(PyTuple::new(py, [object, interface.0.as_any()])?.as_any());
        // SAFETY: the object says so of memory that lives as long as it does (assumption P1).
        return unsafe { memory.into_tensor(py, keep, request, Source::ArrayInterface, Some(object)) }.map(Some);
    }
    // No address: the memory is the buffer of another object, or of this one.
    let flat = Flat::of(data.as_ref().unwrap_or(object))?;
    let memory = interface.memory_in(&flat)?;
    // SAFETY: within the bytes of the buffer, checked; they are there until it is released (assumption P1).
    let tensor = unsafe { memory.into_tensor(py, flat, request, Source::ArrayInterface, Some(object)) }?;
    match data {
        Some(data) if !data.is(object) => of_another(&data, tensor, request).map(Some),
        _ => Ok(Some(tensor)),
    }
}

/// A tensor in the buffer of another object than the array. It may have been made for the answer, as that of an image of
/// Pillow's is, or be what the array lives in; nobody can tell.
fn of_another(data: &Bound<'_, PyAny>, tensor: Tensor, request: &Request) -> PyResult<Tensor> {
    if request.copy == Some(false) {
        let kind = name_of_type(data);
        return Err(CopyRequiredError::new_err(
            data.py(),
            format!(
                "the array interface's data is an object of type {kind}, which may be a copy made for this answer{}",
                request.forbids_a_copy()
            ),
        ));
    }
    Ok(tensor.of_unknown_origin())
}

/// Takes device memory that `__cuda_array_interface__` describes; `None` when the object has none.
///
/// The interface does not say on which of several devices the memory is; it is taken to be on the first.
pub(crate) fn cuda(object: &Bound<'_, PyAny>, request: &Request) -> PyResult<Option<Tensor>> {
    let py = object.py();
    let Some(interface) = offered(object, interned!(py, "__cuda_array_interface__"))? else {
        return Ok(None);
    };
    let interface = Interface::of(&interface)?;
    if let Some(stream) = interface.get(interned!(py, "stream"))? {
        if stream.extract::<u64>()? != 1 {
            return Err(refuse("stream is another than the default one, and nothing here can wait for it"));
        }
    }
    let data = interface.get(interned!(py, "data"))?.ok_or_else(|| refuse("data is missing"))?;
    let pair = data.cast::<PyTuple>().map_err(|_| refuse("data is no pair"))?;
    let device = DLDevice { device_type: DLDeviceType::CUDA, device_id: 0 };
    let memory = interface.memory(pair, device)?;
    let keep = Keep::new(PyTuple::new(py, [object, interface.0.as_any()])?.as_any());
    // SAFETY: the object says so of memory that lives as long as it does (assumption P1).
    unsafe { memory.into_tensor(py, keep, request, Source::ArrayInterface, Some(object)) }.map(Some)
}

fn refuse(why: &str) -> PyErr {
    PyBufferError::new_err(format!("the array interface's {why}"))
}

/// The dictionary of either interface.
struct Interface<'py>(Bound<'py, PyDict>);

impl<'py> Interface<'py> {
    fn of(interface: &Bound<'py, PyAny>) -> PyResult<Self> {
        let this = interface.cast::<PyDict>().map(|dict| Self(dict.clone()));
        let this = this.map_err(|_| PyBufferError::new_err("the array interface is no dictionary"))?;
        if this.get(interned!(interface.py(), "mask"))?.is_some() {
            return Err(refuse("mask would be lost"));
        }
        Ok(this)
    }

    /// An entry; `None` when it is absent or `None`.
    fn get(&self, key: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(key)?.filter(|value| !value.is_none()))
    }

    fn numbers(&self, key: &Bound<'py, PyString>) -> PyResult<Option<Vec<i64>>> {
        let Some(value) = self.get(key)? else {
            return Ok(None);
        };
        value.extract().map(Some).map_err(|_| refuse(&format!("{key} is no tuple of integers")))
    }

    /// All but the memory.
    fn form(&self) -> PyResult<Memory> {
        let py = self.0.py();
        let text = self.get(interned!(py, "typestr"))?.ok_or_else(|| refuse("typestr is missing"))?;
        let text: String = text.extract().map_err(|_| refuse("typestr is no text"))?;
        let (dtype, swapped) = parse_typestr(&text).map_err(|why| refuse(&format!("typestr {text:?} {why}")))?;
        let shape = self.numbers(interned!(py, "shape"))?.ok_or_else(|| refuse("shape is missing"))?;
        let strides = match self.numbers(interned!(py, "strides"))? {
            Some(strides) if strides.len() != shape.len() => {
                return Err(refuse("strides are of another number of axes than its shape"));
            }
            Some(strides) => strides,
            None => Memory::row_major(&shape, dtype.item_bytes())?,
        };
        let data = ptr::null_mut();
        Ok(Memory { data, device: DLDevice::CPU, dtype, shape, strides, swapped, read_only: true, padded: false })
    }

    /// The memory at an address.
    fn memory(&self, pair: &Bound<'py, PyTuple>, device: DLDevice) -> PyResult<Memory> {
        // Some say None where there is no memory, and others 0.
        let (address, read_only): (Option<usize>, bool) =
            pair.extract().map_err(|_| refuse("data is no pair of an address and a bool"))?;
        Ok(Memory { data: ptr::with_exposed_provenance_mut(address.unwrap_or(0)), device, read_only, ..self.form()? })
    }

    /// The memory within a buffer, from `offset` on.
    fn memory_in(&self, flat: &Flat) -> PyResult<Memory> {
        let offset = self.get(interned!(self.0.py(), "offset"))?;
        let offset: usize = offset.map_or(Ok(0), |offset| offset.extract())?;
        let memory = self.form()?;
        let item = i64::try_from(memory.dtype.item_bytes())?;
        let layout = dlferry::layout::Layout::new(&memory.shape, &memory.strides)
            .map_err(|error| DescribeError::Layout(error).into_py_err())?;
        let start = i64::try_from(offset)?;
        let fits = layout.span().is_none_or(|span| {
            let end = start.checked_add(span.highest).and_then(|last| last.checked_add(item));
            start.checked_add(span.lowest).is_some_and(|low| low >= 0)
                && end.is_some_and(|end| usize::try_from(end).is_ok_and(|end| end <= flat.len()))
        });
        if !fits {
            return Err(broken(String::from("the array interface's elements reach beyond its buffer")));
        }
        Ok(Memory { data: flat.data().wrapping_add(offset), read_only: flat.is_read_only(), ..memory })
    }
}
