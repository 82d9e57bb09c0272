//! What a thread need not look at, and that it looks at all else.

use std::sync::atomic::Ordering;

use crate::blocks::{block, region, registry};
use crate::record::Kind::{Exclusive, Shared};
use crate::region::{Comb, Region};
use crate::territory::{BITS, Footprint, Territory};

fn bytes(low: usize, high: usize) -> Region {
    Region { space: 0, low, high, combs: [Comb { step: 0, width: high - low }; 2] }
}

/// Ends of regions: on borders of pieces, of words, of stretches, of addresses, and beside them.
fn places() -> Vec<usize> {
    let borders = [1_usize << 12, 63 << 12, 64 << 12, 65 << 12, 511 << 12, 1 << 26, (1 << 26) + (1 << 12), 5 << 26];
    let mut places: Vec<_> = borders.iter().flat_map(|at| [at - 1, *at, at + 1]).collect();
    places.extend([8, usize::MAX - 4096, usize::MAX]);
    places.sort_unstable();
    places
}

#[test]
fn regions_that_meet_have_a_bit_in_common() {
    let places = places();
    let regions: Vec<_> = places
        .iter()
        .flat_map(|low| places.iter().filter(move |high| low < high).map(|high| bytes(*low, *high)))
        .collect();
    let mut apart = 0;
    for one in &regions {
        let territory = Territory::new();
        let own = Footprint::of(one);
        assert!(!territory.has(own) && !territory.meets(own));
        territory.add(own);
        assert!(territory.has(own) && territory.meets(own), "{one:?}");
        for other in &regions {
            let seen = territory.meets(Footprint::of(other));
            assert!(seen || !one.may_meet(other), "{one:?} {other:?}");
            apart += usize::from(!seen);
        }
        territory.clear();
        assert!(!territory.meets(Footprint::All));
    }
    assert!(apart > regions.len(), "all meet all, so nothing was gained");
}

#[test]
fn as_many_bits_are_added_as_a_region_has_pieces() {
    for (pieces, bits) in [(1, 1), (2, 2), (63, 63), (64, 64), (65, BITS), (100_000, BITS)] {
        for first in [0_usize, 1, 62, 63, 64, 449, 510, 511] {
            let low = (1 << 26) + (first << 12);
            assert_eq!(
                Territory::new().add(Footprint::of(&bytes(low, low + (pieces << 12)))),
                bits,
                "{pieces} {first}"
            );
        }
    }
}

/// Each bit of a footprint is one of its pieces', and no other piece has to be told from it.
#[test]
fn a_piece_has_the_bit_that_it_has_in_a_region() {
    for first in 0..BITS {
        let low = (3 << 26) + (first << 12);
        let territory = Territory::new();
        territory.add(Footprint::of(&bytes(low, low + (5 << 12))));
        for piece in 0..12 {
            let one = Footprint::of(&bytes(low + (piece << 12), low + (piece << 12) + 1));
            assert_eq!(territory.meets(one), piece < 5, "{first} {piece}");
        }
    }
}

#[test]
fn a_territory_has_what_was_added_and_no_more() {
    for first in 0..BITS {
        let low = (3 << 26) + (first << 12);
        let territory = Territory::new();
        territory.add(Footprint::of(&bytes(low, low + (5 << 12))));
        for (from, pieces) in (0..8).flat_map(|from| (1..6).map(move |pieces| (from, pieces))) {
            let part = Footprint::of(&bytes(low + (from << 12), low + ((from + pieces) << 12)));
            assert_eq!(territory.has(part), from + pieces <= 5, "{first} {from} {pieces}");
        }
        assert!(!territory.has(Footprint::All));
    }
}

#[test]
fn threads_that_start_alike_in_stretches_of_their_own_are_told_apart() {
    let footprints: Vec<_> =
        (0..16).map(|thread: usize| Footprint::of(&bytes((thread << 26) + 4096, (thread << 26) + 8192))).collect();
    for (at, one) in footprints.iter().enumerate() {
        assert!(!footprints[at + 1..].contains(one), "{at}");
    }
}

#[test]
fn territories_are_begun_anew_when_no_record_is_in_use() {
    let registry = registry(true);
    let (block, beside) = (block(registry), block(registry));
    let count = || registry.exclusives.load(Ordering::Relaxed);
    let mut times = 0_usize;
    while !block.is_worn() {
        let (_, record) = block.reserve().unwrap();
        assert_eq!(registry.borrow(record, &region(times << 12, 8), Exclusive), Ok(()));
        registry.release(record);
        times += 1;
    }
    assert!(times > 64, "worn after {times}");
    assert_eq!(count(), 1);
    // A record in use: everything stays, and is seen.
    let (_, held) = block.reserve().unwrap();
    registry.borrow(held, &region(0, 8), Exclusive).unwrap();
    registry.renew(block);
    assert!(block.is_worn());
    let (_, reader) = beside.reserve().unwrap();
    assert_eq!(registry.borrow(reader, &region(0, 8), Shared), Err(Exclusive));
    registry.release(held);
    // One that is only reserved may be published at any time, by a thread that has seen its territory.
    let (_, reserved) = block.reserve().unwrap();
    registry.renew(block);
    assert!(block.is_worn() && count() == 1);
    registry.release(reserved);
    registry.renew(block);
    assert!(!block.is_worn());
    assert_eq!(count(), 0);
    // And they grow again.
    let (_, held) = block.reserve().unwrap();
    registry.borrow(held, &region(0, 8), Exclusive).unwrap();
    assert_eq!(count(), 1);
    assert_eq!(registry.borrow(reader, &region(0, 8), Shared), Err(Exclusive));
    assert_eq!(registry.borrow(reader, &region(1 << 20, 8), Shared), Ok(()));
}
