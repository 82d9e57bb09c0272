//! Every kernel, with every kind of instructions, against the copy that goes element by element.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::naive::Case;
use crate::abi::{DLDataType, DLDataTypeCode};
use crate::copy::plan::Work;
use crate::copy::{Level, Plan, Strided};

/// A xorshift generator: the same numbers in every run.
pub(super) struct Rng(pub(super) u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit).unwrap()).unwrap()
    }

    pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next().to_le_bytes()[3]).collect()
    }
}

/// Bytes with others around them that nobody may write, the first at any place of a cache line.
struct Guarded {
    bytes: Vec<u8>,
    before: usize,
}

impl Guarded {
    fn new(rng: &mut Rng, len: usize) -> Self {
        let places = if rng.below(2) == 0 { 1 } else { 64 };
        let before = 64 + rng.below(places);
        Self { bytes: rng.bytes(before + len + 64), before }
    }
}

fn strided(case: &Case, data: *mut u8, strides: &[i64], swapped: bool) -> Strided {
    let code = DLDataTypeCode(case.element.code);
    let dtype = DLDataType { code, bits: case.element.bits, lanes: case.element.lanes };
    Strided::new(data, dtype, &case.shape, strides, swapped).unwrap()
}

/// Runs a case in each way that there is, and gives the names of the kernels that ran.
fn check(rng: &mut Rng, case: &Case, kernels: &mut BTreeSet<String>) {
    let source = rng.bytes(case.from.len);
    let mut target = Guarded::new(rng, case.to.len);
    let place = target.before;
    let before = target.bytes.clone();
    let mut wanted = before.clone();
    case.copy(&mut wanted[place..place + case.to.len], &source);
    // A case that has no elements may say anything of where they are.
    let to = target.bytes.as_mut_ptr().wrapping_add(place + case.to.first);
    let from = source.as_ptr().wrapping_add(case.from.first);
    let target_of = strided(case, to, &case.to.strides, case.to.swapped);
    let source_of = strided(case, from.cast_mut(), &case.from.strides, case.from.swapped);
    let plan = Plan::new(&target_of, &source_of).unwrap();
    for level in Level::ALL {
        let Some(plan) = plan.clone().at_level(level) else { continue };
        for streams in [false, true] {
            let plan = plan.clone().streaming(streams);
            target.bytes.copy_from_slice(&before);
            let to = target.bytes.as_mut_ptr().wrapping_add(place + case.to.first);
            // SAFETY: the layouts of the plan, over bytes of this function's own.
            unsafe { plan.run(to, from) };
            let differs = target.bytes.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
            assert_eq!(differs, None, "byte {differs:?} of {place} and on, by {plan:?}: {case:?}");
            target.bytes.copy_from_slice(&before);
            let pieces = plan.pieces(1 + rng.below(9), rng.below(2) == 0);
            let parts = match pieces {
                Some(pieces) => (0..pieces.count).map(|number| plan.piece(pieces, number)).collect(),
                None => vec![plan.clone()],
            };
            for part in parts {
                // SAFETY: as above, a part of it.
                unsafe { part.run(to, from) };
            }
            assert_eq!(target.bytes, wanted, "in {pieces:?}, by {plan:?}: {case:?}");
            kernels.insert(format!("{:?} at {level:?}", plan.kernel()));
        }
    }
}

#[test]
fn every_copy_is_what_a_naive_one_gives() {
    let mut rng = Rng(0x1234_5678_9abc_def1);
    let mut kernels = BTreeSet::new();
    for _ in 0..ROUNDS {
        let case = Case::random(&mut |limit| rng.below(limit));
        check(&mut rng, &case, &mut kernels);
    }
    // Those for channels need an instruction that not all levels have.
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        for kernel in ["Any", "Plane", "Rows"] {
            assert!(kernels.contains(&format!("{kernel} at {level:?}")), "{kernel} at {level:?}: {kernels:?}");
        }
    }
}

const ROUNDS: usize = 1200;

/// Images, whose channels random layouts seldom have.
#[test]
fn channels_are_split_and_joined_as_a_naive_copy_does() {
    let mut rng = Rng(0xfeed_5678_9abc_def1);
    let mut kernels = BTreeSet::new();
    for round in 0..400 {
        let mut case = Case::random(&mut |limit| rng.below(limit));
        let item = i64::try_from(case.element.bytes).unwrap();
        let (height, width) = (1 + rng.below(4), 1 + rng.below(70));
        let (height, width) = (i64::try_from(height).unwrap(), i64::try_from(width).unwrap());
        let channels = i64::try_from(2 + rng.below(4)).unwrap();
        case.shape = vec![height, width, channels];
        let count = usize::try_from(height * width * channels * item).unwrap();
        let mixed = vec![width * channels * item, channels * item, item];
        let planes = vec![width * item, item, height * width * item];
        let (to, from) = if round % 2 == 0 { (mixed, planes) } else { (planes, mixed) };
        (case.to.strides, case.to.first, case.to.len) = (to, 0, count);
        (case.from.strides, case.from.first, case.from.len) = (from, 0, count);
        check(&mut rng, &case, &mut kernels);
    }
    for kernel in ["Split", "Join"] {
        let ran = kernels.iter().any(|name| name.starts_with(kernel));
        assert!(ran || !Level::best().has_shuffle(), "{kernels:?}");
    }
}
