use alloc::string::ToString;
use alloc::vec;

use crate::abi::DLManagedTensorVersioned;
use crate::export::{Export, ExportError};
use crate::layout::{Layout, LayoutError};
use crate::managed::DescribeError;

/// Exports `len` elements with a layout.
fn export(len: usize, shape: &[i64], strides: &[i64], first: usize) -> Result<(), ExportError> {
    let layout = Layout::new(shape, strides).unwrap();
    let make = || Export::writable(vec![0_u64; len]).layout(layout.clone(), first);
    let finished = make().finish().map(drop);
    // The same to the letter when it becomes a struct at once.
    let managed = make().into_managed::<DLManagedTensorVersioned>();
    let managed = managed.map(|managed| {
        // SAFETY: just made and handed to nobody else.
        drop(unsafe { crate::managed::Handle::versioned(managed) });
    });
    assert_eq!(finished, managed);
    finished
}

#[test]
fn a_layout_within_the_owners_elements_is_exported() {
    let cases: [(usize, &[i64], &[i64], usize); 9] = [
        (6, &[2, 3], &[3, 1], 0),
        (6, &[6], &[-1], 5),
        (6, &[2, 3], &[-3, -1], 5),
        (6, &[2], &[5], 0),
        (6, &[], &[], 5),
        (1, &[1 << 40], &[0], 0),
        (6, &[1, 6], &[i64::MAX, 1], 0),
        (0, &[0], &[1], 0),
        // Without elements there is nothing to be out of bounds.
        (0, &[3, 0], &[1000, 1000], usize::MAX),
    ];
    for (len, shape, strides, first) in cases {
        assert_eq!(export(len, shape, strides, first), Ok(()), "{len} {shape:?} {strides:?} {first}");
    }
}

#[test]
fn a_layout_beyond_the_owners_elements_is_refused() {
    type Case = (usize, &'static [i64], &'static [i64], usize, i64, i64);
    let cases: [Case; 9] = [
        (5, &[2, 3], &[3, 1], 0, 0, 5),
        (6, &[2, 3], &[3, 1], 1, 1, 6),
        (6, &[6], &[-1], 4, -1, 4),
        (6, &[2, 3], &[-3, 1], 2, -1, 4),
        (6, &[2], &[6], 0, 0, 6),
        (6, &[], &[], 6, 6, 6),
        (0, &[], &[], 0, 0, 0),
        (6, &[2], &[1], usize::MAX, i64::MAX, i64::MAX),
        (6, &[2], &[i64::MAX], 3, 3, i64::MAX),
    ];
    for (len, shape, strides, first, lowest, highest) in cases {
        assert_eq!(
            export(len, shape, strides, first),
            Err(ExportError::OutOfBounds { lowest, highest, len }),
            "{len} {shape:?} {strides:?} {first}"
        );
    }
}

#[test]
fn a_shape_that_is_no_layout_is_refused() {
    let export = |shape: &[i64]| Export::writable(vec![0_u8; 4]).shape(shape).finish().map(drop).unwrap_err();
    assert_eq!(export(&[2, -2]), ExportError::Layout(LayoutError::NegativeExtent { axis: 1, extent: -2 }));
    assert_eq!(export(&[i64::MAX, 2]), ExportError::Layout(LayoutError::SizeOverflow));
    assert_eq!(export(&[3, 2]), ExportError::OutOfBounds { lowest: 0, highest: 5, len: 4 });
}

#[test]
fn a_refusal_says_what_was_asked_and_what_there_is() {
    let far = export(4, &[5], &[1], 0).unwrap_err();
    let cases = [
        (far, "the layout reaches elements 0 to 4, and the owner has 4"),
        (ExportError::ReadOnlyUnversioned, "max_version=(1, 0)"),
        (ExportError::PaddedUnversioned, "max_version=(1, 1)"),
        (ExportError::OutOfMemory { bytes: 77 }, "77 bytes"),
        (ExportError::from(LayoutError::SizeOverflow), "more elements"),
        (ExportError::from(DescribeError::NullData { size: 3 }), "3 elements"),
    ];
    for (error, part) in cases {
        let sentence = error.to_string();
        assert!(sentence.contains(part), "{part:?} in {sentence:?}");
    }
}
