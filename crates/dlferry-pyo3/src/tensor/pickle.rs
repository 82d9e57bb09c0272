//! Pickling: the elements as bytes in C order, out of band where the protocol allows it.

use dlferry::abi::DLDataType;
use dlferry::copy::Order;
use dlferry::layout::Layout;
use dlferry::managed::{Descriptor, Fields};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::bytes::in_one_run;
use super::{Source, Tensor};
use crate::buffer;
use crate::copying::copy_of;
use crate::dtype::DType;
use crate::error::IntoPyErr;
use crate::once::interned;
use crate::protocol::Request;
use crate::python::{counted, tuple_text};

/// What `__reduce_ex__` returns: a function and its arguments, the first of which are the bytes.
pub(super) fn reduce<'py>(
    tensor: &Bound<'py, Tensor>,
    protocol: i32,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let py = tensor.py();
    let this = tensor.get();
    let descriptor = this.shared.descriptor();
    if !descriptor.is_host_readable() {
        let device = descriptor.device();
        return Err(PyTypeError::new_err(format!("a tensor on {device} cannot be pickled: move it to the CPU first")));
    }
    let bytes = in_one_run(this, py, Order::C)?;
    let bytes = if cfg!(feature = "buffer") && protocol >= 5 {
        py.import("pickle")?.getattr("PickleBuffer")?.call1((bytes,))?
    } else {
        let view = bytes.shared.view().typed::<u8>().map_err(IntoPyErr::into_py_err)?;
        PyBytes::new(py, view.as_slice().map_err(IntoPyErr::into_py_err)?).into_any()
    };
    let rebuild = tensor.get_type().getattr(interned!(py, "_rebuild"))?;
    let fields = descriptor.fields();
    let args =
        (bytes, DType(descriptor.dtype()), PyTuple::new(py, descriptor.shape())?, fields.read_only, fields.padded);
    Ok((rebuild, args.into_pyobject(py)?))
}

/// Makes the tensor again of its bytes. Bytes that cannot be written are copied when the tensor could be.
pub(super) fn rebuild(
    bytes: &Bound<'_, PyAny>,
    dtype: DLDataType,
    extents: &[i64],
    read_only: bool,
    padded: bool,
) -> PyResult<Tensor> {
    let flat = buffer::import(bytes, &Request::default())?;
    if !flat.shared.descriptor().layout().is_c_contiguous() {
        return Err(PyValueError::new_err("the bytes of a pickled tensor lie one after another, and these do not"));
    }
    let must_copy = flat.shared.descriptor().is_read_only() && !read_only;
    let flat = if must_copy {
        let copy = copy_of(bytes.py(), flat.shared.view())?;
        Tensor::new(copy.into_shared(), Source::Buffer, None)
    } else {
        flat
    };
    let source = flat.shared.descriptor();
    let layout = Layout::c_contiguous(extents).map_err(IntoPyErr::into_py_err)?;
    // Neither the sender's memory nor known to be private: the bytes may be anybody's, where they came out of band.
    let fields = Fields { read_only: read_only || source.is_read_only(), padded, copied: None, ..source.fields() };
    let descriptor =
        Descriptor::new(source.data(), source.device(), dtype, layout, fields).map_err(IntoPyErr::into_py_err)?;
    if source.dtype() != DLDataType::U8 || descriptor.nbytes() != source.nbytes() {
        return Err(PyValueError::new_err(format!(
            "{} cannot hold a tensor of shape {} and type {dtype}",
            counted(source.nbytes(), "byte", "bytes"),
            tuple_text(extents)
        )));
    }
    // SAFETY: as many bytes as the flat tensor has, which is contiguous; read-only where that is.
    let shared = unsafe { flat.shared.with_descriptor(descriptor) };
    Ok(Tensor::new(shared, Source::Buffer, None))
}
