//! Handing a tensor to another library: `numpy()`, `torch()`, `jax()`, `to(...)`, `__array__`.
//!
//! Nothing is imported before it is asked for, and a library that is missing is named.

use dlferry::managed::Tensor as Managed;
use pyo3::exceptions::{PyBufferError, PyImportError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMemoryView, PyString, PyType};

use super::{Tensor, fits};
use crate::error::{CopyRequiredError, IntoPyErr};
use crate::numpy::{spreads, to_ndarray, to_ndarray_unless_copied};
use crate::once::interned;
use crate::python::{name_of_type, unless_it_raises};

/// Libraries that take an array, by the name that one imports: the module that has the function, and the function.
const LIBRARIES: [(&str, &str, &str); 8] = [
    ("torch", "torch", "from_dlpack"),
    ("jax", "jax.numpy", "from_dlpack"),
    ("cupy", "cupy", "from_dlpack"),
    ("mlx", "mlx.core", "array"),
    ("tensorflow", "tensorflow.experimental.dlpack", "from_dlpack"),
    ("tvm_ffi", "tvm_ffi", "from_dlpack"),
    ("array_api_strict", "array_api_strict", "from_dlpack"),
    ("paddle", "paddle.utils.dlpack", "from_dlpack"),
];

/// Gives the tensor to a library by its name.
pub(crate) fn to_library<'py>(tensor: &Bound<'py, Tensor>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    if name == "numpy" {
        return to_ndarray(tensor);
    }
    let py = tensor.py();
    let known = LIBRARIES.iter().find(|(known, _, _)| *known == name);
    let (_, module, function) = known.ok_or_else(|| {
        let names: Vec<&str> = LIBRARIES.iter().map(|(name, _, _)| *name).collect();
        PyValueError::new_err(format!("{name:?} is no library that is known here: numpy, {} are", names.join(", ")))
    })?;
    fits::check(py, tensor.get(), name)?;
    let array = import(py, module, name)?.getattr(*function)?.call1((tensor,))?;
    fits::check_narrowed(tensor.get(), &array, name)?;
    Ok(array)
}

/// Gives what Rust just made to a library by its name: in another layout where the library would refuse the one it has,
/// which is nobody's memory yet.
pub(crate) fn give<'py>(tensor: &Bound<'py, Tensor>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let shared = tensor.get().shared();
    if fits::layout_refusal(shared.descriptor().layout(), name).is_none() {
        return to_library(tensor, name);
    }
    let copy = Managed::copy_of(shared.view()).map_err(IntoPyErr::into_py_err)?;
    to_library(&Bound::new(tensor.py(), Tensor::from(copy))?, name)
}

/// Gives the tensor to the library that `target` names, is, or came from.
pub(super) fn to<'py>(tensor: &Bound<'py, Tensor>, target: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    if let Ok(name) = target.cast::<PyString>() {
        return to_library(tensor, &name.to_cow()?);
    }
    if target.is_instance_of::<Tensor>() {
        return Ok(tensor.clone().into_any());
    }
    // A library as such, or whatever else takes arrays.
    if let Some(function) = target.getattr_opt(interned!(py, "from_dlpack"))? {
        let name = target.getattr_opt(interned!(py, "__name__"))?.and_then(|name| name.extract::<String>().ok());
        let name = name.as_deref().unwrap_or_default();
        fits::check(py, tensor.get(), name)?;
        let array = function.call1((tensor,))?;
        fits::check_narrowed(tensor.get(), &array, name)?;
        return Ok(array);
    }
    if let Some(library) = library_of(target)? {
        return to_library(tensor, library);
    }
    if let Some(namespace) = target.getattr_opt(interned!(py, "__array_namespace__"))? {
        return namespace.call0()?.getattr(interned!(py, "from_dlpack"))?.call1((tensor,));
    }
    let kind = name_of_type(target);
    Err(PyTypeError::new_err(format!(
        "an object of type {kind} is no library, no array of one that is known here, and has no from_dlpack"
    )))
}

/// The library that an array is of, when it is a known one: that of its class, or of a class which that builds on.
pub(crate) fn library_of(array: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
    let py = array.py();
    for class in array.get_type().mro().iter_borrowed() {
        let class = class.cast::<PyType>()?;
        let module = unless_it_raises(py, class.getattr(interned!(py, "__module__")))?;
        let Some(Ok(module)) = module.as_ref().map(Bound::cast::<PyString>) else { continue };
        let module = module.to_cow()?;
        let found = match module.split('.').next().unwrap_or_default() {
            // Arrays that are not of NumPy build on its mixins.
            "numpy" => matches!(&*class.name()?.to_cow()?, "ndarray" | "generic").then_some("numpy"),
            // Arrays of this library are of a type that lives in another package.
            "jaxlib" => Some("jax"),
            root => LIBRARIES.iter().map(|(name, _, _)| *name).find(|name| *name == root),
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The tensor as a `memoryview`.
pub(crate) fn memoryview<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, PyAny>> {
    if cfg!(not(feature = "buffer")) {
        return Err(PyBufferError::new_err("this build of dlferry lacks the buffer protocol, which memoryviews use"));
    }
    Ok(PyMemoryView::from(tensor)?.into_any())
}

/// Imports a module, or says which library is missing.
fn import<'py>(py: Python<'py>, module: &str, library: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(module).map_err(|cause| {
        if !cause.is_instance_of::<PyImportError>(py) {
            return cause;
        }
        let error = PyImportError::new_err(format!("{library} is not installed, or cannot be imported: {cause}"));
        error.set_cause(py, Some(cause));
        error
    })
}

/// `__array__(dtype=None, copy=None)`, as NumPy calls it.
pub(super) fn array<'py>(
    tensor: &Bound<'py, Tensor>,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let array = to_ndarray_unless_copied(tensor, copy)?;
    if let Some(dtype) = dtype {
        let wanted = py.import("numpy")?.getattr("dtype")?.call1((dtype,))?;
        if !wanted.eq(array.getattr("dtype")?)? {
            if copy == Some(false) {
                return Err(CopyRequiredError::new_err(
                    py,
                    format!("elements of another type, {wanted}, are a copy, and copy=False forbids that"),
                ));
            }
            return array.call_method1("astype", (wanted,));
        }
    }
    if copy == Some(true) && !spreads(tensor.get().shared.descriptor()) {
        let keywords = PyDict::new(py);
        keywords.set_item("order", "K")?;
        return array.call_method("copy", (), Some(&keywords));
    }
    Ok(array)
}
