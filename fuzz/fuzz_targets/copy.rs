//! Any copy, at every level of instructions, cached and streamed, whole and by threads, against one that goes element by
//! element. The bytes of the input decide what is copied, and how.

#![no_main]

extern crate alloc;

#[path = "../../crates/dlferry/src/copy/tests/naive.rs"]
mod naive;

use core::num::NonZeroUsize;

use dlferry::abi::{DLDataType, DLDataTypeCode};
use dlferry::copy::{Job, Level, Plan, Strided};
use libfuzzer_sys::fuzz_target;
use naive::{Case, Side};

fn strided(case: &Case, data: *mut u8, side: &Side) -> Strided {
    let code = DLDataTypeCode(case.element.code);
    let dtype = DLDataType { code, bits: case.element.bits, lanes: case.element.lanes };
    Strided::new(data, dtype, &case.shape, &side.strides, side.swapped).expect("a case is well formed")
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.iter().copied();
    let mut below = |limit: usize| {
        let number = usize::from(bytes.next().unwrap_or(0)) << 8 | usize::from(bytes.next().unwrap_or(0));
        number % limit
    };
    let case = Case::random(&mut below);
    // A few elements can lie far apart, and then most of the time goes into what is between them.
    if case.from.len.max(case.to.len) > 1 << 20 {
        return;
    }
    let before = below(65);
    let threads = NonZeroUsize::MIN.saturating_add(below(3));
    let source: Vec<u8> = (0..case.from.len).map(|at| (at * 7 + at / 256) as u8).collect();
    let fresh = vec![0xa5_u8; before + case.to.len];
    let mut wanted = fresh.clone();
    case.copy(&mut wanted[before..], &source);
    let mut target = fresh.clone();
    let from = source.as_ptr().wrapping_add(case.from.first);
    let to = target.as_mut_ptr().wrapping_add(before + case.to.first);
    let plan = Plan::new(&strided(&case, to, &case.to), &strided(&case, from.cast_mut(), &case.from));
    let plan = plan.expect("the two have one shape and type");
    for plan in Level::ALL.into_iter().filter_map(|level| plan.clone().at_level(level)) {
        for streams in [false, true] {
            let plan = plan.clone().streaming(streams);
            target.copy_from_slice(&fresh);
            let to = target.as_mut_ptr().wrapping_add(before + case.to.first);
            // SAFETY: the layouts of the plan, over bytes of this function's own.
            let done = unsafe { Job::new().threads(threads).run(&plan, to, from) };
            assert!(done.is_ok());
            assert!(target == wanted, "by {plan:?}: {case:?}");
        }
    }
});
