use dlferry::managed::SharedTensor;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Tensor;
use crate::capsule;
use crate::once::interned;
use crate::python::version_tuple;

/// The same tensor, ready on another stream: only its producer can make it so, and is asked (decision 5.12).
pub(super) fn on_stream(py: Python<'_>, tensor: &Tensor, stream: i64) -> PyResult<SharedTensor> {
    let device = tensor.shared.descriptor().device();
    let refuse = |why: &str| {
        PyBufferError::new_err(format!(
            "stream={stream}: the tensor is on {device} and {why}; ask with stream=-1 or None"
        ))
    };
    let owner = tensor.owner.as_ref().ok_or_else(|| refuse("its producer is not there to be asked"))?.bind(py);
    let keywords = PyDict::new(py);
    keywords.set_item(interned!(py, "stream"), stream)?;
    keywords.set_item(interned!(py, "max_version"), version_tuple(py)?)?;
    let answer = owner.call_method(interned!(py, "__dlpack__"), (), Some(&keywords))?;
    let mut taken = capsule::take(&answer)?;
    let descriptor = taken.descriptor();
    let ours = tensor.shared.descriptor();
    let same = descriptor.data() == ours.data()
        && descriptor.byte_offset() == ours.byte_offset()
        && descriptor.device() == device
        && descriptor.dtype() == ours.dtype()
        && descriptor.layout() == ours.layout();
    if !same {
        return Err(refuse("its producer now answers with another tensor"));
    }
    if ours.is_read_only() {
        taken.set_read_only();
    }
    Ok(taken.into_shared())
}
