//! Copies in pieces: on threads, with pauses, stopped.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::abi::DLDataType;
use crate::copy::{CopyError, Job, Order, Plan, Strided};
use crate::export::Export;
use crate::layout::Layout;
use crate::managed::Tensor;

/// A transposed matrix with many pieces, and its copy.
fn matrix(rows: i64, columns: i64) -> (Tensor, Vec<u32>) {
    let count = u32::try_from(rows * columns).unwrap();
    let layout = Layout::new(&[columns, rows], &[1, columns]).unwrap();
    let tensor = Export::read_only((0..count).collect::<Vec<_>>()).layout(layout, 0).finish().unwrap();
    let wanted = (0..u32::try_from(columns).unwrap()).flat_map(|column| {
        (0..u32::try_from(rows).unwrap()).map(move |row| row * u32::try_from(columns).unwrap() + column)
    });
    (tensor, wanted.collect())
}

/// On so many threads, where there are any, whatever another test sets at the same time.
pub(super) fn on_threads<'a>(count: usize) -> Job<'a> {
    let job = Job::new();
    #[cfg(feature = "threads")]
    let job = job.threads(core::num::NonZeroUsize::new(count).unwrap());
    #[cfg(not(feature = "threads"))]
    let _ = count;
    job
}

#[test]
fn a_large_copy_asks_between_its_pieces() {
    let (tensor, wanted) = matrix(3000, 15_000);
    let mut asked = 0;
    let mut ask = || {
        asked += 1;
        ControlFlow::Continue(())
    };
    let copy = on_threads(1).between(&mut ask).to_contiguous(tensor.view(), Order::C).unwrap();
    assert_eq!(asked, 2, "180 MB in pieces of 64");
    assert!(copy.view().typed::<u32>().unwrap().as_slice().unwrap() == wanted);
}

#[test]
fn long_runs_are_copied_whole_wherever_they_begin() {
    let source = (0..(20 << 20) + 77_u32).map(|at| (at % 251) as u8).collect::<Vec<_>>();
    let mut target = vec![255_u8; source.len() + 100];
    for (first, len, threads) in
        [(0, source.len(), 1), (5, (16 << 20) + 1, 1), (64, source.len(), 2), (91, 16 << 20, 1)]
    {
        target.fill(255);
        let shape = [i64::try_from(len).unwrap()];
        let place = target[first..].as_mut_ptr();
        let from = Strided::new(source.as_ptr().cast_mut(), DLDataType::U8, &shape, &[1], false).unwrap();
        let to = Strided::new(place, DLDataType::U8, &shape, &[1], false).unwrap();
        let plan = Plan::new(&to, &from).unwrap();
        // SAFETY: two vectors that hold the bytes.
        unsafe { on_threads(threads).run(&plan, place, source.as_ptr()) }.unwrap();
        assert!(target[first..][..len] == source[..len], "{len} bytes to {first}");
        assert!(
            target[..first].iter().chain(&target[first + len..]).all(|byte| *byte == 255),
            "{len} bytes to {first}"
        );
    }
}

#[test]
fn a_copy_that_is_stopped_says_so() {
    let (tensor, _) = matrix(3000, 15_000);
    let mut stop = || ControlFlow::Break(());
    let refusal = on_threads(1).between(&mut stop).to_contiguous(tensor.view(), Order::F).unwrap_err();
    assert_eq!(refusal, CopyError::Interrupted);
}

#[test]
fn nobody_is_asked_about_a_small_copy() {
    let (tensor, wanted) = matrix(30, 50);
    let mut stop = || ControlFlow::Break(());
    let copy = Job::new().between(&mut stop).to_contiguous(tensor.view(), Order::C).unwrap();
    assert_eq!(copy.view().typed::<u32>().unwrap().to_vec(), wanted);
}

#[cfg(feature = "threads")]
#[test]
fn no_thread_is_left_when_the_work_is_done() {
    use core::sync::atomic::{AtomicUsize, Ordering};

    static ENDED: AtomicUsize = AtomicUsize::new(0);

    struct Last;

    impl Drop for Last {
        fn drop(&mut self) {
            std::thread::sleep(core::time::Duration::from_millis(50));
            ENDED.fetch_add(1, Ordering::SeqCst);
        }
    }

    std::thread_local! {
        static LAST: Last = const { Last };
    }

    // The first piece is this thread's own.
    crate::copy::threads::share(4, |number| {
        if number > 0 {
            LAST.with(|_| ());
        }
    });
    assert_eq!(ENDED.load(Ordering::SeqCst), 3);
}

#[cfg(feature = "threads")]
#[test]
fn threads_copy_what_one_does() {
    use core::num::NonZeroUsize;

    let (tensor, wanted) = matrix(4001, 3003);
    for count in [1, 2, 3, 8, 1000] {
        let threads = NonZeroUsize::new(count).unwrap();
        let copy = Job::new().threads(threads).to_contiguous(tensor.view(), Order::C).unwrap();
        assert!(copy.view().typed::<u32>().unwrap().as_slice().unwrap() == wanted, "{count} threads");
    }
}

#[cfg(feature = "threads")]
#[test]
fn the_number_of_threads_is_what_was_set() {
    use core::num::NonZeroUsize;

    use crate::copy::{num_threads, set_num_threads};

    let three = NonZeroUsize::new(3).unwrap();
    set_num_threads(three);
    assert_eq!(num_threads(), three);
}

#[test]
fn a_plan_is_used_again_for_other_memory() {
    let shape = [3, 4];
    let mut first = vec![0_u8; 12];
    let source: Vec<u8> = (0..12).collect();
    let target_of = Strided::new(first.as_mut_ptr(), DLDataType::U8, &shape, &[4, 1], false).unwrap();
    let source_of = Strided::new(source.as_ptr().cast_mut(), DLDataType::U8, &shape, &[1, 3], false).unwrap();
    let plan = Plan::new(&target_of, &source_of).unwrap();
    let other: Vec<u8> = (100..112).collect();
    let mut second = vec![0_u8; 12];
    // SAFETY: as described.
    unsafe { plan.run(first.as_mut_ptr(), source.as_ptr()) };
    // SAFETY: the same layouts over other memory.
    unsafe { plan.run(second.as_mut_ptr(), other.as_ptr()) };
    assert_eq!(first, [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]);
    assert_eq!(second, [100, 103, 106, 109, 101, 104, 107, 110, 102, 105, 108, 111]);
}

#[test]
fn a_plan_refuses_what_does_not_fit() {
    let of = |dtype, shape: &[i64], strides: &[i64]| {
        Strided::new(core::ptr::without_provenance_mut(64), dtype, shape, strides, false).unwrap()
    };
    let target = of(DLDataType::U16, &[2, 3], &[6, 2]);
    let refused = |target: &Strided, source: &Strided| Plan::new(target, source).unwrap_err();
    let (wanted, found) = (DLDataType::U16, DLDataType::I16);
    assert_eq!(refused(&target, &of(found, &[2, 3], &[6, 2])), CopyError::DType { wanted, found });
    let longer = of(DLDataType::U16, &[4], &[2]);
    assert_eq!(refused(&target, &longer), CopyError::Shape { wanted: vec![2, 3], found: vec![4] });
    assert!(Plan::new(&target, &of(DLDataType::U16, &[3], &[2])).is_ok(), "broadcast");
    for strides in [[0, 2], [2, 2], [1, 2], [6, 1]] {
        let overlapping = of(DLDataType::U16, &[2, 3], &strides);
        assert_eq!(refused(&overlapping, &target), CopyError::ReadOnly, "{strides:?}");
    }
}
