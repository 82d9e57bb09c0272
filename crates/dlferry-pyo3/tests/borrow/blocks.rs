//! What one thread sees of the registry.

use std::sync::atomic::Ordering;

use dlferry::abi::{DLDataType, DLDevice};
use dlferry::layout::Layout;
use dlferry::managed::{Descriptor, Fields};

use crate::record::{Kind, Record};
use crate::region::Region;
use crate::registry::{Block, RECORDS, Registry};

use Kind::{Exclusive, Shared};

pub(crate) fn region(first: usize, len: i64) -> Region {
    let data = std::ptr::without_provenance_mut(4096 + first);
    let layout = Layout::c_contiguous(&[len]).unwrap();
    Region::of(&Descriptor::new(data, DLDevice::CPU, DLDataType::U8, layout, Fields::SHARED).unwrap()).unwrap()
}

pub(crate) fn registry(is_concurrent: bool) -> &'static Registry {
    Box::leak(Box::new(Registry::new(is_concurrent)))
}

pub(crate) fn block(registry: &Registry) -> &'static Block {
    let block: &'static Block = Box::leak(Box::new(Block::claimed()));
    registry.add(block);
    block
}

fn reserve(block: &'static Block) -> &'static Record {
    block.reserve().expect("a record is free").1
}

#[test]
fn who_writes_is_alone() {
    for is_concurrent in [false, true] {
        let registry = registry(is_concurrent);
        let block = block(registry);
        // Held, asked for, refused because.
        let cases = [
            (Shared, Shared, None),
            (Shared, Exclusive, Some(Shared)),
            (Exclusive, Shared, Some(Exclusive)),
            (Exclusive, Exclusive, Some(Exclusive)),
        ];
        for (held, asked, refused) in cases {
            let (first, second) = (reserve(block), reserve(block));
            assert_eq!(registry.borrow(first, &region(0, 8), held), Ok(()));
            assert_eq!(registry.borrow(second, &region(7, 8), asked).err(), refused, "{held:?} {asked:?}");
            assert_eq!(registry.borrow(second, &region(8, 8), asked).err(), None, "apart");
            registry.release(first);
            registry.release(second);
        }
    }
}

#[test]
fn a_user_may_borrow_twice_and_others_see_both() {
    for is_concurrent in [false, true] {
        let registry = registry(is_concurrent);
        let block = block(registry);
        let (read, written, other) = (reserve(block), reserve(block), reserve(block));
        assert_eq!(registry.borrow(read, &region(4, 8), Shared), Ok(()));
        assert_eq!(registry.borrow_with(written, read, &region(0, 8), Exclusive), Ok(()));
        assert_eq!(registry.borrow(other, &region(8, 4), Exclusive), Err(Shared));
        assert_eq!(registry.borrow(other, &region(0, 4), Shared), Err(Exclusive));
        assert_eq!(registry.borrow(other, &region(8, 4), Shared), Ok(()));
        registry.release(written);
        registry.release(read);
        // Another's is none of one's own.
        assert_eq!(registry.borrow_with(written, read, &region(8, 8), Exclusive), Err(Shared));
        registry.release(other);
    }
}

#[test]
fn a_refused_borrow_leaves_nothing_behind() {
    for is_concurrent in [false, true] {
        let registry = registry(is_concurrent);
        let block = block(registry);
        let (reader, writer) = (reserve(block), reserve(block));
        registry.borrow(reader, &region(0, 8), Shared).unwrap();
        registry.borrow(writer, &region(0, 8), Exclusive).unwrap_err();
        // The refused one does not stand in the way of readers, nor count.
        let other = reserve(block);
        assert_eq!(registry.borrow(other, &region(0, 8), Shared), Ok(()));
        registry.release(reader);
        registry.release(other);
        assert_eq!(registry.borrow(writer, &region(0, 8), Exclusive), Ok(()));
        registry.release(writer);
        let again = reserve(block);
        assert_eq!(registry.borrow(again, &region(0, 8), Exclusive), Ok(()));
    }
}

#[test]
fn borrows_of_all_blocks_are_seen() {
    for is_concurrent in [false, true] {
        for (held, asked) in [(Shared, Exclusive), (Exclusive, Shared), (Exclusive, Exclusive)] {
            // Anew for each, so that a block has no territory but of what is borrowed now.
            let registry = registry(is_concurrent);
            let blocks = [block(registry), block(registry), block(registry)];
            for (at, holding) in blocks.into_iter().enumerate() {
                let first = reserve(holding);
                assert_eq!(registry.borrow(first, &region(at << 20, 8), held), Ok(()));
                for asking in blocks {
                    let second = reserve(asking);
                    assert_eq!(registry.borrow(second, &region(at << 20, 8), asked), Err(held), "{held:?} {asked:?}");
                    registry.release(second);
                }
                registry.release(first);
            }
        }
    }
}

#[test]
fn a_block_has_its_records_again_when_they_are_given_back_in_any_order() {
    let registry = registry(false);
    let block = block(registry);
    for stride in [1, 3, 5, 7, 11] {
        let records: Vec<_> = (0..RECORDS).map(|_| reserve(block)).collect();
        assert!(block.reserve().is_none(), "all are in use");
        for at in 0..RECORDS {
            let record = records[at * stride % RECORDS];
            registry.borrow(record, &region(at * 8, 8), Exclusive).unwrap();
            // One that is given back can be had at once, and those in use cannot.
            registry.release(record);
            assert!(std::ptr::eq(reserve(block), record));
            registry.borrow(record, &region(at * 8, 8), Exclusive).unwrap();
        }
        for record in records {
            registry.release(record);
        }
    }
}

#[test]
fn a_claimed_block_is_claimed_once() {
    let registry = registry(true);
    let block = block(registry);
    assert!(!block.claim());
    block.unclaim();
    assert!(block.claim() && !block.claim());
}

#[test]
fn a_block_tells_all_its_records_in_the_order_of_their_places() {
    let block = block(registry(false));
    let all: Vec<_> = block.records().map(std::ptr::from_ref).collect();
    assert_eq!(all.len(), RECORDS);
    for record in all {
        let (place, reserved) = block.reserve().expect("a record is free");
        assert!(std::ptr::eq(record, reserved), "{place}");
    }
    assert!(block.reserve().is_none());
}

#[test]
fn as_many_writers_are_counted_as_there_are() {
    // Where threads run at the same time, a block with writers is one, also for a while after.
    for (is_concurrent, two, one, none) in [(false, 2, 1, 0), (true, 1, 1, 1)] {
        let registry = registry(is_concurrent);
        assert_eq!(registry.is_concurrent(), is_concurrent);
        let block = block(registry);
        let count = || registry.exclusives.load(Ordering::Relaxed);
        let (first, second, third) = (reserve(block), reserve(block), reserve(block));
        assert_eq!(registry.borrow(first, &region(0, 8), Exclusive), Ok(()));
        assert_eq!(registry.borrow(second, &region(8, 8), Exclusive), Ok(()));
        assert_eq!(count(), two);
        assert_eq!(registry.borrow(third, &region(4, 8), Exclusive), Err(Exclusive));
        assert_eq!(registry.borrow(third, &region(4, 8), Shared), Err(Exclusive));
        assert_eq!(count(), two, "a refused one does not stand");
        registry.release(second);
        assert_eq!(registry.borrow(third, &region(8, 8), Shared), Ok(()));
        assert_eq!(count(), one, "a reader is none");
        registry.release(third);
        registry.release(first);
        assert_eq!(count(), none);
    }
}

#[test]
fn a_record_is_never_again_in_the_state_of_an_earlier_borrow() {
    let registry = registry(true);
    let block = block(registry);
    let mut seen = Vec::new();
    for kind in [Shared, Exclusive, Shared, Exclusive] {
        let record = reserve(block);
        assert_eq!(registry.borrow(record, &region(0, 8), kind), Ok(()));
        let state = record.state.load(Ordering::Relaxed);
        assert!(!seen.contains(&state), "who reads meanwhile would take one borrow for another");
        seen.push(state);
        registry.release(record);
    }
}

#[test]
fn a_refused_borrow_keeps_nobody_away() {
    let registry = registry(false);
    let block = block(registry);
    for kind in [Shared, Exclusive] {
        let (held, refused) = (reserve(block), reserve(block));
        assert_eq!(registry.borrow(held, &region(0, 8), Exclusive), Ok(()));
        assert_eq!(registry.borrow(refused, &region(4, 8), kind), Err(Exclusive));
        let third = reserve(block);
        assert!(!std::ptr::eq(third, refused), "its record is still its own");
        assert_eq!(registry.borrow(third, &region(8, 8), Exclusive), Ok(()), "free all the time");
        for record in [held, refused, third] {
            registry.release(record);
        }
    }
}
