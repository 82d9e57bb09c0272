//! What became of the tensors of a process, told when it ends.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::process;
use std::sync::Once;

use super::exit::atexit;

/// The variable that names the file to tell it in.
const FILE: &str = "DLFERRY_TESTING_LEDGER";

/// Adds a line to the file that the environment names: the process, tensors made, tensors left, deletions too many.
extern "C" fn close() {
    let Some(path) = env::var_os(FILE) else { return };
    let totals = crate::totals();
    let line = format!("{} {} {} {}\n", process::id(), totals.born, totals.live, totals.again);
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path) {
        // One write, so that the lines of several processes stay whole. Nobody is left to hear that it failed.
        file.write_all(line.as_bytes()).ok();
    }
}

/// Has the line added when this process ends, after all that is registered later.
pub(super) fn open() {
    static OPEN: Once = Once::new();
    if env::var_os(FILE).is_some() {
        OPEN.call_once(|| {
            // Without room for a handler there is no line, which whoever reads the file sees.
            atexit(close);
        });
    }
}
