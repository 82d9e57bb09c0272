//! Fitting a tensor that came in to what its taker asked for: device, copy, writable.

use dlferry::abi::DLDevice;
use dlferry::managed::{Descriptor, Tensor as Managed};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

use crate::copying::copy_of;
use crate::error::CopyRequiredError;
use crate::protocol::Request;
use crate::read_only::{COPY, Why};
use crate::tensor::{Made, Source, Tensor};

const READ_ONLY: &str = "the tensor is read-only, and writable=True was asked for";

/// Makes the result of an import, whichever way it came.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the common case is a few tests, and moving the result costs more than them")]
pub(crate) fn settle<'py, R: Made<'py>>(
    py: Python<'py>,
    tensor: Managed,
    request: &Request,
    source: Source,
    owner: Option<&Bound<'_, PyAny>>,
) -> PyResult<R> {
    let asks_nothing = request.device.is_none() && request.copy.is_none() && request.writable.is_none();
    if asks_nothing && !request.lenient && tensor.descriptor().copied() != Some(true) {
        return R::made(py, tensor.into_shared(), source, owner.map(|owner| owner.clone().unbind()));
    }
    let Tensor { shared, source, owner, .. } = fit(py, tensor, request, source, owner)?;
    R::made(py, shared, source, owner)
}

/// Settles what is asked for.
#[inline(never)]
fn fit(
    py: Python<'_>,
    mut tensor: Managed,
    request: &Request,
    source: Source,
    owner: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    let descriptor = tensor.descriptor();
    check_device(descriptor, request.device)?;
    let copied = descriptor.copied() == Some(true);
    if request.copy == Some(false) && copied {
        return Err(CopyRequiredError::new_err(
            py,
            format!("the producer copied the data{}", request.forbids_a_copy()),
        ));
    }
    let private = copied && !descriptor.is_read_only();
    if !private && (request.copy == Some(true) || copies_unasked(descriptor, request)) {
        tensor = copy_of(py, tensor.view())?;
    }
    match request.writable {
        Some(true) => tensor = assert_writable(py, tensor, source, owner)?,
        Some(false) => tensor = tensor.into_read_only(),
        None => {}
    }
    // A private copy has nothing to do with where it came from.
    let is_ours = request.copy == Some(true) || (!copied && tensor.descriptor().copied() == Some(true));
    let owner = if is_ours { None } else { owner };
    Ok(Tensor::new(tensor.into_shared(), source, owner.map(|owner| owner.clone().unbind())))
}

/// Fits a tensor that is there already to what is asked for: the same one where that will do.
pub(crate) fn resettle(tensor: &Bound<'_, Tensor>, request: &Request) -> PyResult<Tensor> {
    let (shared, source) = (tensor.get().shared(), tensor.get().source());
    let descriptor = shared.descriptor();
    check_device(descriptor, request.device)?;
    let must_copy = request.copy == Some(true) || copies_unasked(descriptor, request);
    if !must_copy && request.writable == Some(true) && descriptor.is_read_only() {
        let owner = tensor.get().owner.as_ref().map(|owner| owner.bind(tensor.py()));
        let why = Why::of(tensor.py(), descriptor, source, owner)?.and_remedy(false, COPY);
        return Err(PyBufferError::new_err(format!("{READ_ONLY}: {why}")));
    }
    let owner = tensor.get().owner.as_ref().map(|owner| owner.clone_ref(tensor.py()));
    let (shared, owner) =
        if must_copy { (copy_of(tensor.py(), shared.view())?.into_shared(), None) } else { (shared.clone(), owner) };
    let shared = if request.writable == Some(false) { shared.to_read_only() } else { shared };
    Ok(Tensor::new(shared, source, owner))
}

/// Whether `asarray` copies though nobody said so: to give writable elements, and aligned ones (decision 5.7).
fn copies_unasked(descriptor: &Descriptor, request: &Request) -> bool {
    request.lenient
        && request.copy.is_none()
        && descriptor.is_host_readable()
        && ((request.writable == Some(true) && descriptor.is_read_only()) || !descriptor.is_aligned())
}

/// The result is where it was asked to be; any memory that the host can read will do for the CPU (rule R9.16).
fn check_device(descriptor: &Descriptor, wanted: Option<DLDevice>) -> PyResult<()> {
    let found = descriptor.device();
    match wanted {
        Some(wanted) if wanted != found && !(wanted == DLDevice::CPU && descriptor.is_host_readable()) => {
            Err(PyBufferError::new_err(format!(
                "the tensor is on {found}, and device={wanted} was asked for: move it with its own library first"
            )))
        }
        _ => Ok(()),
    }
}

/// Takes the caller's word for an unversioned tensor, which cannot say whether it may be written.
fn assert_writable(
    py: Python<'_>,
    tensor: Managed,
    source: Source,
    owner: Option<&Bound<'_, PyAny>>,
) -> PyResult<Managed> {
    let descriptor = tensor.descriptor();
    if !descriptor.is_read_only() {
        return Ok(tensor);
    }
    if descriptor.version().is_some() || descriptor.layout().has_overlap() {
        let why = Why::of(py, descriptor, source, owner)?.and_remedy(true, COPY);
        return Err(PyBufferError::new_err(format!("{READ_ONLY}: {why}")));
    }
    let (handle, mut descriptor) = tensor.into_parts();
    // SAFETY: the caller of `from_dlpack(..., writable=True)` says that the memory may be written (assumption P1). That
    // no elements overlap was checked.
    let _writable = unsafe { descriptor.set_writable() };
    // SAFETY: the parts that belong together.
    Ok(unsafe { Managed::from_parts(handle, descriptor) })
}
