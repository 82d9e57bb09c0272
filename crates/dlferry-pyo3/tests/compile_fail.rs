//! What the types of arguments forbid. Each file beside this one must be refused, with the message that is next to it.
//!
//! The messages are those of one release of the compiler and of PyO3; with another compiler the test says that it did not
//! run. `TRYBUILD=overwrite cargo test -p dlferry-pyo3 --test compile_fail` writes them anew.

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
    for rule in [
        "a_view_does_not_outlive_the_interpreter",
        "a_slice_does_not_outlive_its_view",
        "a_view_does_not_leave_its_thread",
        "a_mutable_view_is_written_by_one_at_a_time",
        "a_mutable_view_does_not_convert",
        "memory_of_a_device_has_no_elements",
        "requirements_do_not_contradict_one_another",
        "a_type_of_ones_own_is_vouched_for",
    ] {
        cases.compile_fail(format!("tests/compile_fail/{rule}.rs"));
    }
}
