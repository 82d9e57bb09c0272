//! Overlap: exact where it says so, and never missed.

use alloc::vec;
use alloc::vec::Vec;

use super::oracle::{self, Rng};
use crate::layout::{Layout, has_overlap};

#[test]
fn two_axes_are_exact() {
    let mut found = [0, 0];
    for shape in [[2, 2], [3, 4], [5, 3], [7, 7], [4, 9]] {
        for first in -15..=15 {
            for second in -15..=15 {
                let (shape, strides) = (&shape[..], &[first, second][..]);
                let expected = oracle::has_overlap(shape, strides);
                assert_eq!(has_overlap(shape, strides), expected, "{shape:?} {strides:?}");
                found[usize::from(expected)] += 1;
            }
        }
    }
    assert!(found[0] > 500 && found[1] > 500, "{found:?}: one answer was hardly tried");
}

#[test]
fn two_axes_are_exact_whatever_their_size() {
    let big = 1_i64 << 30;
    assert!(!has_overlap(&[big, big], &[big + 1, big]));
    assert!(has_overlap(&[big + 1, big + 2], &[big + 1, big]));
    assert!(!has_overlap(&[2, big, big], &[1 << 62, big + 1, big]));
    assert!(!has_overlap(&[2, big, big], &[(1 << 61) + 1, big + 1, big]));
}

#[test]
fn two_axes_left_after_nested_ones_are_exact() {
    let mut rng = Rng::new(20);
    for _ in 0..3000 {
        // Two axes that may meet, one coarser and one finer than both, extents of 1 between, in any order.
        let scale = rng.between(2, 5);
        let mut axes = vec![
            (rng.between(2, 6), rng.between(-15, 15) * scale),
            (rng.between(2, 6), rng.between(-15, 15) * scale),
            (rng.between(2, 4), 1000),
            (scale, 1),
            (1, rng.pick(&[0, 1, i64::MIN])),
        ];
        rng.shuffle(&mut axes);
        let (shape, strides) = axes.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        assert_eq!(has_overlap(&shape, &strides), oracle::has_overlap(&shape, &strides), "{shape:?} {strides:?}");
    }
}

#[test]
fn small_layouts_are_exact() {
    let mut rng = Rng::new(21);
    let mut found = [0, 0];
    for _ in 0..6000 {
        let shape = (0..rng.between(3, 5)).map(|_| rng.between(1, 4)).collect::<Vec<_>>();
        let strides = shape.iter().map(|_| rng.between(-150, 150)).collect::<Vec<_>>();
        let expected = oracle::has_overlap(&shape, &strides);
        assert_eq!(has_overlap(&shape, &strides), expected, "{shape:?} {strides:?}");
        found[usize::from(expected)] += 1;
    }
    assert!(found[0] > 500 && found[1] > 500, "{found:?}: one answer was hardly tried");
}

#[test]
fn no_overlap_is_missed_and_no_slice_has_one() {
    let mut rng = Rng::new(22);
    for _ in 0..5000 {
        let layout = rng.layout(5);
        let expected = oracle::has_overlap(layout.shape(), layout.strides());
        assert_eq!(layout.has_overlap(), expected, "{layout:?}");
    }
    for _ in 0..1000 {
        let mut layout = Layout::c_contiguous(&rng.shape(5)).unwrap();
        for axis in 0..layout.ndim() {
            let step = rng.pick(&[-2_i64, -1, 1, 2]);
            let extent = usize::try_from(layout.shape()[axis]).unwrap();
            let start = if step > 0 { 0 } else { extent.saturating_sub(1) };
            let len = extent.div_ceil(step.unsigned_abs().try_into().unwrap());
            layout = layout.slice_axis(axis, start, len, step).unwrap().0;
        }
        let mut axes = (0..layout.ndim()).collect::<Vec<_>>();
        rng.shuffle(&mut axes);
        assert!(!layout.permuted(&axes).unwrap().has_overlap(), "{layout:?}");
    }
}

#[test]
fn axis_that_the_others_step_over_takes_no_part() {
    // Rows and columns move by even numbers and never meet; too many to try.
    let (shape, strides) = ([1 << 20, 1 << 20, 2], [(1 << 21) + 2, 1 << 21, 1]);
    assert!(!has_overlap(&shape, &strides));
    assert!(has_overlap(&[(1 << 20) + 1, (1 << 20) + 2, 2], &strides) && has_overlap(&[1 << 20, 1 << 20, 3], &strides));
}

#[test]
fn zero_stride_overlaps_from_two_indices_on() {
    assert!(has_overlap(&[2], &[0]));
    assert!(has_overlap(&[3, 1 << 40], &[1 << 41, 0]));
    assert!(!has_overlap(&[1], &[0]));
    assert!(!has_overlap(&[2, 0], &[0, 0]));
}

#[test]
fn windows_overlap() {
    // Windows of 3 by 3 on an image with rows of 100.
    assert!(has_overlap(&[98, 98, 3, 3], &[100, 1, 100, 1]));
    assert!(!has_overlap(&[32, 33, 3, 3], &[300, 3, 100, 1]));
}

/// The Conway-Guy sets: no two subsets have the same sum, though each number is small beside the sum of the
/// others.
fn sum_distinct(count: usize) -> Vec<i64> {
    let mut u = vec![0_i64, 1];
    for n in 1..count {
        let root = (1..=n).find(|r| r * (r + 1) >= 2 * n).unwrap();
        u.push(2 * u[n] - u[n - root]);
    }
    (0..count).map(|at| u[count] - u[at]).collect()
}

#[test]
fn hard_cases_are_exact_until_the_budget_is_spent() {
    for count in [4, 6, 8, 10] {
        let strides = sum_distinct(count);
        assert!(!oracle::has_overlap(&vec![2; count], &strides), "{strides:?}");
        assert!(!has_overlap(&vec![2; count], &strides), "{strides:?}");
    }
    // Here `true` is the careful answer, and wrong.
    let strides = sum_distinct(24);
    assert!(has_overlap(&[2; 24], &strides), "{strides:?}");
}

#[test]
fn what_cannot_be_worked_out_overlaps() {
    assert!(has_overlap(&[3, 3, 3], &[i64::MAX, i64::MAX - 1, i64::MAX - 2]));
    assert!(has_overlap(&[1 << 41, 1 << 41], &[(1 << 40) + 1, 1 << 40]));
    assert!(has_overlap(&[2; 70], &(1..=70).collect::<Vec<_>>()));
}
