//! Layouts at the edge of what is one.

use alloc::vec;
use alloc::vec::Vec;

use crate::layout::{Layout, LayoutError, Span, c_strides, f_strides, is_c_contiguous, is_f_contiguous};

#[test]
fn empty_never_overflows() {
    let shapes: [&[i64]; 4] =
        [&[i64::MAX, 4, 0], &[0, i64::MAX, i64::MAX], &[1 << 32, 1 << 32, 0, 3], &[i64::MAX, 0, i64::MAX]];
    for shape in shapes {
        for stride in [i64::MIN, -1, 0, i64::MAX] {
            let layout = Layout::new(shape, &vec![stride; shape.len()]).unwrap();
            assert_eq!((layout.size(), layout.span()), (0, None), "{layout:?}");
            assert_eq!(layout.byte_range(u32::MAX), Ok(0..0));
            assert!(layout.is_c_contiguous() && layout.is_f_contiguous() && !layout.has_overlap());
            assert_eq!(layout.offsets().next(), None);
        }
        let rows = Layout::c_contiguous(shape).unwrap();
        let columns = Layout::f_contiguous(shape).unwrap();
        assert!(rows.strides().iter().chain(columns.strides()).all(|&stride| stride > 0));
    }
}

#[test]
fn empty_has_the_strides_of_extents_that_count_as_one() {
    assert_eq!(Layout::c_contiguous(&[3, 0, 5]).unwrap().strides(), [5, 5, 1]);
    assert_eq!(Layout::f_contiguous(&[3, 0, 5]).unwrap().strides(), [1, 3, 3]);
    assert_eq!(Layout::c_contiguous(&[2, i64::MAX, 4, 0]).unwrap().strides(), [i64::MAX, 4, 1, 1]);
}

#[test]
fn scalar_is_one_element_without_axes() {
    let scalar = Layout::scalar();
    assert_eq!(Layout::new(&[], &[]), Ok(scalar.clone()));
    assert_eq!(Layout::c_contiguous(&[]), Ok(scalar.clone()));
    assert_eq!((scalar.ndim(), scalar.size(), scalar.offset(&[])), (0, 1, Some(0)));
    assert_eq!(scalar.span(), Some(Span { lowest: 0, highest: 0 }));
    assert_eq!((scalar.byte_range(64), scalar.byte_range(4)), (Ok(0..8), Ok(0..1)));
    assert_eq!(scalar.offsets().collect::<Vec<_>>(), [0]);
    assert!(scalar.is_c_contiguous() && scalar.is_f_contiguous() && !scalar.has_overlap());
}

#[test]
fn extent_one_stride_carries_no_meaning() {
    for stride in [77, -7, 0, i64::MIN, i64::MAX] {
        let one = Layout::new(&[1], &[stride]).unwrap();
        assert_eq!((one.strides(), one.span()), (&[stride][..], Some(Span { lowest: 0, highest: 0 })));
        assert!(one.is_c_contiguous() && one.is_f_contiguous() && !one.has_overlap());
        assert_eq!(one.offset(&[0]), Some(0));

        let between = Layout::new(&[2, 1, 3], &[3, stride, 1]).unwrap();
        assert!(between.is_c_contiguous() && !between.is_f_contiguous() && !between.has_overlap());
        assert_eq!(between.span(), Some(Span { lowest: 0, highest: 5 }));
        assert_eq!(between.offsets().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);

        let innermost = Layout::new(&[2, 1], &[1, stride]).unwrap();
        assert_eq!(innermost.offsets().collect::<Vec<_>>(), [0, 1]);
        assert!(innermost.is_c_contiguous());
    }
}

#[test]
fn rank_has_no_limit() {
    for rank in [7, 8, 9, 64, 65, 300] {
        let mut shape = vec![1; rank];
        (shape[0], shape[rank / 2], shape[rank - 1]) = (2, 3, 2);
        let layout = Layout::c_contiguous(&shape).unwrap();
        assert_eq!((layout.ndim(), layout.shape(), layout.size()), (rank, &shape[..], 12));
        assert!(layout.is_c_contiguous() && !layout.is_f_contiguous() && !layout.has_overlap());
        assert_eq!(layout.offsets().collect::<Vec<_>>(), (0..12).collect::<Vec<_>>());
        assert_eq!(layout.clone(), layout);
        assert_eq!(layout.reshaped(&[12]), Layout::c_contiguous(&[12]).ok());
        assert_eq!(layout.with_axis(rank).unwrap().without_axis(rank), Some(layout));
    }
}

#[test]
fn a_layout_is_filled_where_it_is() {
    let mut filled = Layout::blank();
    // From place to allocation and back, so that nothing of a former one may be left.
    for rank in [0, 1, 8, 9, 3, 12, 7, 9, 8, 0] {
        let mut shape = vec![1; rank];
        if let Some(last) = shape.last_mut() {
            *last = 5;
        }
        for stride in [1, -3] {
            let strides = vec![stride; rank];
            let layout = Layout::new(&shape, &strides).unwrap();
            assert_eq!(filled.fill(&shape, &strides), Ok(()));
            assert_eq!((&filled, filled.span()), (&layout, layout.span()));
        }
    }
    assert_eq!(filled.fill(&[2], &[]), Err(LayoutError::RankMismatch { shape: 1, strides: 0 }));
    assert_eq!(filled.fill(&[-1], &[1]), Err(LayoutError::NegativeExtent { axis: 0, extent: -1 }));
}

#[test]
fn what_is_known_to_be_row_major_is_and_what_people_make_is_known() {
    let shapes: [&[i64]; 5] = [&[], &[3], &[1, 1], &[2, 1, 3], &[2, 3, 4, 5, 6, 7, 1, 2, 3]];
    for shape in shapes {
        let rows = Layout::c_contiguous(shape).unwrap();
        assert!(rows.is_known_row_major() && Layout::new(shape, rows.strides()).unwrap().is_known_row_major());
        assert!(rows.transposed().transposed().is_known_row_major());
    }
    let others: [(&[i64], &[i64]); 5] = [(&[3], &[2]), (&[3], &[-1]), (&[2, 3], &[1, 2]), (&[0], &[1]), (&[2], &[0])];
    for (shape, strides) in others {
        assert!(!Layout::new(shape, strides).unwrap().is_known_row_major(), "{shape:?} {strides:?}");
    }
    assert!(!Layout::c_contiguous(&[2, 3]).unwrap().transposed().is_known_row_major());
    assert!(!Layout::blank().is_known_row_major());
}

#[test]
fn strides_may_reach_to_the_ends_of_64_bits() {
    let up = Layout::new(&[2], &[i64::MAX]).unwrap();
    assert_eq!(up.span(), Some(Span { lowest: 0, highest: i64::MAX }));
    let down = Layout::new(&[2, 2], &[-(1 << 62), 1]).unwrap();
    assert_eq!(down.offsets().collect::<Vec<_>>(), [0, 1, -(1 << 62), 1 - (1 << 62)]);
    assert!(!up.has_overlap() && !down.has_overlap());
    let both = Layout::new(&[2, 2, 2], &[-(1 << 62), (1 << 62) - 2, 1]).unwrap();
    assert_eq!(both.span(), Some(Span { lowest: -(1 << 62), highest: (1 << 62) - 1 }));
    assert!(!both.has_overlap());
}

#[test]
fn layouts_differ_where_strides_do() {
    assert_ne!(Layout::new(&[1], &[5]), Layout::new(&[1], &[7]));
    assert_ne!(Layout::new(&[2, 1], &[1, 1]), Layout::new(&[2], &[1]));
    assert_eq!(alloc::format!("{:?}", Layout::c_contiguous(&[2, 3])), "Ok(Layout { shape: [2, 3], strides: [3, 1] })");
}

#[test]
fn lists_of_different_length_are_no_panic() {
    let mut strides = [9, 9];
    c_strides(&[2, 3, 4], &mut strides);
    assert_eq!(strides, [3, 1]);
    f_strides(&[2], &mut strides);
    assert_eq!(strides, [1, 1]);
    assert!(!is_c_contiguous(&[2], &[]) && !is_f_contiguous(&[], &[1]));
}

#[test]
fn contiguity_does_not_wrap() {
    // The product of the extents is zero modulo 2^64, but not zero.
    let (shape, strides) = ([2, 1 << 32, 1 << 32], [0, 1 << 32, 1]);
    assert!(!is_c_contiguous(&shape, &strides));
    assert!(!is_f_contiguous(&[1 << 32, 1 << 32, 2], &[1, 1 << 32, 0]));
}
