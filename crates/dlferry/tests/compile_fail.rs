//! What the types forbid. Each file beside this one must be refused, with the message that is next to it.
//!
//! The messages are those of one release of the compiler; with another one the test says that it did not run.
//! `TRYBUILD=overwrite cargo test -p dlferry --test compile_fail` writes them anew.

#![cfg(feature = "std")]

use std::io::Write;
use std::process::Command;

/// The release that wrote the messages.
const COMPILER: &str = "1.95.";

fn reason_to_skip() -> Option<String> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("-vV").output().expect("the compiler tells its version");
    let text = String::from_utf8_lossy(&output.stdout);
    let release = text.lines().find_map(|line| line.strip_prefix("release: ")).unwrap_or("unknown");
    if !release.starts_with(COMPILER) {
        return Some(format!("the messages are those of Rust {COMPILER}x, and this is {release}"));
    }
    let flags = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"].map(|name| std::env::var(name).unwrap_or_default());
    flags.iter().any(|flags| flags.contains("sanitizer")).then(|| "under a sanitizer nothing is learnt".to_owned())
}

#[test]
fn what_would_be_unsound_does_not_compile() {
    if let Some(reason) = reason_to_skip() {
        // Past the test harness, which shows nothing of a test that passes.
        writeln!(std::io::stderr(), "SKIPPED: compile_fail: {reason}").expect("standard error is open");
        return;
    }
    let cases = trybuild::TestCases::new();
    // Also makes the compiler finish the others: what `const` asserts is only seen then.
    cases.pass("tests/compile_fail/sound.rs");
    for rule in [
        "borrowed_data_is_not_exported",
        "a_borrowing_owner_is_not_exported",
        "an_owner_is_send",
        "a_view_does_not_outlive_its_tensor",
        "a_slice_does_not_outlive_its_tensor",
        "a_shared_reference_does_not_write",
        "a_tensor_is_written_by_one_at_a_time",
        "booleans_of_any_owner_are_not_writable",
    ] {
        cases.compile_fail(format!("tests/compile_fail/{rule}.rs"));
    }
}
