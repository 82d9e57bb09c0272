//! The whole way in, through an interpreter in this process: producers of `dlferry-testing` with every field from the input are
//! taken as Python's `from_dlpack`, `asarray` and `from_buffer` take them, what comes is looked at, sliced and handed on by
//! all its methods, and in the end each deleter has run once and each buffer was given back.
//!
//! Embedded rather than a loop in Python: so libFuzzer sees which code of dlferry an input reaches, in Rust and below.

#![no_main]

#[path = "../shared/bytes.rs"]
mod bytes;
#[path = "../shared/fields.rs"]
mod fields;

use std::sync::Once;

use bytes::Bytes;
use dlferry::abi::DLDevice;
use dlferry_pyo3::protocol::{Request, import_object};
use dlferry_pyo3::{Tensor, asarray, buffer};
use dlferry_testing::python::dlferry_testing as testing;
use fields::Fields;
use libfuzzer_sys::fuzz_target;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

const STYLES: [&str; 14] = [
    "new",
    "new",
    "always_versioned",
    "always_unversioned",
    "stream_only",
    "no_keywords",
    "type_error_inside",
    "lies",
    "not_a_capsule",
    "wrong_name",
    "used_name",
    "null_name",
    "dl_device_error",
    "type_error_inside_mentions",
];

/// Methods and attributes that read no element.
const FORMS: [&str; 17] = [
    "shape",
    "strides",
    "ndim",
    "size",
    "itemsize",
    "nbytes",
    "dtype",
    "device",
    "data_ptr",
    "byte_offset",
    "readonly",
    "copied",
    "c_contiguous",
    "f_contiguous",
    "source",
    "owner",
    "T",
];

static START: Once = Once::new();

fn start() {
    START.call_once(|| {
        pyo3::append_to_inittab!(testing);
        Python::initialize();
    });
}

fn request(bytes: &mut Bytes<'_>) -> Request {
    let flag = |bytes: &mut Bytes<'_>| bytes.pick(&[None, None, Some(false), Some(true)]);
    let device = bytes.one_in(6).then(|| bytes.pick(&[DLDevice::CPU, DLDevice { device_id: 1, ..DLDevice::CPU }]));
    Request { device, copy: flag(bytes), writable: flag(bytes), ..Request::default() }
}

fn recipe<'py>(module: &Bound<'py, PyAny>, fields: &Fields) -> PyResult<Bound<'py, PyAny>> {
    let keywords = PyDict::new(module.py());
    keywords.set_item("shape", fields.shape.clone())?;
    keywords.set_item("strides", fields.strides.clone())?;
    keywords.set_item("ndim", fields.ndim)?;
    keywords.set_item("code", fields.dtype.code.0)?;
    keywords.set_item("bits", fields.dtype.bits)?;
    keywords.set_item("lanes", fields.dtype.lanes)?;
    keywords.set_item("byte_offset", fields.byte_offset)?;
    keywords.set_item("device", (fields.device.device_type.0, fields.device.device_id))?;
    keywords.set_item("flags", fields.flags)?;
    keywords.set_item("version", (fields.version.major, fields.version.minor))?;
    keywords.set_item("address", fields.address)?;
    keywords.set_item("misalign", fields.misalign)?;
    let memory: Vec<u8> = (0..fields.len).map(|at| (at * 37 + 11) as u8).collect();
    module.getattr("Crafted")?.call((PyBytes::new(module.py(), &memory),), Some(&keywords))
}

/// All that may be done with a tensor; elements are only touched when they are there.
fn use_it(tensor: &Bound<'_, PyAny>, bytes: &mut Bytes<'_>, is_there: bool) {
    let py = tensor.py();
    for form in FORMS {
        // `T` has two axes; the rest answers always.
        assert!(tensor.getattr(form).is_ok() || form == "T", "{form}");
    }
    let _ = tensor.len();
    for versioned in [None, Some((1, 0))] {
        let keywords = PyDict::new(py);
        keywords.set_item("max_version", versioned).unwrap();
        let capsule = tensor.call_method("__dlpack__", (), Some(&keywords));
        if bytes.one_in(2) {
            let _ = capsule.and_then(|capsule| import_object(&capsule, &Request::default()));
        }
    }
    if !is_there {
        return;
    }
    let _ = tensor.repr();
    // Nested lists of an empty tensor may be many, though there is nothing in them.
    let shape: Vec<i64> = tensor.getattr("shape").and_then(|shape| shape.extract()).expect("numbers");
    let lists = shape.iter().try_fold(1_i64, |lists, extent| lists.checked_mul(*extent.max(&1)));
    if lists.is_none_or(|lists| lists > 5000) || shape.len() > 64 {
        return;
    }
    for method in ["tolist", "tobytes", "copy", "__array_interface__", "item", "__copy__"] {
        let _ = tensor.getattr(method).map(|found| found.call0());
    }
    let view = py.import("builtins").unwrap().getattr("memoryview").unwrap().call1((tensor,));
    let _ = view.and_then(|view| view.call_method0("tobytes"));
    let index = (0..bytes.below(4)).map(|_| {
        let slice = |bytes: &mut Bytes<'_>| format!("{}:{}:{}", bytes.number(), bytes.number(), bytes.number());
        match bytes.below(4) {
            0 => slice(bytes),
            1 => String::from(":"),
            2 => String::from("..."),
            _ => bytes.number().to_string(),
        }
    });
    let index = index.collect::<Vec<_>>().join(",");
    let scope = PyDict::new(py);
    scope.set_item("t", tensor).unwrap();
    for text in [format!("t[{index}].tolist()"), String::from("t.reshape(-1).tolist()"), String::from("list(t)[:3]")] {
        let text = std::ffi::CString::new(text).unwrap();
        let _ = py.eval(&text, None, Some(&scope));
    }
    let new = bytes.pick(&["uint8", "float32", "int64", "complex64", "bool", "int4"]);
    let _ = tensor.call_method1("view", (new,)).and_then(|view| view.call_method0("tolist"));
}

/// Imports a producer, or a capsule of its recipe.
fn dlpack(module: &Bound<'_, PyAny>, bytes: &mut Bytes<'_>) -> PyResult<()> {
    let py = module.py();
    let fields = Fields::of(bytes);
    let crafted = recipe(module, &fields)?;
    let style = bytes.pick(&STYLES);
    let keywords = PyDict::new(py);
    keywords.set_item("style", style)?;
    let producer = module.getattr("Producer")?.call((&crafted,), Some(&keywords))?;
    let request = request(bytes);
    let (way, versioned) = (bytes.below(3), fields.versioned);
    // What came decides which of the two structs was read.
    let data: usize = crafted.getattr("address")?.extract()?;
    let readings = [true, false].map(|versioned| Fields { versioned, ..fields.clone() });
    let meanings = readings.map(|fields| (fields.meaning(data), fields));
    // To copy, dlferry reads the elements itself: it is only asked to when they are there, in either reading.
    let all_there =
        meanings.iter().all(|(meaning, fields)| meaning.as_ref().is_none_or(|m| fields.is_inside(m) && m.size < 5000));
    let request = if all_there { request } else { Request { copy: None, ..request } };
    let imported = match way {
        0 => import_object(&producer, &request).map(Bound::into_any),
        1 if all_there => asarray(&producer, &request).and_then(|tensor| Ok(Bound::new(py, tensor)?.into_any())),
        _ => {
            let capsule = crafted.call_method1("capsule", (versioned,))?;
            let first = import_object(&capsule, &request).map(Bound::into_any);
            assert!(first.is_err() || import_object(&capsule, &Request::default()).is_err(), "taken twice");
            first
        }
    };
    let can_be = meanings.iter().any(|(meaning, _)| meaning.is_some());
    match imported {
        Ok(tensor) => {
            assert!(can_be, "{fields:?}");
            tensor.cast::<Tensor>().expect("a tensor");
            use_it(&tensor, bytes, all_there);
        }
        Err(error) => assert!(!error.value(py).to_string().is_empty()),
    }
    drop(producer);
    let calls = crafted.getattr("deleter_calls")?;
    for call in calls.try_iter()? {
        assert!(call?.get_item("original")?.extract::<bool>()?);
    }
    Ok(())
}

/// Imports a buffer.
fn lent(module: &Bound<'_, PyAny>, bytes: &mut Bytes<'_>) -> PyResult<()> {
    let py = module.py();
    let keywords = PyDict::new(py);
    let (format, item) = bytes.pick(&[
        ("B", 1_i64),
        ("<f", 4),
        (">i", 4),
        ("d", 8),
        ("(2,3)h", 12),
        ("3B", 3),
        ("T{f:a:}", 4),
        ("?", 1),
        ("Zf", 8),
        ("e", 2),
    ]);
    let any: Vec<u8> = (0..bytes.below(6)).map(|_| bytes.byte()).filter(|byte| *byte != 0).collect();
    let format = if bytes.one_in(4) { &any[..] } else { format.as_bytes() };
    let item = if bytes.one_in(6) { bytes.number() } else { item };
    let axes = bytes.below(5);
    let shape: Vec<i64> =
        (0..axes).map(|_| if bytes.one_in(6) { bytes.number() } else { bytes.below(4) as i64 }).collect();
    let strides = bytes.one_in(2).then(|| bytes.numbers(axes));
    let (len, offset) = (bytes.below(200), bytes.below(8));
    keywords.set_item("format", (!bytes.one_in(6)).then_some(PyBytes::new(py, format)))?;
    keywords.set_item("itemsize", item)?;
    keywords.set_item("shape", (!bytes.one_in(6)).then_some(shape.clone()))?;
    keywords.set_item("strides", strides.clone())?;
    keywords.set_item("readonly", bytes.one_in(2))?;
    keywords.set_item("offset", offset)?;
    keywords.set_item("null_data", bytes.one_in(10))?;
    if bytes.one_in(8) {
        keywords.set_item("ndim", bytes.below(70) as i64 - 2)?;
    }
    let memory = vec![1_u8; len];
    let exporter = module.getattr("BufferExporter")?.call((PyBytes::new(py, &memory),), Some(&keywords))?;
    let request = Request { copy: None, ..request(bytes) };
    if let Ok(tensor) = buffer::import(&exporter, &request) {
        let form = tensor.descriptor();
        let range = form.byte_range().expect("made");
        let before = offset as i128 + range.start as i128;
        let is_there = form.layout().is_empty() || (before >= 0 && offset as i128 + range.end as i128 <= len as i128);
        let is_null = form.data().is_null();
        let tensor = Bound::new(py, tensor)?.into_any();
        let is_small = tensor.getattr("size")?.extract::<i64>()? < 5000;
        use_it(&tensor, bytes, is_there && is_small && !is_null);
    }
    assert_eq!(exporter.getattr("held")?.extract::<usize>()?, 0, "a buffer was not given back");
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    start();
    Python::attach(|py| {
        let module = py.import("dlferry_testing").expect("it is built in").into_any();
        let mut bytes = Bytes(data);
        let done = if bytes.one_in(4) { lent(&module, &mut bytes) } else { dlpack(&module, &mut bytes) };
        done.expect("the harness itself raises nothing");
        let live: usize = module.call_method0("live").and_then(|live| live.extract()).expect("a number");
        assert_eq!(live, 0, "each deleter has run once");
    });
});
