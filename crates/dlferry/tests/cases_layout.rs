//! Public failures of sizes, strides and offsets, each under its number.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a panic is how a test fails; overflow is one on the test profile"
)]

use dlferry::export::{Export, ExportError};
use dlferry::layout::{Layout, LayoutError};

/// R3.18; PyO3/rust-numpy#558: an empty array with strides of zero is a view like any other.
#[test]
fn b076_empty_layout_with_zero_strides_is_a_view() {
    for shape in [&[2, 0][..], &[0, 2], &[2, 0, 3]] {
        let layout = Layout::new(shape, &vec![0; shape.len()]).unwrap();
        assert!(layout.is_empty() && !layout.has_overlap());
        let tensor = Export::writable(Vec::<f64>::new()).layout(layout, 0).finish().unwrap();
        assert!(tensor.view().typed::<f64>().unwrap().to_vec().is_empty());
        assert_eq!(tensor.view().typed::<f64>().unwrap().as_slice(), Ok(&[][..]));
    }
}

/// Decision 5.6; IntelPython/dpctl#1766: strides that reach past the memory are refused, and the owner is dropped.
#[test]
fn b067_layout_beyond_its_elements_is_refused() {
    let six = || Export::writable(vec![0_i32; 6]);
    let beyond = Layout::new(&[2, 3], &[7, 2]).unwrap();
    assert!(matches!(six().layout(beyond, 0).finish(), Err(ExportError::OutOfBounds { .. })));
    let before = Layout::new(&[2, 3], &[-3, 1]).unwrap();
    assert!(matches!(six().layout(before.clone(), 2).finish(), Err(ExportError::OutOfBounds { .. })));
    assert!(six().layout(before, 3).finish().is_ok());
}

/// R3.18; tensor4all/tenferro-rs#489: the strides that are left out would not fit either.
#[test]
fn b200_row_major_strides_that_overflow_are_an_error() {
    let huge = Layout::c_contiguous(&[1 << 40, 1 << 40, 1]).unwrap_err();
    assert_eq!(huge, LayoutError::SizeOverflow);
    assert!(huge.to_string().contains("more elements than can be counted"));
    assert!(Layout::c_contiguous(&[1 << 40, 1 << 40, 0]).is_ok(), "an empty shape never overflows");
}

/// R3.20; data-apis/array-api#479: any number of axes, without a recursion for each.
#[test]
fn b205_a_thousand_axes_are_walked() {
    for ndim in [64, 1000, 100_000] {
        let mut shape = vec![1; ndim];
        shape[0] = 2;
        let tensor = Export::writable(vec![1_u8, 2]).shape(&shape).finish().unwrap();
        assert_eq!(tensor.view().typed::<u8>().unwrap().to_vec(), [1, 2]);
        assert_eq!(tensor.descriptor().layout().ndim(), ndim);
    }
}
