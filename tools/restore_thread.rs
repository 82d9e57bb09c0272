
// What pyo3 has had since 0.29, for the copy of pyo3-ffi 0.28 that `make freethreaded` builds: CPython up to 3.13 ends a thread
// that comes back to an interpreter which is gone (`pthread_exit`), and that cannot pass a frame of Rust: the process is aborted.
// The thread waits for ever instead, as it does in CPython 3.14 whoever calls.

mod ends_the_thread {
    extern "C-unwind" {
        pub fn PyEval_RestoreThread(state: *mut super::PyThreadState);
    }
}

struct WaitsForEver;

impl Drop for WaitsForEver {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

pub unsafe extern "C" fn PyEval_RestoreThread(state: *mut PyThreadState) {
    let never = WaitsForEver;
    ends_the_thread::PyEval_RestoreThread(state);
    std::mem::forget(never);
}
