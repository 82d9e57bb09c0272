//! All orders, of all that two or three threads do to the registry, that the memory model allows.

use loom::cell::UnsafeCell;
use loom::sync::Arc;

use crate::record::Kind::{self, Exclusive, Shared};
use crate::region::{Comb, Region};
use crate::registry::{Block, Registry};

fn region(low: usize, high: usize) -> Region {
    Region { space: 0, low, high, combs: [Comb { step: 0, width: high - low }; 2] }
}

/// The memory that is borrowed: loom sees when two threads are at it and one of them writes.
struct Memory(UnsafeCell<usize>);

// SAFETY: what is tested is that the registry keeps the threads apart.
unsafe impl Sync for Memory {}

/// Loom's atomics belong to one run, so a run leaks what it makes; it is small.
fn fresh() -> (&'static Registry, Arc<Memory>) {
    (Box::leak(Box::new(Registry::new(true))), Arc::new(Memory(UnsafeCell::new(0))))
}

fn block(registry: &Registry) -> &'static Block {
    let block: &'static Block = Box::leak(Box::new(Block::claimed()));
    registry.add(block);
    block
}

/// Borrows the memory, looks at it or writes it, and gives it back; says whether it was to be had.
fn use_memory(registry: &Registry, block: &'static Block, memory: &Memory, kind: Kind) -> bool {
    let (_, record) = block.reserve().expect("a record is free");
    let granted = registry.borrow(record, &region(0, 8), kind).is_ok();
    if granted {
        match kind {
            // SAFETY: loom's pointer is valid; that nobody writes is what is tested.
            Shared => memory.0.with(|value| assert!(unsafe { *value } < 10)),
            // SAFETY: as above; that nobody else is there is what is tested.
            Exclusive => memory.0.with_mut(|value| unsafe { *value += 1 }),
        }
    }
    registry.release(record);
    granted
}

fn two_threads(first: Kind, second: Kind) {
    loom::model(move || {
        let (registry, memory) = fresh();
        let (one, other) = (block(registry), block(registry));
        let shared = memory.clone();
        let thread = loom::thread::spawn(move || use_memory(registry, one, &shared, first));
        let had = use_memory(registry, other, &memory, second);
        let had = (thread.join().unwrap(), had);
        if first == Shared && second == Shared {
            assert_eq!(had, (true, true), "readers do not exclude one another");
        }
        // Whoever was refused: nothing is left behind.
        assert!(use_memory(registry, other, &memory, Exclusive));
    });
}

#[test]
fn a_reader_and_a_writer_are_kept_apart() {
    two_threads(Shared, Exclusive);
}

#[test]
fn two_writers_are_kept_apart() {
    two_threads(Exclusive, Exclusive);
}

#[test]
fn two_readers_are_not() {
    two_threads(Shared, Shared);
}

/// A record is used again, for other memory and for the same, while another thread looks at it.
#[test]
fn a_record_that_is_used_again_is_read_whole() {
    loom::model(|| {
        let (registry, memory) = fresh();
        let (one, other) = (block(registry), block(registry));
        let shared = memory.clone();
        let thread = loom::thread::spawn(move || {
            let (_, record) = one.reserve().expect("a record is free");
            registry.borrow(record, &region(100, 108), Exclusive).expect("nobody else is there");
            registry.release(record);
            use_memory(registry, one, &shared, Exclusive)
        });
        let (_, record) = other.reserve().expect("a record is free");
        // Half of the old region and half of the new one would meet this; neither does alone.
        if registry.borrow(record, &region(8, 100), Exclusive).is_err() {
            panic!("refused for memory that nobody borrowed");
        }
        registry.release(record);
        thread.join().unwrap();
        assert!(use_memory(registry, other, &memory, Exclusive));
    });
}

/// Blocks that are added while others look.
#[test]
fn a_new_block_is_seen() {
    loom::model(|| {
        let (registry, memory) = fresh();
        let other = block(registry);
        let shared = memory.clone();
        let thread = loom::thread::spawn(move || use_memory(registry, block(registry), &shared, Exclusive));
        use_memory(registry, other, &memory, Shared);
        thread.join().unwrap();
    });
}

/// The territory of a thread is begun anew between two borrows, while another thread asks.
#[test]
fn a_territory_that_is_begun_anew_hides_nobody() {
    for (first, second) in [(Exclusive, Shared), (Shared, Exclusive)] {
        loom::model(move || {
            let (registry, memory) = fresh();
            let (one, other) = (block(registry), block(registry));
            let shared = memory.clone();
            let thread = loom::thread::spawn(move || {
                use_memory(registry, one, &shared, first);
                registry.renew(one);
                use_memory(registry, one, &shared, first);
            });
            use_memory(registry, other, &memory, second);
            thread.join().unwrap();
            assert!(use_memory(registry, other, &memory, Exclusive));
        });
    }
}

/// A record that was reserved before another thread claimed the block: both let its territory grow, and nobody takes away what
/// the other relies on.
#[test]
fn two_threads_with_records_of_one_block_are_both_seen() {
    loom::model(|| {
        let (registry, memory) = fresh();
        let (one, other) = (block(registry), block(registry));
        let shared = memory.clone();
        let (_, record) = one.reserve().expect("a record is free");
        let thread = loom::thread::spawn(move || {
            registry.borrow(record, &region(100, 108), Exclusive).expect("nobody else is there");
            registry.release(record);
        });
        registry.renew(one);
        use_memory(registry, one, &shared, Exclusive);
        registry.renew(one);
        use_memory(registry, other, &memory, Shared);
        thread.join().unwrap();
    });
}
