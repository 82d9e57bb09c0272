use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use dlferry::abi::{DLDataType, DLDevice};
use dlferry::managed::Descriptor;

use super::Frame;
use crate::borrow::Region;

/// What a tensor was exported as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consumer {
    /// A capsule, by `__dlpack__`; taken by a consumer or not yet.
    Capsule,
    /// A managed tensor of the C exchange API.
    Exchange,
    /// A buffer.
    Buffer,
    /// A `numpy.ndarray` over the memory.
    NumPy,
}

impl Consumer {
    /// The name that Python sees.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Capsule => "capsule",
            Self::Exchange => "exchange",
            Self::Buffer => "buffer",
            Self::NumPy => "numpy",
        }
    }
}

/// An export that is alive as long as the consumer's reference to this: what it is, for whom, since when and from where.
#[derive(Debug)]
pub struct Record {
    shape: Box<[i64]>,
    dtype: DLDataType,
    device: DLDevice,
    nbytes: usize,
    read_only: bool,
    region: Option<Region>,
    consumer: Consumer,
    created: Instant,
    site: Vec<Frame>,
}

impl Record {
    pub(super) fn new(descriptor: &Descriptor, consumer: Consumer, site: Vec<Frame>) -> Self {
        Self {
            shape: descriptor.shape().into(),
            dtype: descriptor.dtype(),
            device: descriptor.device(),
            nbytes: descriptor.nbytes(),
            read_only: descriptor.is_read_only(),
            region: Region::of(descriptor),
            consumer,
            created: Instant::now(),
            site,
        }
    }

    /// The extents of the axes.
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The type of an element.
    #[must_use]
    pub fn dtype(&self) -> DLDataType {
        self.dtype
    }

    /// Where the memory is.
    #[must_use]
    pub fn device(&self) -> DLDevice {
        self.device
    }

    /// Bytes of all elements.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// Whether the consumer was told not to write.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// What it was exported as.
    #[must_use]
    pub fn consumer(&self) -> Consumer {
        self.consumer
    }

    /// How long ago it was exported.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.created.elapsed()
    }

    /// Where in Python it was exported, the innermost frame first; empty where no Python code ran.
    #[must_use]
    pub fn site(&self) -> &[Frame] {
        &self.site
    }

    pub(super) fn may_meet(&self, other: &Region) -> bool {
        self.region.as_ref().is_some_and(|region| region.may_meet(other))
    }
}

/// The records that were made, in order; what became of them is seen when they are looked for. So an export that ends
/// touches nothing here, and whoever takes the lock is attached: a process that forks, which is attached too, leaves it
/// free in the child.
struct Registry {
    records: Vec<Weak<Record>>,
    /// With so many of them, those that ended are swept out.
    sweep_at: usize,
}

/// The least number of records that is swept.
const FIRST_SWEEP: usize = 64;

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { records: Vec::new(), sweep_at: FIRST_SWEEP });

fn registry() -> MutexGuard<'static, Registry> {
    // Nothing that panics leaves the list half done.
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a record known.
pub(super) fn add(record: Record) -> Arc<Record> {
    let record = Arc::new(record);
    let mut registry = registry();
    if registry.records.len() >= registry.sweep_at {
        registry.records.retain(|record| record.strong_count() > 0);
        // As many again as are alive: what is swept was added, so each record pays for a bounded part.
        registry.sweep_at = registry.records.len().saturating_mul(2).max(FIRST_SWEEP);
    }
    registry.records.push(Arc::downgrade(&record));
    record
}

/// The records of exports that are alive and that `wanted` likes, oldest first.
pub(super) fn live(wanted: impl Fn(&Record) -> bool) -> Vec<Arc<Record>> {
    registry().records.iter().filter_map(Weak::upgrade).filter(|record| wanted(record)).collect()
}
