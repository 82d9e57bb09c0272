//! Finding NumPy in the process, and making sure that its structures are those that are known here.

use core::ffi::{c_int, c_uint, c_void};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

use dlferry::abi::DLDataType;
use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule, PySlice, PyType};

use super::Array;
use crate::once::interned;
use crate::python::loaded_module;

type NewFromDescr = unsafe extern "C" fn(
    *mut ffi::PyTypeObject,
    *mut ffi::PyObject,
    c_int,
    *const isize,
    *const isize,
    *mut c_void,
    c_int,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;
type DescrFromType = unsafe extern "C" fn(c_int) -> *mut ffi::PyObject;
type SetBaseObject = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject) -> c_int;
type GetVersion = unsafe extern "C" fn() -> c_uint;

/// Places in the table of functions, the same in NumPy 1 and 2.
const GET_VERSION: usize = 0;
const ARRAY_TYPE: usize = 2;
const DESCR_FROM_TYPE: usize = 45;
const NEW_FROM_DESCR: usize = 94;
const SET_BASE_OBJECT: usize = 282;

/// The major version of NumPy's binary interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Major {
    One,
    Two,
}

/// NumPy, as it is in this process.
#[derive(Debug)]
pub(super) struct Runtime {
    /// `numpy.ndarray`, which is static: it is never freed.
    array_type: NonNull<ffi::PyTypeObject>,
    /// Bytes of the head of an object.
    head: usize,
    major: Major,
    descr_from_type: DescrFromType,
    new_from_descr: NewFromDescr,
    set_base_object: SetBaseObject,
    /// Whether the interpreter keeps for each thread whether it is attached, as CPython does from 3.12 on; before, all ask one
    /// place for whoever is.
    #[cfg(not(feature = "abi3"))]
    knows_threads: bool,
}

// SAFETY: the type and the functions are static; what they are used for asks for the interpreter.
unsafe impl Send for Runtime {}
// SAFETY: as above.
unsafe impl Sync for Runtime {}

static RUNTIME: OnceLock<Runtime> = OnceLock::new();
/// A NumPy was found whose structures are not those known here.
static REFUSED: AtomicBool = AtomicBool::new(false);

impl Runtime {
    /// The NumPy whose `ndarray` is the very type of the object.
    #[inline]
    pub(super) fn of(object: &Bound<'_, PyAny>) -> Option<&'static Self> {
        match RUNTIME.get() {
            Some(runtime) => (runtime.array_type.as_ptr() == object.get_type_ptr()).then_some(runtime),
            // NumPy's types are static; those that Python code makes never are.
            None if is_static(object.get_type_ptr()) && may_be_array_type(object) => Self::search(object),
            None => None,
        }
    }

    #[cold]
    fn search(object: &Bound<'_, PyAny>) -> Option<&'static Self> {
        if REFUSED.load(Ordering::Relaxed) {
            return None;
        }
        Self::find(&object.get_type()).ok().flatten()
    }

    /// NumPy, imported for this; `None` when its structures are not those known here.
    pub(super) fn load(py: Python<'_>) -> PyResult<Option<&'static Self>> {
        if let Some(runtime) = RUNTIME.get() {
            return Ok(Some(runtime));
        }
        let array_type = numpy(py)?.getattr(interned!(py, "ndarray"))?;
        match array_type.cast::<PyType>() {
            Ok(array_type) if !REFUSED.load(Ordering::Relaxed) && is_static(array_type.as_type_ptr()) => {
                Self::find(array_type)
            }
            _ => Ok(None),
        }
    }

    /// NumPy, if it was found before.
    pub(super) fn loaded() -> Option<&'static Self> {
        RUNTIME.get()
    }

    fn find(array_type: &Bound<'_, PyType>) -> PyResult<Option<&'static Self>> {
        let py = array_type.py();
        if array_type.fully_qualified_name()? != "numpy.ndarray" {
            return Ok(None);
        }
        let Some(table) = table(py)? else { return Ok(None) };
        // That the table has the type of a real array in its place proves that it is the table.
        if table.entry(ARRAY_TYPE) != array_type.as_ptr().cast() {
            return Ok(None);
        }
        let runtime = match Self::read(py, &table)? {
            // An error, such as a lack of memory, says nothing of the structures.
            Some(runtime) if runtime.agrees_with(array_type)? => runtime,
            _ => {
                REFUSED.store(true, Ordering::Relaxed);
                return Ok(None);
            }
        };
        Ok(Some(RUNTIME.get_or_init(|| runtime)))
    }

    fn read(py: Python<'_>, table: &Table) -> PyResult<Option<Self>> {
        // SAFETY: the function at this place of NumPy's table, in all versions.
        let get_version: GetVersion = unsafe { core::mem::transmute(table.entry(GET_VERSION)) };
        // SAFETY: it takes nothing and returns a number.
        let version = unsafe { get_version() };
        let major = match version >> 24 {
            1 => Major::One,
            2 => Major::Two,
            _ => return Ok(None),
        };
        let Some(array_type) = NonNull::new(table.entry(ARRAY_TYPE).cast_mut().cast()) else { return Ok(None) };
        let object = py.get_type::<PyAny>();
        let head: usize = object.getattr(interned!(py, "__basicsize__"))?.extract()?;
        Ok(Some(Self {
            array_type,
            head,
            major,
            // SAFETY: the function at this place of NumPy's table, in both majors.
            descr_from_type: unsafe {
                core::mem::transmute::<*const c_void, DescrFromType>(table.entry(DESCR_FROM_TYPE))
            },
            // SAFETY: as above.
            new_from_descr: unsafe { core::mem::transmute::<*const c_void, NewFromDescr>(table.entry(NEW_FROM_DESCR)) },
            // SAFETY: as above.
            set_base_object: unsafe {
                core::mem::transmute::<*const c_void, SetBaseObject>(table.entry(SET_BASE_OBJECT))
            },
            #[cfg(not(feature = "abi3"))]
            knows_threads: py.version_info() >= (3, 12),
        }))
    }
}

impl Runtime {
    #[inline]
    pub(super) fn head(&self) -> usize {
        self.head
    }

    #[inline]
    pub(super) fn major(&self) -> Major {
        self.major
    }

    /// Whether this thread is attached, asked of the interpreter with one look; `false` says nothing.
    #[cfg(not(feature = "abi3"))]
    #[inline]
    pub(super) fn is_attached(&self) -> bool {
        // SAFETY: reads what the interpreter keeps for this thread, which is nothing before it and after it.
        self.knows_threads && !unsafe { ffi::compat::PyThreadState_GetUnchecked() }.is_null()
    }

    #[cfg(feature = "abi3")]
    #[allow(clippy::unused_self, reason = "as in other builds")]
    pub(super) fn is_attached(&self) -> bool {
        false
    }

    /// The most axes that an array can have.
    pub(super) fn max_ndim(&self) -> usize {
        match self.major {
            Major::One => 32,
            Major::Two => 64,
        }
    }

    /// The dictionary of the type, which can be written; `None` in a build for many versions of Python.
    #[cfg(not(feature = "abi3"))]
    pub(super) fn type_dict<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyDict>> {
        // SAFETY: a static type that is not one of the interpreter's own has its dictionary here.
        let dict = unsafe { (*self.array_type.as_ptr()).tp_dict };
        // SAFETY: attached; a borrowed reference that the type holds, or NULL.
        unsafe { Bound::from_borrowed_ptr_or_opt(py, dict) }?.cast_into().ok()
    }

    #[cfg(feature = "abi3")]
    #[allow(clippy::unused_self, reason = "as in other builds")]
    pub(super) fn type_dict<'py>(&self, _py: Python<'py>) -> Option<Bound<'py, PyDict>> {
        None
    }

    /// Tells the interpreter that the dictionary was written.
    pub(super) fn type_changed(&self, _py: Python<'_>) {
        // SAFETY: attached; a living type.
        unsafe { ffi::PyType_Modified(self.array_type.as_ptr()) };
    }

    /// Whether probes read through the structures are what NumPy itself says of them.
    fn agrees_with(&self, array_type: &Bound<'_, PyType>) -> PyResult<bool> {
        let py = array_type.py();
        let whole = array_type.call1(((3, 4, 5), "i2"))?;
        let view = whole.get_item((PySlice::new(py, 2, -4, -1), PySlice::new(py, 0, 4, 2), 1))?;
        let locked = whole.get_item(0)?;
        locked.call_method1("setflags", (false,))?;
        for (probe, shape, read_only) in
            [(&whole, &[3, 4, 5][..], false), (&view, &[3, 2], false), (&locked, &[4, 5], true)]
        {
            let array = Array::read(self, probe);
            let interface = probe.getattr("__array_interface__")?.cast_into::<PyDict>()?;
            let entry = |key: &str| {
                interface.get_item(key)?.ok_or_else(|| PyImportError::new_err("the array interface is incomplete"))
            };
            let data: (usize, bool) = entry("data")?.extract()?;
            let strides: Vec<isize> = probe.getattr("strides")?.extract()?;
            let claimed: Vec<isize> = entry("shape")?.extract()?;
            // SAFETY: nothing runs between this and the comparison below, and the array is known here only.
            let (own_shape, own_strides) = unsafe { array.axes() };
            let is_same = own_shape == claimed
                && own_shape == shape
                && own_strides == strides
                && (array.data().addr(), array.is_read_only()) == data
                && array.is_read_only() == read_only
                && array.dtype() == Some(DLDataType::I16)
                && array.item_bytes() == 2
                && !array.is_swapped();
            if !is_same {
                return Ok(false);
            }
        }
        let swapped = array_type.call1((3, if cfg!(target_endian = "little") { ">f8" } else { "<f8" }))?;
        let array = Array::read(self, &swapped);
        Ok(array.is_swapped() && array.dtype() == Some(DLDataType::F64) && array.item_bytes() == 8)
    }

    /// A new `numpy.ndarray` over memory, which `base` keeps alive.
    ///
    /// `descr` is a dtype of NumPy's; strides are in bytes.
    ///
    /// # Errors
    ///
    /// What NumPy raises: of no memory, or too many axes.
    ///
    /// # Safety
    ///
    /// The memory is as described for as long as `base` lives, writable if `writable`.
    pub(super) unsafe fn wrap<'py>(
        &self,
        descr: Bound<'py, PyAny>,
        shape: &[isize],
        strides: &[isize],
        data: *mut c_void,
        writable: bool,
        base: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = descr.py();
        let ndim = c_int::try_from(shape.len())?;
        let flags = if writable { super::array::WRITEABLE } else { 0 };
        let (kind, none) = (self.array_type.as_ptr(), core::ptr::null_mut());
        let new = self.new_from_descr;
        // SAFETY: attached; the reference to the dtype is given away; as many extents and strides as axes, which are copied.
        let array = unsafe { new(kind, descr.into_ptr(), ndim, shape.as_ptr(), strides.as_ptr(), data, flags, none) };
        // SAFETY: a new reference, or NULL with an exception set.
        let array = unsafe { Bound::from_owned_ptr_or_err(py, array) }?;
        // SAFETY: attached; the reference to the base is given away, also when this fails.
        let status = unsafe { (self.set_base_object)(array.as_ptr(), base.into_ptr()) };
        if status == 0 { Ok(array) } else { Err(PyErr::fetch(py)) }
    }

    /// NumPy's own dtype of a number.
    pub(super) fn descr<'py>(&self, py: Python<'py>, number: c_int) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: attached.
        let descr = unsafe { (self.descr_from_type)(number) };
        // SAFETY: a new reference, or NULL with an exception set.
        unsafe { Bound::from_owned_ptr_or_err(py, descr) }
    }

    /// `numpy.ndarray`.
    pub(super) fn array_type<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        // SAFETY: attached; a static type is an object that is never freed.
        unsafe { Bound::from_borrowed_ptr(py, self.array_type.as_ptr().cast()) }
    }
}

/// NumPy's table of functions.
struct Table(NonNull<*const c_void>);

impl Table {
    /// The entry at a place of NumPy's `__multiarray_api.h`.
    fn entry(&self, place: usize) -> *const c_void {
        // SAFETY: NumPy's table has more than three hundred places since before version 1.21. Until its identity is proven,
        // only place 2 is read, and no capsule without a name is known to hold less.
        let entry = unsafe { self.0.add(place) };
        // SAFETY: as above.
        unsafe { entry.read() }
    }
}

/// The table of the NumPy that somebody has imported, from the capsule in its own extension module.
fn table(py: Python<'_>) -> PyResult<Option<Table>> {
    for name in [interned!(py, "numpy._core._multiarray_umath"), interned!(py, "numpy.core._multiarray_umath")] {
        // NumPy 1.26 has a module of Python code under the first name.
        if let Some(table) = loaded_module(py, name).map(|module| table_in(&module)).transpose()?.flatten() {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

fn table_in(module: &Bound<'_, PyAny>) -> PyResult<Option<Table>> {
    let Ok(module) = module.cast::<PyModule>() else { return Ok(None) };
    // SAFETY: attached; a module.
    let definition = unsafe { ffi::PyModule_GetDef(module.as_ptr()) };
    if definition.is_null() {
        // A module of Python code under this name.
        return Ok(None);
    }
    let Some(capsule) = module.as_any().getattr_opt(interned!(module.py(), "_ARRAY_API"))? else { return Ok(None) };
    // SAFETY: attached; NULL asks for a capsule without a name. Another object is answered with 0.
    if unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), core::ptr::null()) } == 0 {
        return Ok(None);
    }
    // SAFETY: valid without a name.
    let table = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), core::ptr::null()) };
    Ok(NonNull::new(table.cast()).map(Table))
}

/// Whether C code made the type, once and for all. No code in Python can make such a one, or give one another name.
#[inline]
pub(super) fn is_static(kind: *mut ffi::PyTypeObject) -> bool {
    // SAFETY: attached; the type of a living object.
    let flags = unsafe { ffi::PyType_GetFlags(kind) };
    flags & ffi::Py_TPFLAGS_HEAPTYPE == 0
}

/// Whether the type has the name that NumPy's has.
#[cfg(not(feature = "abi3"))]
fn may_be_array_type(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the type of a living object.
    let name = unsafe { (*object.get_type_ptr()).tp_name };
    // SAFETY: a C string that lives as long as its type.
    !name.is_null() && unsafe { core::ffi::CStr::from_ptr(name) } == c"numpy.ndarray"
}

#[cfg(feature = "abi3")]
fn may_be_array_type(_object: &Bound<'_, PyAny>) -> bool {
    true
}

/// Imports NumPy, or says that it is missing.
pub(super) fn numpy(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import(interned!(py, "numpy")).map_err(|cause| {
        if !cause.is_instance_of::<PyImportError>(py) {
            return cause;
        }
        let error = PyImportError::new_err(format!("numpy is not installed, or cannot be imported: {cause}"));
        error.set_cause(py, Some(cause));
        error
    })
}
