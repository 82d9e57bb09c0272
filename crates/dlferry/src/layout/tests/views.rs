//! Views against the oracle: each is a choice among the elements of its parent.

use alloc::vec::Vec;

use super::oracle::{self, Rng};
use crate::layout::{Layout, LayoutError};

/// The offsets of a view, counted from the first element of its parent.
fn shifted(view: &Layout, first: i64) -> Vec<i128> {
    oracle::told(view).into_iter().map(|offset| offset + i128::from(first)).collect()
}

/// The offsets of the elements of `layout` at the indices that `choose` picks on `axis`, in that order of
/// indices.
fn chosen(layout: &Layout, axis: usize, picked: &[i64]) -> Vec<i128> {
    let mut shape = layout.shape().to_vec();
    shape[axis] = i64::try_from(picked.len()).unwrap();
    let pick = |mut index: Vec<i64>| {
        index[axis] = picked[usize::try_from(index[axis]).unwrap()];
        oracle::offset(&index, layout.strides())
    };
    oracle::indices(&shape).into_iter().map(pick).collect()
}

#[test]
fn index_axis_picks_one_index() {
    let mut rng = Rng::new(40);
    for _ in 0..3000 {
        let layout = rng.layout(4);
        let (axis, index) = (rng.up_to(4), rng.up_to(5));
        let at = i64::try_from(index).unwrap();
        let is_inside = layout.shape().get(axis).is_some_and(|&extent| at < extent);
        let view = layout.index_axis(axis, index);
        assert_eq!(view.is_some(), is_inside, "{layout:?} {axis} {index}");
        if let Some((view, first)) = view {
            assert_eq!(view.ndim() + 1, layout.ndim());
            assert_eq!(shifted(&view, first), chosen(&layout, axis, &[at]), "{layout:?} {axis} {index}");
        }
    }
}

#[test]
fn slice_axis_picks_each_step() {
    let mut rng = Rng::new(41);
    let mut found = [0, 0];
    for _ in 0..20_000 {
        let layout = rng.layout(3);
        let (axis, start, len, step) = (rng.up_to(2), rng.up_to(5), rng.up_to(5), rng.between(-3, 3));
        let picked = (0..i64::try_from(len).unwrap()).map(|n| i64::try_from(start).unwrap() + n * step);
        let picked = picked.collect::<Vec<_>>();
        let is_inside = step != 0
            && layout.shape().get(axis).is_some_and(|extent| picked.iter().all(|at| (0..*extent).contains(at)));
        let view = layout.slice_axis(axis, start, len, step);
        assert_eq!(view.is_some(), is_inside, "{layout:?} {axis} {start} {len} {step}");
        found[usize::from(is_inside)] += 1;
        if let Some((view, first)) = view {
            assert_eq!(view.shape()[axis], i64::try_from(len).unwrap());
            assert_eq!(shifted(&view, first), chosen(&layout, axis, &picked), "{layout:?} {axis} {picked:?}");
            assert!(!view.is_empty() || first == 0, "{layout:?}");
        }
    }
    assert!(found[0] > 2000 && found[1] > 2000, "{found:?}: one answer was hardly tried");
}

#[test]
fn slice_axis_does_not_overflow() -> Result<(), LayoutError> {
    let five = Layout::c_contiguous(&[5])?;
    assert_eq!(five.slice_axis(0, 4, 1, i64::MIN), Some((Layout::new(&[1], &[i64::MIN])?, 4)));
    assert_eq!(five.slice_axis(0, usize::MAX, 0, 1), Some((Layout::new(&[0], &[1])?, 0)));
    assert_eq!(five.slice_axis(0, 0, 3, i64::MAX), None);
    assert_eq!(five.slice_axis(0, 0, usize::MAX, i64::MIN), None);
    assert_eq!(five.slice_axis(0, usize::MAX, 1, 1), None);
    assert_eq!(five.slice_axis(1, 0, 0, 1), None);
    let one = Layout::new(&[1], &[i64::MIN])?;
    assert_eq!(one.slice_axis(0, 0, 1, -1), Some((Layout::new(&[1], &[i64::MAX])?, 0)));
    let empty = Layout::new(&[9, 0], &[i64::MAX, i64::MIN])?;
    assert_eq!(empty.slice_axis(0, 8, 2, -4), Some((Layout::new(&[2, 0], &[i64::MIN, i64::MIN])?, 0)));
    assert_eq!(empty.index_axis(0, 8), Some((Layout::new(&[0], &[i64::MIN])?, 0)));
    Ok(())
}

#[test]
fn permuted_moves_axes() {
    let mut rng = Rng::new(42);
    for _ in 0..2000 {
        let layout = rng.layout(5);
        let mut axes = (0..layout.ndim()).collect::<Vec<_>>();
        rng.shuffle(&mut axes);
        let view = layout.permuted(&axes).unwrap();
        for (at, &axis) in axes.iter().enumerate() {
            assert_eq!(view.shape()[at], layout.shape()[axis]);
            assert_eq!(view.strides()[at], layout.strides()[axis]);
        }
        assert_eq!((view.size(), view.span()), (layout.size(), layout.span()));
    }
}

#[test]
fn permuted_wants_each_axis_once() {
    let layout = Layout::c_contiguous(&[2, 3, 4]).unwrap();
    let table: [&[usize]; 6] = [&[], &[0, 1], &[0, 1, 1], &[0, 1, 3], &[0, 1, 2, 2], &[usize::MAX, 1, 2]];
    for axes in table {
        assert_eq!(layout.permuted(axes), None, "{axes:?}");
    }
}

#[test]
fn axes_of_extent_one_come_and_go() {
    let mut rng = Rng::new(43);
    for _ in 0..2000 {
        let layout = rng.layout(4);
        let at = rng.up_to(layout.ndim());
        let view = layout.with_axis(at).unwrap();
        assert_eq!((view.ndim(), view.shape()[at]), (layout.ndim() + 1, 1));
        assert_eq!(oracle::told(&view), oracle::told(&layout), "{layout:?} {at}");
        assert_eq!(view.is_c_contiguous(), layout.is_c_contiguous());
        assert_eq!(view.without_axis(at), Some(layout.clone()));
        assert_eq!(layout.with_axis(layout.ndim() + 1), None);
        for axis in 0..=layout.ndim() {
            let is_one = layout.shape().get(axis) == Some(&1);
            assert_eq!(layout.without_axis(axis).is_some(), is_one, "{layout:?} {axis}");
        }
    }
}

#[test]
fn with_axis_keeps_row_major_strides() {
    let layout = Layout::c_contiguous(&[2, 3]).unwrap();
    for (at, shape) in [[1, 2, 3], [2, 1, 3], [2, 3, 1]].iter().enumerate() {
        assert_eq!(layout.with_axis(at), Layout::c_contiguous(shape).ok());
    }
}

#[test]
fn broadcast_repeats_axes_of_extent_one() {
    let mut rng = Rng::new(44);
    let mut found = [0, 0];
    for _ in 0..5000 {
        let layout = rng.layout(3);
        assert_eq!(layout.broadcast_to(layout.shape()), Some(layout.clone()));
        let mut shape = layout.shape().to_vec();
        for extent in &mut shape {
            if (*extent == 1 && rng.one_in(2)) || rng.one_in(8) {
                *extent = rng.between(0, 3);
            }
        }
        for _ in 0..rng.up_to(2) {
            shape.insert(0, rng.between(0, 3));
        }
        let added = shape.len() - layout.ndim();
        let mut pairs = layout.shape().iter().zip(&shape[added..]);
        let is_possible = pairs.all(|(&extent, &wanted)| extent == 1 || extent == wanted);
        let view = layout.broadcast_to(&shape);
        assert_eq!(view.is_some(), is_possible, "{layout:?} {shape:?}");
        found[usize::from(is_possible)] += 1;
        let Some(view) = view else { continue };
        let source = |index: &Vec<i64>| {
            let index = index[added..].iter().zip(layout.shape());
            let index = index.map(|(&at, &extent)| if extent == 1 { 0 } else { at });
            oracle::offset(&index.collect::<Vec<_>>(), layout.strides())
        };
        let expected = oracle::indices(&shape).iter().map(source).collect::<Vec<_>>();
        assert_eq!(oracle::told(&view), expected, "{layout:?} {shape:?}");
    }
    assert!(found[0] > 500 && found[1] > 500, "{found:?}: one answer was hardly tried");
}

#[test]
fn broadcast_refuses_what_is_not_a_layout() {
    let column = Layout::new(&[3, 1], &[1, i64::MIN]).unwrap();
    assert_eq!(column.broadcast_to(&[3, 4]), Layout::new(&[3, 4], &[1, 0]).ok());
    let table: [&[i64]; 6] = [&[3], &[], &[4, 4], &[3, -1], &[-2, 3, 1], &[i64::MAX, 3, i64::MAX]];
    for shape in table {
        assert_eq!(column.broadcast_to(shape), None, "{shape:?}");
    }
    let no_rows = Layout::new(&[0, 1], &[5, 5]).unwrap();
    assert_eq!(no_rows.broadcast_to(&[i64::MAX, 0, i64::MAX]).unwrap().size(), 0);
    assert_eq!(no_rows.broadcast_to(&[1, 1]), None);
}

#[test]
fn views_of_many_axes_are_views() {
    let layout = Layout::c_contiguous(&[2, 1, 3, 1, 2, 1, 1, 2]).unwrap();
    let more = layout.with_axis(4).unwrap().with_axis(0).unwrap();
    assert_eq!((more.ndim(), oracle::told(&more)), (10, oracle::told(&layout)));
    let axes = (0..10).rev().collect::<Vec<_>>();
    assert_eq!(more.permuted(&axes).unwrap().permuted(&axes), Some(more.clone()));
    let (fewer, first) = more.index_axis(1, 1).unwrap();
    assert_eq!((fewer.ndim(), first), (9, 12));
    assert_eq!(fewer.index_axis(0, 0).unwrap().0.ndim(), 8);
    assert_eq!(more.broadcast_to(&[2; 10]), None);
}
