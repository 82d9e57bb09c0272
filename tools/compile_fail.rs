//! What must not compile, for the tests of several crates, which take this file in by its path.
//!
//! The messages are those of one release of the compiler; with another one the test says that it did not run.
//! `TRYBUILD=overwrite cargo test -p CRATE --test compile_fail` writes them anew.

use std::io::Write;
use std::process::Command;

/// The release that wrote the messages.
const COMPILER: &str = "1.95.";

/// Compiles `passing` files and the `refused` ones, each of which must fail with the message that is next to it.
pub(crate) fn check(passing: &[&str], refused: &[&str]) {
    if let Some(reason) = reason_to_skip() {
        // Past the test harness, which shows nothing of a test that passes.
        writeln!(std::io::stderr(), "SKIPPED: compile_fail: {reason}").expect("standard error is open");
        return;
    }
    let cases = trybuild::TestCases::new();
    for name in passing {
        cases.pass(format!("tests/compile_fail/{name}.rs"));
    }
    for name in refused {
        cases.compile_fail(format!("tests/compile_fail/{name}.rs"));
    }
}

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
