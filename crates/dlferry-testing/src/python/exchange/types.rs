//! `exchange_type`: a new Python type with a crafted table.

use std::ffi::CString;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use dlferry::abi::{DLPackExchangeAPIHeader, DLPackVersion, EXCHANGE_API_ATTRIBUTE};
use pyo3::exceptions::{PySystemError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use super::state::{self, Failure, Lent, Member, State};
use super::table;
use crate::Crafted;
use crate::python::capsule::leak_name;
use crate::python::crafted::Recipe;
use crate::python::foreign::Foreign;
use crate::python::producer::Producer;

/// Attribute with the slots of the usable and the forbidden table.
const SLOTS_ATTRIBUTE: &str = "_testing_slots";

/// A tensor that a table took over; deleted when its last user goes.
pub(super) struct Received(pub(super) Foreign);

impl Drop for Received {
    fn drop(&mut self) {
        // SAFETY: taken over from the consumer in `import`, and given up here only.
        unsafe { self.0.delete() };
    }
}

/// The base of every type that `exchange_type` makes.
///
/// An instance exports the recipe of its type, or the tensor that it was made of.
#[pyclass(frozen, subclass, module = "dlferry_testing")]
pub(super) struct Exchangeable(Mutex<Option<Arc<Received>>>);

impl Exchangeable {
    /// The tensor that it was made of.
    pub(super) fn received(&self) -> Option<Arc<Received>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes it an instance around `received`.
    pub(super) fn receive(&self, received: Received) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(received));
    }
}

#[pymethods]
impl Exchangeable {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns every field of the tensor that the instance was made of, or `None`.
    fn inspect<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(received) = self.received() else {
            return Ok(None);
        };
        // SAFETY: a received tensor is alive until its last `Arc` goes.
        unsafe { received.0.describe(py) }.map(Some)
    }
}

/// Makes a new type whose instances export `crafted` through a table.
///
/// - `capsule_name`: the name of the table's capsule, right by default.
/// - `version`: the table's version. A table whose major is not 1 must not be called; each call of one is counted as
///   `forbidden` and fails with a `SystemError`.
/// - `prev`: versions of older tables, newest first, linked from it; those of major 1 work.
/// - `null`: names of members that are NULL. `dltensor=False` makes the borrowing one NULL.
/// - `fails`: exceptions, by the member that fails with it.
/// - `stream`: the address that `current_work_stream` gives; NULL by default.
/// - `style`, `device`, `error`: with a style, instances also have the methods of a `Producer` of that style, which
///   is the type's attribute `producer`.
#[pyfunction]
#[pyo3(signature = (crafted, *, name="Exchanged", capsule_name="dlpack_exchange_api", version=(1, 3), prev=None,
    null=None, fails=None, dltensor=true, stream=0, style=None, device=None, error=None))]
#[allow(clippy::too_many_arguments, reason = "keywords of a Python function")]
pub(super) fn exchange_type<'py>(
    crafted: &Bound<'py, Recipe>,
    name: &str,
    capsule_name: &str,
    version: (u32, u32),
    prev: Option<Vec<(u32, u32)>>,
    null: Option<Vec<String>>,
    fails: Option<&Bound<'py, PyDict>>,
    dltensor: bool,
    stream: usize,
    style: Option<&str>,
    device: Option<(i32, i32)>,
    error: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyType>> {
    let py = crafted.py();
    let mut nulls: Vec<Member> =
        null.unwrap_or_default().iter().map(|name| Member::named(name)).collect::<PyResult<_>>()?;
    if !dltensor {
        nulls.push(Member::Borrow);
    }
    let recipe = &crafted.get().0;
    let usable = Arc::new(State::new(recipe, lend(recipe), failures(fails)?, stream, false));
    let versions: Vec<(u32, u32)> = prev.unwrap_or_default().into_iter().rev().chain([version]).collect();
    let (table, slots) = tables(&usable, &versions, &nulls)?;
    let capsule_name = leak_name(capsule_name)?;
    // SAFETY: attached; table and name live for ever.
    let capsule = unsafe { ffi::PyCapsule_New(table.cast(), capsule_name.as_ptr(), None) };
    // SAFETY: a new reference, or NULL with an exception set.
    let capsule = unsafe { Bound::from_owned_ptr_or_err(py, capsule) }?;

    let attributes = PyDict::new(py);
    attributes.set_item(PyString::new(py, &EXCHANGE_API_ATTRIBUTE.to_string_lossy()), capsule)?;
    attributes.set_item(SLOTS_ATTRIBUTE, slots)?;
    if let Some(style) = style {
        let producer = Producer::new(py, crafted.clone().unbind(), style, device, error, false)?;
        let producer = Bound::new(py, producer)?;
        // A bound method of native code is no descriptor, so the instance finds it as it is.
        for method in ["__dlpack__", "__dlpack_device__"] {
            attributes.set_item(method, producer.getattr(method)?)?;
        }
        attributes.set_item("producer", producer)?;
    }
    let bases = PyTuple::new(py, [py.get_type::<Exchangeable>()])?;
    let class = py.get_type::<PyType>().call1((name, bases, attributes))?.cast_into::<PyType>()?;
    usable.class.set(class.clone().unbind()).map_err(|_| PySystemError::new_err("a type was set before"))?;
    Ok(class)
}

/// Slots of the usable and the forbidden tables.
type Slots = (usize, Option<usize>);

/// Linked tables of `versions`, oldest first; gives the newest.
fn tables(
    usable: &Arc<State>,
    versions: &[(u32, u32)],
    nulls: &[Member],
) -> PyResult<(*mut DLPackExchangeAPIHeader, Slots)> {
    let is_usable = |major: u32| major == DLPackVersion::CURRENT.major;
    let mut slots = (state::add(Arc::clone(usable))?, None);
    if !versions.iter().all(|(major, _)| is_usable(*major)) {
        let forbidden = State::new(&usable.recipe, usable.lent, vec![], usable.stream, true);
        slots.1 = Some(state::add(Arc::new(forbidden))?);
    }
    let mut newest: *mut DLPackExchangeAPIHeader = ptr::null_mut();
    for &(major, minor) in versions {
        let slot = if is_usable(major) { slots.0 } else { slots.1.unwrap_or(state::SLOTS) };
        let leaked = table::leak(slot, DLPackVersion { major, minor }, newest, nulls);
        newest = leaked.ok_or_else(|| PySystemError::new_err("a slot without functions"))?.cast();
    }
    Ok((newest, slots))
}

/// The exceptions in `fails`, with what the allocator must know of them without Python.
fn failures(fails: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(Member, Failure)>> {
    let Some(fails) = fails else { return Ok(vec![]) };
    let mut failures = vec![];
    for (member, error) in fails.iter() {
        let kind = CString::new(error.get_type().name()?.to_string())?;
        let message = CString::new(error.str()?.to_string())?;
        let failure = Failure { error: error.unbind(), kind, message };
        failures.push((Member::named(&member.extract::<String>()?)?, failure));
    }
    Ok(failures)
}

/// A tensor of `recipe` that nobody deletes, to be lent for ever.
fn lend(recipe: &Crafted) -> Lent {
    let (managed, _) = recipe.clone().null_deleter().build_versioned();
    // SAFETY: just built, and without a deleter never freed.
    Lent(unsafe { managed.read() }.dl_tensor)
}

/// Returns how often each member of a type's table was called, by name.
///
/// Also `forbidden`, the calls of tables of another major, and `detached`, those made without being attached to the
/// interpreter, the allocator's apart.
#[pyfunction]
pub(super) fn table_calls<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyDict>> {
    let slots: Slots = class.getattr(SLOTS_ATTRIBUTE)?.extract()?;
    let usable = state::get(slots.0).ok_or_else(|| PyValueError::new_err("not a type of exchange_type"))?;
    let forbidden = slots.1.and_then(state::get);
    let calls = PyDict::new(class.py());
    for (name, count) in usable.calls() {
        calls.set_item(name, count)?;
    }
    let forbidden = forbidden.map_or(0, |state| state.calls().map(|(_, count)| count).sum::<usize>());
    calls.set_item("forbidden", forbidden)?;
    calls.set_item("detached", usable.detached())?;
    Ok(calls)
}
