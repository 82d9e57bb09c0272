//! Any copy, also of packed elements and between these and such as have a byte each, at every level of instructions, cached and
//! streamed, whole and by threads, against one that goes element by element. The bytes of the input decide what is copied, and
//! how.

#![no_main]

extern crate alloc;

#[path = "../../crates/dlferry/src/copy/tests/bits.rs"]
mod bits;
#[path = "../../crates/dlferry/src/copy/tests/naive.rs"]
mod naive;

use core::num::NonZeroUsize;

use dlferry::abi::{DLDataType, DLDataTypeCode, DLDevice};
use dlferry::copy::{Job, Level, Plan, Strided};
use dlferry::layout::Layout;
use dlferry::managed::{Descriptor, Fields};
use dlferry::view::TensorView;
use libfuzzer_sys::fuzz_target;
use naive::{Case, Side};

fn strided(case: &Case, data: *mut u8, side: &Side) -> Strided {
    let code = DLDataTypeCode(case.element.code);
    let dtype = DLDataType { code, bits: case.element.bits, lanes: case.element.lanes };
    Strided::new(data, dtype, &case.shape, &side.strides, side.swapped).expect("a case is well formed")
}

/// Bytes that are not written: what is copied comes from others.
fn fresh(before: usize, len: usize) -> (Vec<u8>, Vec<u8>) {
    let fresh = vec![0xa5_u8; before + len];
    (fresh.clone(), fresh)
}

fn source(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 + at / 256) as u8).collect()
}

/// On how many threads: on one mostly, for a start of threads takes longer than most of these copies.
fn threads(below: &mut impl FnMut(usize) -> usize) -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(below(16).saturating_sub(12))
}

/// Packed elements, described as tensors.
fn packed(below: &mut impl FnMut(usize) -> usize) {
    let case = bits::Case::random(below);
    let threads = threads(below);
    // In a third of them the target has a byte for each element, in a third the source.
    let form = below(3);
    let Some(case) = (if form == 0 { Some(case) } else { case.between_forms(form == 1) }) else { return };
    // More take long, bit by bit.
    if case.shape.iter().product::<i64>() > 20_000 || case.to.len > 1 << 17 {
        return;
    }
    let mut source = source(case.from.len);
    let (mut target, mut wanted) = fresh(0, case.to.len);
    case.copy(&mut wanted, &source);
    let (code, bits, lanes) = case.element;
    let dtype = DLDataType { code: DLDataTypeCode(code), bits, lanes };
    let describe = |bytes: &mut [u8], side: &bits::Side| {
        let layout = Layout::new(&case.shape, &side.strides).expect("a case is well formed");
        let data = bytes.as_mut_ptr().wrapping_add(side.first).cast();
        let fields = Fields { padded: side.bits > usize::from(bits) * usize::from(lanes), ..Fields::SHARED };
        Descriptor::new(data, DLDevice::CPU, dtype, layout, fields).expect("a case is well formed")
    };
    let (to, from) = (describe(&mut target, &case.to), describe(&mut source, &case.from));
    // SAFETY: all elements lie in the vector.
    let view = unsafe { TensorView::new(&from) };
    // SAFETY: all elements lie in a vector that nobody looks at meanwhile.
    let done = unsafe { Job::new().threads(threads).copy_into(&to, view) };
    assert!(done.is_ok());
    assert!(target == wanted, "on {threads} threads: {case:?}");
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.iter().copied();
    let mut below = |limit: usize| {
        let number = usize::from(bytes.next().unwrap_or(0)) << 8 | usize::from(bytes.next().unwrap_or(0));
        number % limit
    };
    // Inputs that begin with a high byte are of packed elements.
    if data.first().is_some_and(|first| *first >= 0xc0) {
        return packed(&mut below);
    }
    let case = Case::random(&mut below);
    // A few elements can lie far apart, and then most of the time goes into what is between them.
    if case.from.len.max(case.to.len) > 1 << 17 {
        return;
    }
    let before = below(65);
    let threads = threads(&mut below);
    let source = source(case.from.len);
    let (fresh, mut wanted) = fresh(before, case.to.len);
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
