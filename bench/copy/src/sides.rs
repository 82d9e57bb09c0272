//! The sides of the comparison.

use std::num::NonZeroUsize;

use dlferry::abi::DLDataType;
use dlferry::copy::{Job, Plan, Strided};
use strided_view::{StridedView, StridedViewMut};
use threadteam::Exec;

use crate::layouts::{Case, Kind};

/// The C library's, on threads that each copy a part.
pub(crate) fn memcpy(target: *mut u8, source: *const u8, len: usize, threads: usize) {
    let part = |number: usize| {
        let (start, end) = (len * number / threads, len * (number + 1) / threads);
        (target.wrapping_add(start).expose_provenance(), source.wrapping_add(start).expose_provenance(), end - start)
    };
    let copy = |(target, source, len): (usize, usize, usize)| {
        let target = std::ptr::with_exposed_provenance_mut::<u8>(target);
        // SAFETY: a part of two blocks of that many bytes.
        unsafe { target.copy_from_nonoverlapping(std::ptr::with_exposed_provenance(source), len) };
        std::hint::black_box(target);
    };
    std::thread::scope(|scope| {
        for number in 1..threads {
            let part = part(number);
            scope.spawn(move || copy(part));
        }
        copy(part(0));
    });
}

/// Ours.
pub(crate) fn ours(plan: &Plan, target: *mut u8, source: *const u8, threads: usize) {
    let threads = NonZeroUsize::new(threads).expect("one or more");
    // SAFETY: two blocks with the layouts that the plan was made for.
    unsafe { Job::new().threads(threads).run(plan, target, source) }.expect("nobody interrupts");
}

fn c_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// Our side, planned once.
pub(crate) fn plan(case: &Case, source: *mut u8, target: *mut u8) -> Plan {
    let dtype = match case.kind {
        Kind::U8 => DLDataType::U8,
        Kind::U16 => DLDataType::F16,
        Kind::F32 => DLDataType::F32,
        Kind::F64 => DLDataType::F64,
        Kind::C128 => DLDataType::C128,
    };
    let item = i64::try_from(case.kind.bytes()).expect("small");
    let bytes = |strides: &[i64]| strides.iter().map(|stride| stride * item).collect::<Vec<_>>();
    let first = source.wrapping_add(case.first * case.kind.bytes());
    let from = Strided::new(first, dtype, &case.shape, &bytes(&case.strides), case.swapped).expect("fits");
    let to = Strided::new(target, dtype, &case.shape, &bytes(&c_strides(&case.shape)), false).expect("fits");
    Plan::new(&to, &from).expect("fits")
}

/// The crate strided-perm, which has no byte orders.
pub(crate) fn strided_perm(case: &Case, source: *mut u8, target: *mut u8) -> Option<Box<dyn FnOnce()>> {
    if case.swapped {
        return None;
    }
    Some(match case.kind {
        Kind::U8 => typed::<u8>(case, source, target),
        Kind::U16 => typed::<u16>(case, source, target),
        Kind::F32 => typed::<f32>(case, source, target),
        Kind::F64 => typed::<f64>(case, source, target),
        Kind::C128 => typed::<[f64; 2]>(case, source, target),
    })
}

fn typed<T: Copy + Send + Sync + 'static>(case: &Case, source: *mut u8, target: *mut u8) -> Box<dyn FnOnce()> {
    let count: usize = case.shape.iter().map(|n| usize::try_from(*n).expect("small")).product();
    let shape: Vec<usize> = case.shape.iter().map(|n| usize::try_from(*n).expect("small")).collect();
    let signed = |strides: &[i64]| strides.iter().map(|s| isize::try_from(*s).expect("small")).collect::<Vec<_>>();
    let (from, to) = (signed(&case.strides), signed(&c_strides(&case.shape)));
    let (len, first) = (case.len, isize::try_from(case.first).expect("small"));
    Box::new(move || {
        // SAFETY: a block of that many elements, aligned, not written meanwhile.
        let source = unsafe { std::slice::from_raw_parts(source.cast::<T>().cast_const(), len) };
        // SAFETY: another block, of `count` elements, not looked at otherwise meanwhile.
        let target = unsafe { std::slice::from_raw_parts_mut(target.cast::<T>(), count) };
        let source = StridedView::new(source, &shape, &from, first).expect("fits");
        let mut target = StridedViewMut::new(target, &shape, &to, 0).expect("fits");
        strided_perm::copy_into(&mut target, &source, Exec::serial()).expect("fits");
    })
}
