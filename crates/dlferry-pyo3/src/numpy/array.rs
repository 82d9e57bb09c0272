use core::ffi::{c_char, c_int, c_void};
use core::marker::PhantomData;

use dlferry::abi::DLDataType;
use pyo3::ffi;
use pyo3::prelude::*;

use super::dtype;
use super::runtime::{Major, Runtime, is_static};
use crate::buffer;
use crate::once::interned;
use crate::protocol::values;
use crate::python::loaded_module;

/// What follows the head of an array object: `PyArrayObject_fields` of NumPy's `ndarraytypes.h`, as far as it is read.
#[repr(C)]
#[derive(Clone, Copy)]
struct Fields {
    data: *mut c_void,
    ndim: c_int,
    shape: *const isize,
    strides: *const isize,
    base: *mut ffi::PyObject,
    descr: *mut ffi::PyObject,
    flags: c_int,
}

/// What follows the head of a dtype object, in both majors: `PyArray_Descr` up to the number.
#[repr(C)]
struct DescrHead {
    scalar_type: *mut ffi::PyTypeObject,
    kind: c_char,
    letter: c_char,
    byte_order: c_char,
    former_flags: c_char,
    number: c_int,
}

/// The whole of it in NumPy 1, as far as it is read.
#[repr(C)]
struct Descr1 {
    head: DescrHead,
    item_bytes: c_int,
}

/// The whole of it in NumPy 2, as far as it is read.
#[repr(C)]
struct Descr2 {
    head: DescrHead,
    flags: u64,
    item_bytes: isize,
}

pub(super) const WRITEABLE: c_int = 0x0400;
/// Bit 31: a write warns today and fails tomorrow.
const WARN_ON_WRITE: c_int = c_int::MIN;

/// The array that an object is: `Some` when its type is `numpy.ndarray` itself, of a NumPy whose structures are known.
#[inline]
pub(crate) fn array<'a>(object: &'a Bound<'_, PyAny>) -> Option<Array<'a>> {
    let runtime = Runtime::of(object)?;
    Some(Array::read(runtime, object))
}

/// Like [`array`], also for objects of derived types. Imports NumPy.
pub(super) fn array_or_derived<'a>(object: &'a Bound<'_, PyAny>) -> Option<Array<'a>> {
    let runtime = Runtime::load(object.py()).ok().flatten()?;
    let wanted = runtime.array_type(object.py());
    // The type itself, not the class that the object says it has.
    let kind = object.get_type_ptr();
    // SAFETY: attached; both are types, and alive.
    let is_one = unsafe { ffi::PyType_IsSubtype(kind, wanted.as_ptr().cast()) } != 0;
    is_one.then(|| Array::read(runtime, object))
}

/// The array that an object of a derived type is, as `numpy.memmap` is one, when its `__dlpack__` is the one that it inherits:
/// that would say what the structure says, and refuse more. One that has its own may mean something by it, and is asked.
///
/// # Errors
///
/// `BufferError` for an array that masks some of its elements; what asking the object for its attributes raised.
#[inline]
pub(crate) fn derived<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<Array<'a>>> {
    // Asked of the arrays of all libraries: of NumPy's, each lends its buffer.
    let lends = !cfg!(feature = "buffer") || buffer::is_lent(object);
    if !lends || is_static(object.get_type_ptr()) { Ok(None) } else { inheriting(object) }
}

/// Like [`array_or_derived`], and does not import NumPy to be told that an object is none of its arrays.
fn loaded_array<'a>(object: &'a Bound<'_, PyAny>) -> Option<Array<'a>> {
    let py = object.py();
    let is_loaded = Runtime::loaded().is_some() || loaded_module(py, interned!(py, "numpy")).is_some();
    is_loaded.then(|| array_or_derived(object)).flatten()
}

/// Whether an object is an array of NumPy's or of a derived class, whatever `__dlpack__` it has.
pub(crate) fn is_one(object: &Bound<'_, PyAny>) -> bool {
    loaded_array(object).is_some()
}

/// What helps with an array of NumPy's that lends no buffer, for its elements have no format there.
#[cfg(feature = "buffer")]
pub(crate) fn without_format(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let py = object.py();
    let Some(array) = loaded_array(object).filter(|array| array.dtype().is_none()) else { return Ok(None) };
    let number = array.number();
    Ok(Some(match dtype::of_scalar_type(py, &array)? {
        Some(dtype) => format!("dlferry.from_dlpack takes an array of {dtype} as it is"),
        None => dtype::refusal(object, number).value(py).to_string(),
    }))
}

#[inline(never)]
fn inheriting<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<Array<'a>>> {
    let py = object.py();
    let Some(array) = loaded_array(object) else { return Ok(None) };
    let name = interned!(py, "__dlpack__");
    let is_inherited = match (object.getattr_opt(name)?, array.runtime().array_type(py).getattr_opt(name)?) {
        (Some(method), Some(inherited)) => method.eq(inherited.call_method1(interned!(py, "__get__"), (object,))?)?,
        // Before NumPy 1.22 there is none to inherit.
        (method, inherited) => method.is_none() && inherited.is_none(),
    };
    if !is_inherited {
        return Ok(None);
    }
    match values::masked(object)? {
        Some(refusal) => Err(refusal),
        // Code ran since the array was read.
        None => Ok(Some(array.again(object))),
    }
}

/// An array of NumPy's, as its structure says. The fields were read once.
#[derive(Clone, Copy)]
pub(crate) struct Array<'a> {
    fields: Fields,
    runtime: &'a Runtime,
    object: PhantomData<&'a ffi::PyObject>,
}

impl<'a> Array<'a> {
    #[inline]
    pub(super) fn read(runtime: &'a Runtime, object: &'a Bound<'_, PyAny>) -> Self {
        // SAFETY: behind the head of an object whose type is NumPy's, which the caller found in this runtime.
        let fields = unsafe { object.as_ptr().byte_add(runtime.head()) };
        #[allow(clippy::cast_ptr_alignment, reason = "the head of an object is a multiple of a pointer's alignment")]
        let fields = fields.cast::<Fields>();
        // SAFETY: the array has these fields there, which was proven on a probe.
        let fields = unsafe { fields.read() };
        Self { fields, runtime, object: PhantomData }
    }

    /// The array as it is by now.
    pub(super) fn again<'b>(&self, object: &'b Bound<'_, PyAny>) -> Array<'b>
    where
        'a: 'b,
    {
        Array::read(self.runtime, object)
    }

    pub(super) fn runtime(&self) -> &'a Runtime {
        self.runtime
    }

    #[inline]
    pub(crate) fn data(&self) -> *mut c_void {
        self.fields.data
    }

    #[inline]
    pub(crate) fn ndim(&self) -> usize {
        usize::try_from(self.fields.ndim).unwrap_or(0)
    }

    /// The extents, and the strides in bytes.
    ///
    /// # Safety
    ///
    /// No Python code runs and no other thread gets at the array while the slices are looked at: both could give the array
    /// another shape, and free these.
    #[inline]
    pub(crate) unsafe fn axes(&self) -> (&'a [isize], &'a [isize]) {
        let ndim = self.ndim();
        if ndim == 0 || self.fields.shape.is_null() || self.fields.strides.is_null() {
            return (&[], &[]);
        }
        // SAFETY: as many numbers as there are axes, which NumPy keeps as long as the array keeps its shape.
        let shape = unsafe { core::slice::from_raw_parts(self.fields.shape, ndim) };
        // SAFETY: as above.
        let strides = unsafe { core::slice::from_raw_parts(self.fields.strides, ndim) };
        (shape, strides)
    }

    /// Whether the elements may only be read. A mere warning on writing counts as a refusal (decision 5.1).
    #[inline]
    pub(crate) fn is_read_only(&self) -> bool {
        self.fields.flags & (WRITEABLE | WARN_ON_WRITE) != WRITEABLE
    }

    #[inline]
    fn descr(&self) -> *const DescrHead {
        // SAFETY: an array has a dtype object all its life, and behind its head are these fields.
        let head = unsafe { self.fields.descr.byte_add(self.runtime.head()) };
        #[allow(clippy::cast_ptr_alignment, reason = "the head of an object is a multiple of a pointer's alignment")]
        head.cast::<DescrHead>()
    }

    /// The number of the dtype: one of NumPy's own, or what a type of others was given when it was registered.
    #[inline]
    pub(crate) fn number(&self) -> c_int {
        // SAFETY: see `descr`.
        unsafe { (*self.descr()).number }
    }

    /// The dtype, of those that are NumPy's own and that DLPack has, whatever the byte order.
    #[inline]
    pub(crate) fn dtype(&self) -> Option<DLDataType> {
        dtype::of_number(self.number())
    }

    /// Whether the scalars are in the byte order that this machine does not use. A single byte is in none.
    #[inline]
    pub(crate) fn is_swapped(&self) -> bool {
        const OTHER: u8 = if cfg!(target_endian = "little") { b'>' } else { b'<' };
        // SAFETY: see `descr`.
        let order = unsafe { (*self.descr()).byte_order };
        u8::try_from(order) == Ok(OTHER) && self.item_bytes() > 1
    }

    /// The Python type of one element.
    pub(crate) fn scalar_type<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        // SAFETY: see `descr`.
        let kind = unsafe { (*self.descr()).scalar_type };
        // SAFETY: attached; a borrowed reference that the dtype holds, or NULL.
        unsafe { Bound::from_borrowed_ptr_or_opt(py, kind.cast()) }
    }

    /// Bytes of one element.
    pub(crate) fn item_bytes(&self) -> usize {
        let descr = self.descr();
        match self.runtime.major() {
            // SAFETY: see `descr`; NumPy 1 has the size there.
            Major::One => usize::try_from(unsafe { (*descr.cast::<Descr1>()).item_bytes }).unwrap_or(0),
            // SAFETY: see `descr`; NumPy 2 has the size there.
            Major::Two => usize::try_from(unsafe { (*descr.cast::<Descr2>()).item_bytes }).unwrap_or(0),
        }
    }
}
