//! What the attribute says when it is not used as it should be. Each file in the folder of this name must be refused, with
//! the message that is next to it.
//!
//! The messages are those of one release of the compiler; with another one the test says that it did not run.
//! `TRYBUILD=overwrite cargo test -p dlferry-macros --test compile_fail` writes them anew.

use std::io::Write;
use std::process::Command;

/// The release that wrote the messages.
const COMPILER: &str = "1.95.";

fn reason_to_skip() -> Option<String> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("-vV").output().expect("the compiler tells its version");
    let text = String::from_utf8_lossy(&output.stdout);
    let release = text.lines().find_map(|line| line.strip_prefix("release: ")).unwrap_or("unknown");
    let other = format!("the messages are those of Rust {COMPILER}x, and this is {release}");
    (!release.starts_with(COMPILER)).then_some(other)
}

#[test]
fn misuse_is_told_where_it_is() {
    if let Some(reason) = reason_to_skip() {
        // Past the test harness, which shows nothing of a test that passes.
        writeln!(std::io::stderr(), "SKIPPED: compile_fail: {reason}").expect("standard error is open");
        return;
    }
    let cases = trybuild::TestCases::new();
    for case in [
        "on_a_struct",
        "on_an_impl_of_a_trait",
        "below_pymethods",
        "without_pymethods",
        "with_another_argument",
        "with_a_method_of_its_own",
        "on_a_class_without_a_tensor",
        "results_that_are_no_data",
    ] {
        cases.compile_fail(format!("tests/compile_fail/{case}.rs"));
    }
}
