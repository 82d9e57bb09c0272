use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static BORN: AtomicUsize = AtomicUsize::new(0);
static AGAIN: AtomicUsize = AtomicUsize::new(0);
static NEXT_THREAD: AtomicU64 = AtomicU64::new(1);

thread_local! {
    // A plain cell has no destructor, so it can be read in exit handlers too.
    static THREAD: Cell<u64> = const { Cell::new(0) };
}

/// Returns how many crafted tensors of this process await their deleter.
///
/// Tensors built with a NULL deleter are not counted: nobody can end them.
#[must_use]
pub fn live() -> usize {
    LIVE.load(Ordering::SeqCst)
}

/// What became of all the crafted tensors of this process that have a deleter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// How many were made.
    pub born: usize,
    /// How many await their deleter.
    pub live: usize,
    /// How many calls of a deleter came after the first one for its tensor. Only tensors that are kept or poisoned live to see
    /// one; with `DLFERRY_TESTING_KEEP` in the environment all of them are kept.
    pub again: usize,
}

/// Returns what became of all the crafted tensors so far.
#[must_use]
pub fn totals() -> Totals {
    Totals { born: BORN.load(Ordering::SeqCst), live: live(), again: AGAIN.load(Ordering::SeqCst) }
}

/// Whether every tensor is kept after its deletion, so that a second one is seen.
pub(crate) fn keeps_all() -> bool {
    static KEEPS: OnceLock<bool> = OnceLock::new();
    *KEEPS.get_or_init(|| std::env::var_os("DLFERRY_TESTING_KEEP").is_some())
}

/// Returns a number for the current thread, the same that [`Call::thread`] holds.
///
/// Numbers start at 1 and are not used again.
#[must_use]
pub fn thread_id() -> u64 {
    THREAD.with(|cell| {
        if cell.get() == 0 {
            cell.set(NEXT_THREAD.fetch_add(1, Ordering::Relaxed));
        }
        cell.get()
    })
}

/// The Python interpreter as a deleter met it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpreter {
    /// There is none: not started yet, already finalised, or this crate was built without the feature `python`.
    Absent,
    /// It runs, and the thread was not attached to it (the GIL was not held).
    Detached,
    /// The thread was attached and no exception was set.
    Attached,
    /// The thread was attached and an exception was set.
    AttachedPending,
}

impl Interpreter {
    #[cfg(not(feature = "python"))]
    fn now() -> Self {
        Self::Absent
    }

    #[cfg(feature = "python")]
    fn now() -> Self {
        use pyo3::ffi;

        // SAFETY: may be called at any time, on any thread, also before and after the interpreter's life.
        if unsafe { ffi::Py_IsInitialized() } == 0 {
            return Self::Absent;
        }
        // SAFETY: the interpreter is initialised; needs no attachment.
        if unsafe { ffi::PyGILState_Check() } == 0 {
            return Self::Detached;
        }
        // SAFETY: this thread is attached.
        if unsafe { ffi::PyErr_Occurred() }.is_null() { Self::Attached } else { Self::AttachedPending }
    }

    /// Whether the thread was attached.
    #[must_use]
    pub fn attached(self) -> bool {
        matches!(self, Self::Attached | Self::AttachedPending)
    }

    /// Whether an exception was set.
    #[must_use]
    pub fn pending(self) -> bool {
        self == Self::AttachedPending
    }
}

/// One call of a crafted tensor's deleter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The thread that called, as [`thread_id`] numbers it.
    pub thread: u64,
    /// The interpreter at that moment.
    pub interpreter: Interpreter,
    /// Whether the pointer was the one the producer gave out, not that of a copied struct (rule R2.20).
    pub original: bool,
}

/// What consumers did with the tensors of one recipe.
#[derive(Debug, Default)]
pub struct Record {
    calls: Mutex<Vec<Call>>,
}

impl Record {
    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the calls of the deleter so far, oldest first.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.lock().clone()
    }

    /// Returns how often the deleter was called.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    /// Writes down a call made on this thread, now.
    pub(crate) fn note(&self, original: bool) {
        let call = Call { thread: thread_id(), interpreter: Interpreter::now(), original };
        self.lock().push(call);
    }
}

/// Counts a tensor that has a deleter.
pub(crate) fn born() {
    LIVE.fetch_add(1, Ordering::SeqCst);
    BORN.fetch_add(1, Ordering::SeqCst);
}

/// Counts a deletion that is not the first one of its tensor.
pub(crate) fn again() {
    AGAIN.fetch_add(1, Ordering::SeqCst);
}

/// Takes a tensor out of the count: deleted, or given up for good.
pub(crate) fn gone() {
    LIVE.fetch_sub(1, Ordering::SeqCst);
}
