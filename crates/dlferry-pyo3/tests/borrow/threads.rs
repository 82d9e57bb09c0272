//! Threads that borrow the same memory, and find out whether they had it.

use std::sync::Barrier;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use crate::blocks::{block, region, registry};
use crate::record::Kind;

const ROUNDS: usize = 20_000;
const THREADS: usize = 4;

/// Reads or writes cells under a borrow of them; a cell counts its readers, and is -1 for a writer.
#[test]
fn no_two_threads_have_what_excludes() {
    let registry = registry(true);
    let cells: [AtomicIsize; 4] = Default::default();
    let (granted, start) = (AtomicUsize::new(0), Barrier::new(THREADS));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (cells, granted, start) = (&cells, &granted, &start);
            scope.spawn(move || {
                let block = block(registry);
                start.wait();
                let mut random = thread * 7919 + 1;
                for _ in 0..ROUNDS {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let (first, more) = ((random >> 33) % 4, (random >> 40) % 2);
                    let last = (first + more).min(3);
                    let kind = if (random >> 45) % 4 == 0 { Kind::Exclusive } else { Kind::Shared };
                    let (_, record) = block.reserve().expect("few are in use");
                    let len = i64::try_from(last + 1 - first).unwrap() * 8;
                    if registry.borrow(record, &region(first * 8, len), kind).is_ok() {
                        granted.fetch_add(1, Ordering::Relaxed);
                        for cell in &cells[first..=last] {
                            match kind {
                                Kind::Shared => {
                                    assert!(cell.fetch_add(1, Ordering::Relaxed) >= 0, "read while written");
                                }
                                Kind::Exclusive => {
                                    assert_eq!(cell.swap(-1, Ordering::Relaxed), 0, "written while in use");
                                }
                            }
                        }
                        for cell in &cells[first..=last] {
                            match kind {
                                Kind::Shared => assert!(cell.fetch_sub(1, Ordering::Relaxed) > 0),
                                Kind::Exclusive => assert_eq!(cell.swap(0, Ordering::Relaxed), -1),
                            }
                        }
                    }
                    registry.release(record);
                }
            });
        }
    });
    assert!(granted.into_inner() > ROUNDS, "nearly all were refused, so nothing was tested");
}
