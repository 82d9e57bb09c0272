//! Counts, spans, contiguity and offsets against the oracle.

use alloc::vec;
use alloc::vec::Vec;

use super::oracle::{self, Rng};
use crate::layout::{Layout, c_strides, element_count, f_strides, span};

#[test]
fn size_is_the_number_of_indices() {
    let mut rng = Rng::new(1);
    for _ in 0..3000 {
        let layout = rng.layout(5);
        let count = oracle::indices(layout.shape()).len();
        assert_eq!(element_count(layout.shape()), Ok(count), "{layout:?}");
        assert_eq!(layout.size(), count, "{layout:?}");
        assert_eq!(layout.is_empty(), count == 0, "{layout:?}");
    }
}

#[test]
fn span_is_from_the_lowest_to_the_highest_offset() {
    let mut rng = Rng::new(2);
    for _ in 0..3000 {
        let layout = rng.layout(5);
        let all = oracle::offsets(layout.shape(), layout.strides());
        let expected = all.iter().min().copied().zip(all.iter().max().copied());
        let found = layout.span();
        assert_eq!(found.map(|span| (i128::from(span.lowest), i128::from(span.highest))), expected, "{layout:?}");
        assert_eq!(span(layout.shape(), layout.strides()), Ok(found));
    }
}

#[test]
fn byte_range_holds_each_bit_and_no_byte_more() {
    let mut rng = Rng::new(3);
    for _ in 0..3000 {
        let layout = rng.layout(4);
        let bits = rng.pick(&[1, 2, 4, 6, 8, 12, 16, 32, 64, 80, 128]);
        let all = oracle::offsets(layout.shape(), layout.strides());
        let touched = all.iter().flat_map(|offset| {
            let first = offset * i128::from(bits);
            [first.div_euclid(8), (first + i128::from(bits) - 1).div_euclid(8)]
        });
        let touched = touched.collect::<Vec<_>>();
        let expected = match (touched.iter().min(), touched.iter().max()) {
            (Some(low), Some(high)) => *low..high + 1,
            _ => 0..0,
        };
        let found = layout.byte_range(bits).unwrap();
        let found = i128::try_from(found.start).unwrap()..i128::try_from(found.end).unwrap();
        assert_eq!(found, expected, "{layout:?} {bits}");
    }
}

#[test]
fn contiguous_means_that_offsets_count_upwards() {
    let mut rng = Rng::new(4);
    let (mut row_major, mut column_major) = (0, 0);
    for _ in 0..5000 {
        let layout = rng.layout(4);
        let counts_up = |shape: &[i64], strides: &[i64]| {
            oracle::offsets(shape, strides).into_iter().zip(0..).all(|(offset, place)| offset == place)
        };
        assert_eq!(layout.is_c_contiguous(), counts_up(layout.shape(), layout.strides()), "{layout:?}");
        let reversed = |values: &[i64]| values.iter().rev().copied().collect::<Vec<_>>();
        let (shape, strides) = (reversed(layout.shape()), reversed(layout.strides()));
        assert_eq!(layout.is_f_contiguous(), counts_up(&shape, &strides), "{layout:?}");
        row_major += usize::from(layout.is_c_contiguous());
        column_major += usize::from(layout.is_f_contiguous());
    }
    assert!(row_major > 500 && column_major > 500, "{row_major} {column_major}: nothing was tried");
}

#[test]
fn written_strides_are_contiguous_and_positive() {
    let mut rng = Rng::new(5);
    for _ in 0..2000 {
        let shape = rng.shape(5);
        let mut strides = vec![0; shape.len()];
        c_strides(&shape, &mut strides);
        let rows = Layout::new(&shape, &strides).unwrap();
        assert!(rows.is_c_contiguous() && strides.iter().all(|&stride| stride > 0), "{rows:?}");
        assert_eq!(Layout::c_contiguous(&shape), Ok(rows));
        f_strides(&shape, &mut strides);
        let columns = Layout::new(&shape, &strides).unwrap();
        assert!(columns.is_f_contiguous() && strides.iter().all(|&stride| stride > 0), "{columns:?}");
        assert_eq!(Layout::f_contiguous(&shape), Ok(columns));
    }
}

#[test]
fn offsets_come_last_axis_fastest() {
    let mut rng = Rng::new(6);
    for _ in 0..3000 {
        let layout = rng.layout(5);
        assert_eq!(oracle::told(&layout), oracle::offsets(layout.shape(), layout.strides()), "{layout:?}");
    }
}

#[test]
fn offsets_know_how_many_are_left() {
    let mut rng = Rng::new(7);
    for _ in 0..300 {
        let layout = rng.layout(4);
        let mut offsets = layout.offsets();
        for left in (0..layout.size()).rev() {
            assert!(offsets.next().is_some(), "{layout:?}");
            assert_eq!(offsets.len(), left, "{layout:?}");
        }
        assert_eq!((offsets.next(), offsets.next(), offsets.len()), (None, None, 0), "{layout:?}");
    }
}

#[test]
fn offset_of_an_index_is_the_sum_over_its_axes() {
    let mut rng = Rng::new(8);
    for _ in 0..500 {
        let layout = rng.layout(4);
        for index in oracle::indices(layout.shape()) {
            let expected = oracle::offset(&index, layout.strides());
            let mut index = index.iter().map(|&at| usize::try_from(at).unwrap()).collect::<Vec<_>>();
            assert_eq!(layout.offset(&index).map(i128::from), Some(expected), "{layout:?} {index:?}");
            index.push(0);
            assert_eq!(layout.offset(&index), None, "one axis too many");
            index.pop();
            if let Some(axis) = (0..index.len()).next() {
                index[axis] = usize::try_from(layout.shape()[axis]).unwrap();
                assert_eq!(layout.offset(&index), None, "beyond the axis");
                index.pop();
                assert_eq!(layout.offset(&index), None, "one axis too few");
            }
        }
    }
}
