//! The structs and constants of `abi`, compared with the official `dlpack.h` by a C compiler.
//!
//! `DLPACK_H` is the path of the header, which is not part of this repository; without it the comparison is skipped,
//! and with `DLFERRY_REQUIRE_HEADER=1` that is a failure. `CC` is the compiler, `cc` by default.
//!
//! Names are read out of the header's text, a C program prints the value of each, and both sides must have the same
//! names with the same values. So a name that the header gains is found, not only a value that changes.

mod header;
mod rust;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::{self, Write as _},
};

use dlferry::abi::{EXCHANGE_API_ATTRIBUTE, EXCHANGE_API_CAPSULE};

use header::{c_values, check_version, header_expressions};
use rust::rust_values;

/// Constants of the header's main branch that its 1.3 release lacks; all else must be on both sides.
const NEWER_THAN_THE_HEADER: [&str; 4] = ["kDLTPU", "kDLTPUHost", "kDLAscend", "kDLBcomplex"];

/// What is compared: a name such as `offsetof.DLTensor.ndim` or `kDLCPU`, and its value.
type Values = BTreeMap<String, i64>;

/// One sentence for each name that is not the same on both sides.
fn differences(c: &Values, rust: &Values) -> Vec<String> {
    let names: BTreeSet<_> = c.keys().chain(rust.keys()).collect();
    names
        .into_iter()
        .filter_map(|name| match (c.get(name), rust.get(name)) {
            (Some(c), Some(rust)) if c == rust => None,
            (Some(c), Some(rust)) => Some(format!("{name} is {c} in the header and {rust} in Rust")),
            (Some(c), None) => Some(format!("{name} is {c} in the header and missing in Rust")),
            (None, _) if NEWER_THAN_THE_HEADER.contains(&name.as_str()) => None,
            (None, _) => Some(format!("{name} is missing in the header")),
        })
        .collect()
}

#[test]
fn abi_is_that_of_the_header() {
    let Ok(path) = env::var("DLPACK_H") else {
        let required = env::var("DLFERRY_REQUIRE_HEADER").is_ok_and(|value| value == "1");
        assert!(!required, "DLFERRY_REQUIRE_HEADER=1, but DLPACK_H is not set");
        // Past the capture of test output, so that a skip is always seen.
        let notice = b"SKIPPED abi_header: set DLPACK_H to the path of dlpack.h\n";
        io::stderr().write_all(notice).unwrap();
        return;
    };
    let path = fs::canonicalize(&path).unwrap_or_else(|error| panic!("DLPACK_H={path}: {error}"));
    let header = fs::read_to_string(&path).unwrap();
    if let Err(message) = check_version(&header) {
        panic!("{}: {message}", path.display());
    }
    for name in [EXCHANGE_API_ATTRIBUTE, EXCHANGE_API_CAPSULE] {
        let name = name.to_str().unwrap();
        assert!(header.contains(name), "the header does not name {name}");
    }
    let c = c_values(&path, &header_expressions(&header));
    let differences = differences(&c, &rust_values());
    assert!(differences.is_empty(), "against {}:\n{}", path.display(), differences.join("\n"));
}

#[test]
fn a_name_on_one_side_only_and_another_value_are_differences() {
    let values = |pairs: &[(&str, i64)]| pairs.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect::<Values>();
    let c = values(&[("kDLCPU", 1), ("kDLNew", 30), ("sizeof.DLTensor", 48)]);
    let rust = values(&[("kDLCPU", 1), ("kDLOld", 6), ("kDLTPU", 19), ("sizeof.DLTensor", 40)]);
    assert_eq!(
        differences(&c, &rust),
        [
            "kDLNew is 30 in the header and missing in Rust",
            "kDLOld is missing in the header",
            "sizeof.DLTensor is 48 in the header and 40 in Rust",
        ]
    );
}
