use core::fmt;
#[cfg(feature = "threads")]
use core::num::NonZeroUsize;
use core::ops::ControlFlow;

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

/// Bytes below which a thread more is not worth its start.
#[cfg(feature = "threads")]
const SHARE: usize = 4 << 20;

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
        let threads = self.threads_for(plan.bytes());
        let at_once = PIECE.saturating_mul(threads);
        let pauses = if self.between.is_some() { plan.bytes().div_ceil(at_once) } else { 1 };
        if threads.max(pauses) <= 1 {
            // SAFETY: vouched for by the caller.
            unsafe { plan.run(target, source) };
            return Ok(());
        }
        let pieces = plan.pieces(threads.saturating_mul(pauses));
        let memory = Memory { target, source };
        let mut between = self.between;
        let mut done = 0_usize;
        while done < pieces.count {
            let count = threads.min(pieces.count.saturating_sub(done));
            let piece = |number: usize| {
                // SAFETY: a piece of the plan, vouched for by the caller; no two pieces write the same elements.
                unsafe { memory.copy(&plan.piece(pieces, done.saturating_add(number))) };
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
    unsafe fn copy(&self, plan: &Plan) {
        // SAFETY: vouched for by the caller.
        unsafe { plan.run(self.target, self.source) };
    }
}

// SAFETY: the pieces of a copy write different elements, and nobody else looks (the contract of `Job::run`).
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

#[cfg(feature = "threads")]
use super::threads::share;

#[cfg(not(feature = "threads"))]
fn share(count: usize, piece: impl Fn(usize)) {
    (0..count).for_each(piece);
}
