//! Reshaping: a view whenever there is one.

use alloc::vec::Vec;

use super::oracle::{self, Rng};
use crate::layout::Layout;

/// Whether strides exist that give these offsets for a shape.
fn is_strided(all: &[i128], shape: &[i64]) -> bool {
    let mut below = 1;
    let mut strides = Vec::new();
    for &extent in shape.iter().rev() {
        let stride = if extent > 1 { all[below] - all[0] } else { 0 };
        strides.insert(0, i64::try_from(stride).unwrap());
        below *= usize::try_from(extent).unwrap();
    }
    oracle::offsets(shape, &strides) == all
}

/// A random shape of `size` elements with some extents of 1.
fn shape_of(rng: &mut Rng, mut size: i64) -> Vec<i64> {
    let mut shape = Vec::new();
    while size > 1 {
        let divisors = (2..=size).filter(|extent| size % extent == 0).collect::<Vec<_>>();
        let extent = rng.pick(&divisors);
        shape.push(extent);
        size /= extent;
    }
    for _ in 0..rng.up_to(2) {
        let at = rng.up_to(shape.len());
        shape.insert(at, 1);
    }
    shape
}

#[test]
fn reshape_is_a_view_exactly_when_one_exists() {
    let mut rng = Rng::new(30);
    let mut found = [0, 0];
    for _ in 0..8000 {
        let layout = rng.layout(4);
        if layout.is_empty() {
            continue;
        }
        let shape = shape_of(&mut rng, i64::try_from(layout.size()).unwrap());
        let all = oracle::offsets(layout.shape(), layout.strides());
        let view = layout.reshaped(&shape);
        assert_eq!(view.is_some(), is_strided(&all, &shape), "{layout:?} {shape:?}");
        found[usize::from(view.is_some())] += 1;
        if let Some(view) = view {
            assert_eq!((view.shape(), oracle::told(&view)), (&shape[..], all), "{layout:?}");
        }
    }
    assert!(found[0] > 500 && found[1] > 500, "{found:?}: one answer was hardly tried");
}

#[test]
fn reshape_gives_the_strides_that_numpy_gives() {
    type Row = (&'static [i64], &'static [i64], &'static [i64], Option<&'static [i64]>);
    let table: [Row; 16] = [
        (&[6], &[1], &[2, 3], Some(&[3, 1])),
        (&[2, 3], &[3, 1], &[6], Some(&[1])),
        (&[2, 3], &[3, 1], &[3, 2], Some(&[2, 1])),
        (&[3, 2], &[1, 3], &[6], None),
        (&[3, 2], &[1, 3], &[3, 1, 2], Some(&[1, 6, 3])),
        (&[4, 3], &[6, 1], &[2, 2, 3], Some(&[12, 6, 1])),
        (&[4, 3], &[6, 1], &[12], None),
        (&[4, 3], &[6, 1], &[2, 6], None),
        (&[4, 3], &[6, 2], &[2, 6], Some(&[12, 2])),
        (&[6], &[-1], &[3, 2], Some(&[-2, -1])),
        (&[4], &[0], &[2, 2], Some(&[0, 0])),
        (&[3, 4], &[0, 1], &[12], None),
        (&[3, 4], &[0, 1], &[3, 2, 2], Some(&[0, 2, 1])),
        (&[1, 6, 1], &[77, 2, -7], &[2, 3], Some(&[6, 2])),
        (&[1, 1], &[77, i64::MIN], &[], Some(&[])),
        (&[], &[], &[1, 1, 1], Some(&[1, 1, 1])),
    ];
    for (shape, strides, wanted, expected) in table {
        let layout = Layout::new(shape, strides).unwrap();
        let view = layout.reshaped(wanted);
        assert_eq!(view.as_ref().map(Layout::strides), expected, "{layout:?} as {wanted:?}");
    }
}

#[test]
fn reshape_keeps_the_size() {
    let layout = Layout::c_contiguous(&[2, 3]).unwrap();
    let shapes: [&[i64]; 6] = [&[7], &[], &[0], &[-1], &[-2, -3], &[i64::MAX, 2]];
    for shape in shapes {
        assert_eq!(layout.reshaped(shape), None, "{shape:?}");
    }
}

#[test]
fn empty_reshapes_to_any_empty_shape() {
    let empty = Layout::new(&[0, 3], &[i64::MIN, 7]).unwrap();
    assert_eq!(empty.reshaped(&[5, 0, 2]), Layout::c_contiguous(&[5, 0, 2]).ok());
    assert_eq!(empty.reshaped(&[i64::MAX, i64::MAX, 0]).unwrap().size(), 0);
    assert_eq!(empty.reshaped(&[3]), None);
    assert_eq!(empty.reshaped(&[]), None);
}

#[test]
fn reshape_of_huge_strides_does_not_overflow() {
    let far = Layout::new(&[2], &[i64::MAX]).unwrap();
    assert_eq!(far.reshaped(&[1, 2, 1]).unwrap().span(), far.span());
    let apart = Layout::new(&[2, 2], &[1, 1 << 62]).unwrap();
    assert_eq!(apart.reshaped(&[4]), None);
    assert_eq!(apart.reshaped(&[2, 1, 2]).unwrap().span(), apart.span());
}
