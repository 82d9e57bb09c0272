//! Without `std` a panic cannot be caught: an owner that panics in the deleter ends the process, and nothing unwinds
//! into the consumer.

#![cfg(all(not(feature = "std"), unix))]

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use dlferry::abi::DLManagedTensorVersioned;
use dlferry::export::{Export, Owner};
use dlferry::managed::{Handle, Tensor};

/// Set for the process that is to end.
const CHILD: &str = "DLFERRY_TEST_PANICKING_OWNER";
const ABORTED: i32 = 6;

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("an owner that panics when it is dropped");
    }
}

impl Owner for Bomb {
    type Item = u8;

    fn as_slice(&self) -> &[u8] {
        &[]
    }
}

/// Does nothing unless this process is the child.
#[test]
fn child() {
    match std::env::var(CHILD).as_deref() {
        Ok("tensor") => drop::<Tensor>(Export::read_only(Bomb).finish().unwrap()),
        Ok("struct") => {
            let managed = Export::read_only(Bomb).into_managed::<DLManagedTensorVersioned>().unwrap();
            // SAFETY: just made and handed to nobody else.
            drop(unsafe { Handle::versioned(managed) });
        }
        _ => {}
    }
}

#[test]
fn an_owner_that_panics_in_the_deleter_aborts() {
    for way in ["tensor", "struct"] {
        let program = std::env::current_exe().unwrap();
        let output = Command::new(program).args(["--exact", "child"]).env(CHILD, way).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(ABORTED), "{way}: {}\n{complaint}", output.status);
    }
}
