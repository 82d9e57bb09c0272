//! How many threads a large copy is shared between.

use alloc::string::String;
use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::thread;

/// Threads that were asked for; 0 for none in particular.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// More would wait for the same memory.
const MOST_UNASKED: usize = 16;

/// Sets how many threads a large copy is shared between, from now on and in the whole process; 1 for the calling one
/// alone.
pub fn set_num_threads(count: NonZeroUsize) {
    ASKED.store(count.get(), Ordering::Relaxed);
}

/// The number of threads that a large copy is shared between.
///
/// It is what [`set_num_threads`] said, else what the environment variable `DLFERRY_NUM_THREADS` says, which is read
/// once and ignored unless it is a number above 0 ([`ignored_num_threads`]); else as many as the process may run at once, up
/// to 16.
#[must_use]
pub fn num_threads() -> NonZeroUsize {
    NonZeroUsize::new(ASKED.load(Ordering::Relaxed)).unwrap_or_else(|| UNASKED.get_or_init(Unasked::read).count)
}

/// What the environment variable `DLFERRY_NUM_THREADS` says, if [`num_threads`] has read it and it is no number above 0: 0 and
/// negative ones mean nothing. `None` where it is absent or empty.
#[must_use]
pub fn ignored_num_threads() -> Option<&'static str> {
    UNASKED.get()?.ignored.as_deref()
}

/// The number of threads where nobody has set it.
static UNASKED: OnceLock<Unasked> = OnceLock::new();

struct Unasked {
    count: NonZeroUsize,
    ignored: Option<String>,
}

impl Unasked {
    /// Reads the environment.
    fn read() -> Self {
        let text = std::env::var_os("DLFERRY_NUM_THREADS").unwrap_or_default();
        let text = text.to_string_lossy();
        if let Ok(count) = text.trim().parse() {
            return Self { count, ignored: None };
        }
        let most = NonZeroUsize::new(MOST_UNASKED).unwrap_or(NonZeroUsize::MIN);
        let count = thread::available_parallelism().map_or(NonZeroUsize::MIN, |count| count.min(most));
        Self { count, ignored: (!text.trim().is_empty()).then(|| text.into_owned()) }
    }
}

/// Does all of some numbered pieces, the first on this thread and the others on threads of their own. A thread that cannot
/// be had is done without, and none is left when this returns.
pub(super) fn share(count: usize, piece: impl Fn(usize) + Sync) {
    thread::scope(|scope| {
        let piece = &piece;
        let (mut started, mut left) = (Vec::new(), Vec::new());
        for number in 1..count {
            match thread::Builder::new().name(String::from("dlferry-copy")).spawn_scoped(scope, move || piece(number)) {
                Ok(thread) => started.push(thread),
                Err(_) => left.push(number),
            }
        }
        piece(0);
        left.into_iter().for_each(piece);
        // The scope is content when the work of its threads is done; what they clean up then could outlast the copy.
        for thread in started {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}
