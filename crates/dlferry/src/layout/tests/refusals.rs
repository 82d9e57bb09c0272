//! What is not a layout, and how that is said.

use alloc::string::ToString;

use crate::layout::LayoutError::{ByteOverflow, NegativeExtent, RankMismatch, SizeOverflow, SpanOverflow};
use crate::layout::text::Tuple;
use crate::layout::{Layout, LayoutError, Span, element_count, span};

#[test]
fn negative_extent_is_refused() {
    let table: [(&[i64], usize, i64); 5] = [
        (&[-1], 0, -1),
        (&[2, -3], 1, -3),
        (&[0, -1], 1, -1),
        (&[i64::MIN, 0], 0, i64::MIN),
        (&[i64::MAX, i64::MAX, -5, -6], 2, -5),
    ];
    for (shape, axis, extent) in table {
        let error = NegativeExtent { axis, extent };
        assert_eq!(element_count(shape), Err(error.clone()));
        assert_eq!(Layout::c_contiguous(shape), Err(error.clone()));
        assert_eq!(Layout::f_contiguous(shape), Err(error.clone()));
        assert_eq!(Layout::new(shape, &alloc::vec![1; shape.len()]), Err(error));
    }
    // The strides that follow from the extents.
    assert_eq!(Layout::new(&[-1, -1], &[-1, 1]), Err(NegativeExtent { axis: 0, extent: -1 }));
}

#[test]
fn rank_mismatch_is_refused() {
    assert_eq!(Layout::new(&[2, 3], &[1]), Err(RankMismatch { shape: 2, strides: 1 }));
    assert_eq!(Layout::new(&[], &[1]), Err(RankMismatch { shape: 0, strides: 1 }));
}

#[test]
fn uncountable_size_is_refused() {
    let table: [&[i64]; 5] =
        [&[i64::MAX, 2], &[1 << 32, 1 << 31], &[1 << 32, 1 << 32], &[1 << 32, 1 << 32, 1 << 32], &[3, i64::MAX, 1, 1]];
    for shape in table {
        assert_eq!(element_count(shape), Err(SizeOverflow), "{shape:?}");
        assert_eq!(Layout::c_contiguous(shape), Err(SizeOverflow), "{shape:?}");
        // Also where all elements are the same one.
        assert_eq!(Layout::new(shape, &alloc::vec![0; shape.len()]), Err(SizeOverflow), "{shape:?}");
    }
    assert_eq!(element_count(&[isize::MAX.try_into().unwrap()]), Ok(isize::MAX.unsigned_abs()));
}

#[test]
fn span_beyond_64_bits_is_refused() {
    let table: [(&[i64], &[i64]); 10] = [
        (&[2], &[i64::MIN]),
        (&[3], &[i64::MAX]),
        (&[2, 2], &[i64::MAX, 1]),
        (&[2, 2], &[-(1 << 62), 1 << 62]),
        (&[1 << 33, 5], &[1 << 32, 1]),
        (&[3, 3, 2], &[i64::MAX, i64::MAX, 5]),
        // These sums wrap to 3 and -3.
        (&[2, 2, 2], &[i64::MAX, i64::MAX, 5]),
        (&[2, 2, 2], &[-i64::MAX, -i64::MAX, -5]),
        // The second product wraps, and so does the sum to which that is added, to a span that would fit.
        (&[2, 3], &[-(3 << 61), 1 << 62]),
        (&[2, 3], &[1 << 62, -(1 << 62) - 1]),
    ];
    for (shape, strides) in table {
        assert_eq!(span(shape, strides), Err(SpanOverflow), "{shape:?} {strides:?}");
        assert_eq!(Layout::new(shape, strides), Err(SpanOverflow), "{shape:?} {strides:?}");
    }
}

#[cfg(target_pointer_width = "64")]
#[test]
fn bytes_beyond_an_address_are_refused() {
    let most = i64::MAX / 8;
    assert_eq!(Layout::c_contiguous(&[most]).unwrap().byte_range(64), Ok(0..isize::MAX - 7));
    assert_eq!(Layout::c_contiguous(&[most + 1]).unwrap().byte_range(64), Err(ByteOverflow { bits: 64 }));
    assert_eq!(Layout::c_contiguous(&[i64::MAX]).unwrap().byte_range(4), Ok(0..1 << 62));
    let low = Span { lowest: i64::MIN / 2, highest: 0 };
    assert_eq!(low.byte_range(8), Ok(isize::MIN / 2..1));
    assert_eq!(low.byte_range(24), Err(ByteOverflow { bits: 24 }));
    assert_eq!(low.byte_range(u32::MAX), Err(ByteOverflow { bits: u32::MAX }));
    // Both ends fit, the length does not.
    let wide = Span { lowest: -(1 << 62), highest: (1 << 62) - 1 };
    assert_eq!(wide.byte_range(8), Err(ByteOverflow { bits: 8 }));
}

#[test]
fn errors_are_sentences() {
    let table: [(LayoutError, &str); 7] = [
        (RankMismatch { shape: 2, strides: 1 }, "the shape has 2 axes, and strides are given for 1"),
        (RankMismatch { shape: 1, strides: 2 }, "the shape has 1 axis, and strides are given for 2"),
        (
            LayoutError::PartialStride { bytes: 1, item: 4 },
            "a stride of 1 byte is no whole number of elements of 4 bytes, as DLPack counts",
        ),
        (NegativeExtent { axis: 1, extent: -3 }, "axis 1 has extent -3, which is negative"),
        (SizeOverflow, "the shape has more elements than can be counted"),
        (SpanOverflow, "the strides reach further than 64 bits can say"),
        (ByteOverflow { bits: 64 }, "elements of 64 bits reach further than an address can"),
    ];
    for (error, sentence) in table {
        assert_eq!(error.to_string(), sentence);
    }
}

#[test]
fn shapes_are_written_as_libraries_write_them() {
    let table: [(&[i64], &str); 4] = [(&[], "()"), (&[3], "(3,)"), (&[3, 2], "(3, 2)"), (&[0, -1, 5], "(0, -1, 5)")];
    for (shape, text) in table {
        assert_eq!(Tuple(shape).to_string(), text);
    }
    let layout = Layout::new(&[3, 2], &[2, -1]).unwrap();
    let told = alloc::format!("{layout:?}");
    assert!(told.contains("[3, 2]") && told.contains("[2, -1]"), "{told}");
    let mut offsets = layout.offsets();
    let _third = offsets.nth(2);
    let told = alloc::format!("{offsets:?}");
    assert!(told.contains("row: [1]"), "{told}");
}
