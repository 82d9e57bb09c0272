//! Strides in bytes, against the oracle.

use alloc::vec;
use alloc::vec::Vec;

use super::oracle::{self, Rng};
use crate::layout::{Layout, LayoutError};

/// What one pass over the axes makes, where it is.
fn filled(shape: &[i64], strides: &[i64], item: usize) -> Result<Layout, LayoutError> {
    let mut layout = Layout::blank();
    layout.fill_bytes(shape, strides, item)?;
    Ok(layout)
}

const ITEMS: [usize; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 1 << 18];

#[test]
fn elements_are_where_their_bytes_are() {
    let mut rng = Rng::new(11);
    let mut whole = 0;
    for _ in 0..4000 {
        let shape = rng.shape(4);
        let item = rng.pick(&ITEMS[..8]);
        let unit = i64::try_from(item).unwrap();
        let strides = rng.strides(&shape).into_iter().map(|stride| {
            let shift = if rng.one_in(20) { rng.between(1 - unit, unit - 1) } else { 0 };
            stride.checked_mul(unit).unwrap_or(stride).saturating_add(shift)
        });
        let strides = strides.collect::<Vec<_>>();
        // Where each element begins says whether they are whole elements apart: those of a size and the strides of the
        // axes that have a second element.
        let starts = oracle::offsets(&shape, &strides);
        let is_whole = starts.iter().all(|start| start % i128::from(unit) == 0);
        match Layout::from_bytes(&shape, &strides, item) {
            Ok(layout) => {
                let told = oracle::told(&layout).into_iter().map(|offset| offset * i128::from(unit));
                assert_eq!(told.collect::<Vec<_>>(), starts, "{shape:?} {strides:?} {item}");
                whole += 1;
            }
            Err(LayoutError::PartialStride { bytes, item: told }) => {
                assert!(!is_whole, "{shape:?} {strides:?} {item}");
                assert!(strides.contains(&bytes) && told == item);
            }
            Err(error) => panic!("{error}: {shape:?} {strides:?} {item}"),
        }
    }
    assert!((2000..4000).contains(&whole), "{whole} of the layouts are whole");
}

#[test]
fn one_pass_makes_what_the_plain_way_makes() {
    let mut rng = Rng::new(12);
    let (mut good, mut row_major) = (0, 0);
    for _ in 0..20_000 {
        let (shape, item) = (rng.shape(10), rng.pick(&ITEMS));
        let unit = i64::try_from(item).unwrap();
        let strides = rng.strides(&shape).into_iter().map(|stride| {
            let shift = if rng.one_in(30) { rng.between(-3, 3) } else { 0 };
            stride.checked_mul(unit).unwrap_or(stride).saturating_add(shift)
        });
        let strides = strides.collect::<Vec<_>>();
        let plain = Layout::from_bytes(&shape, &strides, item);
        good += usize::from(plain.is_ok());
        row_major += usize::from(plain.as_ref().is_ok_and(Layout::is_c_contiguous));
        assert_eq!(filled(&shape, &strides, item), plain, "{shape:?} {strides:?} {item}");
    }
    assert!(good > 10_000 && row_major > 2000, "{good} good, {row_major} row-major");
}

#[test]
fn one_pass_refuses_what_the_plain_way_refuses() {
    let extents = [-1, 0, 1, 2, 3, 1 << 31, 1 << 62, i64::MAX, i64::MIN];
    let strides = [0, 1, 2, 4, 6, 8, -8, 12, 1 << 33, 1 << 62, -(1 << 62), i64::MAX, i64::MIN];
    let mut refused = 0;
    for item in [0, 1, 2, 4, 6, 8, 1 << 20] {
        for (first, second) in extents.iter().flat_map(|first| extents.iter().map(move |second| (*first, *second))) {
            for (outer, inner) in strides.iter().flat_map(|outer| strides.iter().map(move |inner| (*outer, *inner))) {
                let (shape, strides) = ([first, second], [outer, inner]);
                let plain = Layout::from_bytes(&shape, &strides, item);
                refused += usize::from(plain.is_err());
                assert_eq!(filled(&shape, &strides, item), plain, "{shape:?} {strides:?} {item}");
            }
        }
    }
    assert!(refused > 10_000, "{refused}");
}

#[test]
fn there_are_as_many_strides_as_extents() {
    let table =
        [(&[1, 2][..], &[8][..]), (&[2], &[8, 8]), (&[], &[8]), (&[2], &[]), (&[1; 8], &[8; 9]), (&[1; 9], &[8; 8])];
    for (shape, strides) in table {
        let mismatch = LayoutError::RankMismatch { shape: shape.len(), strides: strides.len() };
        assert_eq!(Layout::from_bytes(shape, strides, 8), Err(mismatch.clone()));
        assert_eq!(filled(shape, strides, 8), Err(mismatch));
    }
}

#[test]
fn stride_that_means_nothing_may_be_no_whole_number_of_elements() {
    for shape in [&[1, 3][..], &[0, 3], &[3, 0], &[1, 1]] {
        for item in [4, 6] {
            let strides = vec![5; shape.len()];
            let strides = if shape == [1, 3] { vec![5, i64::try_from(item).unwrap()] } else { strides };
            let layout = Layout::from_bytes(shape, &strides, item).unwrap();
            assert_eq!(layout.shape(), shape);
            assert_eq!(filled(shape, &strides, item), Ok(layout));
        }
    }
}

#[test]
fn elements_of_no_bytes_are_refused_with_their_stride() {
    let refused = Err(LayoutError::PartialStride { bytes: 8, item: 0 });
    assert_eq!(Layout::from_bytes(&[2], &[8], 0), refused);
    assert_eq!(filled(&[2], &[8], 0), refused);
    assert_eq!(Layout::from_bytes(&[], &[], 0).map(|layout| layout.size()), Ok(1));
}

#[test]
fn elements_larger_than_any_stride_are_not_taken_for_the_largest() {
    for item in [i64::MAX.unsigned_abs(), 1 << 63, (1 << 63) + 1, u64::MAX].map(|item| usize::try_from(item).unwrap()) {
        for bytes in [1, -1, 2, i64::MAX, -i64::MAX, i64::MIN] {
            let whole = i128::from(bytes) % i128::try_from(item).unwrap() == 0;
            let made = Layout::from_bytes(&[2], &[bytes], item);
            assert_eq!(made.is_ok(), whole, "{bytes} {item}: {made:?}");
            assert_eq!(filled(&[2], &[bytes], item), made, "{bytes} {item}");
        }
    }
}

#[test]
fn the_fast_way_takes_every_row_major_layout_in_place() {
    let mut rng = Rng::new(13);
    for _ in 0..2000 {
        let (shape, item) = (rng.shape(8), rng.pick(&ITEMS));
        let unit = i64::try_from(item).unwrap();
        let rows = Layout::c_contiguous(&shape).unwrap();
        let strides = rows.strides().iter().map(|stride| stride * unit).collect::<Vec<_>>();
        let bytes = (!rows.is_empty()).then(|| i64::try_from(rows.size()).unwrap() * unit);
        assert_eq!(Layout::blank().fill_row_major(&shape, &strides, item), bytes, "{shape:?} {item}");
    }
}
