use core::fmt;
#[cfg(feature = "threads")]
use core::num::NonZeroUsize;
use core::ops::ControlFlow;

use super::plan::{Pieces, Work};
use super::{CopyError, Plan};

/// How a copy is carried out: on how many threads, and who is asked between two pieces whether to go on.
///
/// # Examples
///
/// ```
/// use core::ops::ControlFlow;
/// use dlferry::copy::{CopyError, Job, Order};
/// use dlferry::export::Export;
///
/// let pixels = Export::read_only(vec![1_u8; 3 << 20]).shape(&[1024, 1024, 3]).finish()?;
/// let is_over = false; // what somebody else may set
/// let mut ask = || if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
/// match Job::new().between(&mut ask).to_contiguous(pixels.view(), Order::F) {
///     Ok(copy) => assert!(copy.descriptor().layout().is_f_contiguous()),
///     Err(CopyError::Interrupted) => {}
///     Err(other) => return Err(other.into()),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[must_use = "nothing is copied before a method says what"]
pub struct Job<'a> {
    #[cfg(feature = "threads")]
    threads: Option<NonZeroUsize>,
    between: Option<&'a mut (dyn FnMut() -> ControlFlow<()> + Send)>,
}

/// Bytes that a thread copies between two pauses: some hundredths of a second.
const PIECE: usize = 64 << 20;

/// Bytes below which a thread more is not worth its start; few where a fuzzer is to see what threads do.
#[cfg(feature = "threads")]
const SHARE: usize = if cfg!(fuzzing) { 1 << 10 } else { 4 << 20 };

impl<'a> Job<'a> {
    /// A copy that goes on until it is done; on as many threads as [`num_threads`](super::num_threads) says, with the
    /// feature `threads`, when it is large.
    pub fn new() -> Self {
        Self::default()
    }

    /// Shares a large copy between this many threads.
    #[cfg(feature = "threads")]
    pub fn threads(mut self, count: NonZeroUsize) -> Self {
        self.threads = Some(count);
        self
    }

    /// Asks `ask` between pieces of a large copy, on the calling thread. After a break the copy ends with
    /// [`CopyError::Interrupted`], and a target that was there before has the elements copied so far.
    pub fn between(mut self, ask: &'a mut (dyn FnMut() -> ControlFlow<()> + Send)) -> Self {
        self.between = Some(ask);
        self
    }

    /// The same for another copy, while this one waits.
    pub(super) fn again(&mut self) -> Job<'_> {
        Job {
            #[cfg(feature = "threads")]
            threads: self.threads,
            between: match &mut self.between {
                Some(ask) => Some(&mut **ask),
                None => None,
            },
        }
    }

    /// Carries a plan out.
    ///
    /// # Errors
    ///
    /// [`CopyError::Interrupted`].
    ///
    /// # Safety
    ///
    /// As [`Plan::run`].
    pub unsafe fn run(self, plan: &Plan, target: *mut u8, source: *const u8) -> Result<(), CopyError> {
        // SAFETY: vouched for by the caller.
        unsafe { self.carry_out(plan, target, source) }
    }

    /// Carries out what was planned, on the threads that it is worth.
    ///
    /// # Safety
    ///
    /// As [`Plan::run`].
    pub(super) unsafe fn carry_out(
        self,
        work: &impl Work,
        target: *mut u8,
        source: *const u8,
    ) -> Result<(), CopyError> {
        let Some((threads, pieces)) = self.pieces(work) else {
            // SAFETY: vouched for by the caller.
            unsafe { work.run(target, source) };
            return Ok(());
        };
        let memory = Memory { target, source };
        let mut between = self.between;
        let mut done = 0_usize;
        while done < pieces.count {
            let count = threads.min(pieces.count.saturating_sub(done));
            let piece = |number: usize| {
                let piece = work.piece(pieces, done.saturating_add(number));
                // SAFETY: a piece of the work, vouched for by the caller; those of more threads write no byte twice.
                unsafe { memory.copy(&piece) };
            };
            share(count, piece);
            done = done.saturating_add(count);
            if let (Some(ask), true) = (between.as_mut(), done < pieces.count) {
                if ask().is_break() {
                    return Err(CopyError::Interrupted);
                }
            }
        }
        Ok(())
    }

    /// On how many threads work is done, and in which pieces; `None` when it is done at once.
    fn pieces(&self, work: &impl Work) -> Option<(usize, Pieces)> {
        let bytes = work.bytes();
        let pauses = |threads: usize| {
            let at_once = PIECE.saturating_mul(threads);
            if self.between.is_some() { bytes.div_ceil(at_once) } else { 1 }
        };
        let threads = self.threads_for(bytes);
        let shared = work.pieces(threads.saturating_mul(pauses(threads)), threads > 1);
        // Pieces that one thread makes one after another may have a byte in common, so that there can be more of them.
        let alone = if threads > 1 { work.pieces(pauses(1), false) } else { None };
        match (shared, alone) {
            (shared, Some(alone)) if shared.is_none_or(|shared| shared.count < alone.count) => Some((1, alone)),
            (shared, _) => shared.map(|shared| (threads, shared)),
        }
    }

    #[cfg(feature = "threads")]
    fn threads_for(&self, bytes: usize) -> usize {
        // Nobody is asked how many there are where one will do.
        let most = bytes.checked_div(SHARE).unwrap_or(1);
        if most <= 1 { 1 } else { most.min(self.threads.unwrap_or_else(super::num_threads).get()) }
    }

    #[cfg(not(feature = "threads"))]
    #[allow(clippy::unused_self, reason = "the other one needs it")]
    fn threads_for(&self, _bytes: usize) -> usize {
        1
    }
}

impl fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("asks", &self.between.is_some()).finish_non_exhaustive()
    }
}

/// Both sides of a copy that threads share.
struct Memory {
    target: *mut u8,
    source: *const u8,
}

impl Memory {
    /// # Safety
    ///
    /// As [`Plan::run`].
    unsafe fn copy(&self, work: &impl Work) {
        // SAFETY: vouched for by the caller.
        unsafe { work.run(self.target, self.source) };
    }
}

// SAFETY: the pieces that are copied at once write different bytes, and nobody else looks (the contract of `Job::run`).
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

#[cfg(feature = "threads")]
use super::threads::share;

#[cfg(not(feature = "threads"))]
fn share(count: usize, piece: impl Fn(usize)) {
    (0..count).for_each(piece);
}
