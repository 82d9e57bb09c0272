#![allow(clippy::arithmetic_side_effects, reason = "the overflow checks of the test profile watch the counts")]

use ::ndarray::{Dimension, Ix0, Ix1, Ix2, Ix3, IxDyn, array};
use alloc::vec;
use alloc::vec::Vec;

use crate::abi::{DLDataType, DLDevice};
use crate::export::Export;
use crate::layout::Layout;
use crate::managed::{Descriptor, Fields, Tensor};
use crate::view::ViewError;

/// A tensor of the layout over as many numbers as it needs: 0, 1, 2 ... in memory.
fn tensor(layout: Layout) -> Tensor {
    let (first, len) = layout.span().map_or((0, 0), |span| (-span.lowest, span.highest - span.lowest + 1));
    Export::vec((0..i32::try_from(len).unwrap()).collect())
        .layout(layout, usize::try_from(first).unwrap())
        .finish()
        .unwrap()
}

/// All lists of `len` numbers out of `choices`.
fn lists(len: usize, choices: &[i64]) -> Vec<Vec<i64>> {
    let longer = |list: Vec<i64>| choices.iter().map(move |choice| [list.as_slice(), &[*choice]].concat());
    (0..len).fold(vec![Vec::new()], |lists, _| lists.into_iter().flat_map(&longer).collect())
}

#[test]
fn an_array_has_the_elements_of_the_tensor_whatever_the_strides() {
    let (mut writable, mut interleaved) = (0, 0);
    for ndim in 0..=3 {
        for shape in lists(ndim, &[0, 1, 2, 3]) {
            for strides in lists(ndim, &[-7, -2, 0, 1, 3]) {
                let mut tensor = tensor(Layout::new(&shape, &strides).unwrap());
                let elements = tensor.view().typed::<i32>().unwrap();
                let array = elements.as_array::<IxDyn>().unwrap();
                let extents: Vec<i64> = array.shape().iter().map(|extent| i64::try_from(*extent).unwrap()).collect();
                assert_eq!(extents, shape, "{strides:?}");
                let expected: Vec<i32> = elements.iter().collect();
                assert_eq!(array.iter().copied().collect::<Vec<_>>(), expected, "{shape:?} {strides:?}");
                for (index, element) in array.indexed_iter() {
                    assert_eq!(elements.get(index.as_array_view().as_slice().unwrap()), Some(*element));
                }
                assert_eq!(elements.to_array::<IxDyn>().unwrap(), array);
                let Ok(mut elements) = tensor.typed_mut::<i32>() else { continue };
                match elements.as_array_mut::<IxDyn>() {
                    Ok(mut array) => array.mapv_inplace(|element| element + 100),
                    Err(error) => {
                        assert_eq!(error, ViewError::Interleaved, "{shape:?} {strides:?}");
                        interleaved += 1;
                        continue;
                    }
                }
                writable += 1;
                let written: Vec<i32> = elements.as_view().iter().collect();
                assert_eq!(written, expected.iter().map(|element| element + 100).collect::<Vec<_>>());
            }
        }
    }
    assert!(writable > 20 * interleaved, "{writable} layouts could be written, and {interleaved} could not");
}

#[test]
fn an_array_of_as_many_axes_is_lent_and_no_other() {
    let tensor = tensor(Layout::c_contiguous(&[2, 3]).unwrap());
    let elements = tensor.view().typed::<i32>().unwrap();
    assert_eq!(elements.as_array::<Ix2>().unwrap(), array![[0, 1, 2], [3, 4, 5]]);
    let refused = Err(ViewError::Rank { wanted: 3, found: 2 });
    assert_eq!(elements.as_array::<Ix3>().map(drop), refused);
    assert_eq!(elements.to_array::<Ix3>().map(drop), refused);
    assert_eq!(elements.as_array::<Ix0>().map(drop), Err(ViewError::Rank { wanted: 0, found: 2 }));
    let text = ViewError::Rank { wanted: 3, found: 2 };
    assert_eq!(alloc::string::ToString::to_string(&text), "wanted 3 axes, found 2");
}

#[test]
fn a_tensor_without_axes_is_an_array_of_one_element() {
    let tensor = Export::vec(vec![7_u16]).shape(&[]).finish().unwrap();
    let elements = tensor.view().typed::<u16>().unwrap();
    assert_eq!(elements.as_array::<Ix0>().unwrap().into_scalar(), &7);
    assert_eq!(elements.as_array::<IxDyn>().unwrap().ndim(), 0);
}

#[test]
fn an_empty_tensor_is_an_array_when_its_other_extents_are_possible() {
    let nothing = Fields { read_only: true, ..Fields::SHARED };
    let describe = |shape: &[i64]| {
        let layout = Layout::new(shape, &vec![i64::MIN; shape.len()]).unwrap();
        let descriptor = Descriptor::new(core::ptr::null_mut(), DLDevice::CPU, DLDataType::F64, layout, nothing);
        // SAFETY: there are no elements, so there is no memory to speak for.
        unsafe { Tensor::from_owner((), descriptor.unwrap()) }.unwrap()
    };
    let tensor = describe(&[3, 0, 1 << 40]);
    let elements = tensor.view().typed::<f64>().unwrap();
    assert_eq!(elements.as_array::<Ix3>().unwrap().shape(), [3, 0, 1 << 40]);
    assert_eq!(elements.to_array::<Ix3>().unwrap().shape(), [3, 0, 1 << 40]);
    for shape in [&[i64::MAX, 4, 0][..], &[0, i64::MAX], &[1 << 61, 0]] {
        let tensor = describe(shape);
        let elements = tensor.view().typed::<f64>().unwrap();
        assert_eq!(elements.as_array::<IxDyn>().map(drop), Err(ViewError::Extents), "{shape:?}");
        assert_eq!(elements.to_array::<IxDyn>().map(drop), Err(ViewError::Extents), "{shape:?}");
    }
}

#[test]
fn the_stride_of_an_axis_with_one_element_means_nothing() {
    for stride in [i64::MIN, i64::MAX, -1, 0] {
        let mut tensor = tensor(Layout::new(&[1, 2, 1], &[stride, -1, stride]).unwrap());
        let elements = tensor.view().typed::<i32>().unwrap();
        assert_eq!(elements.as_array::<Ix3>().unwrap(), array![[[1], [0]]]);
        let mut elements = tensor.typed_mut::<i32>().unwrap();
        assert_eq!(elements.as_array_mut::<Ix3>().unwrap(), array![[[1], [0]]]);
    }
}

#[test]
fn misaligned_elements_are_copied_and_not_lent() {
    let mut memory = vec![0_u8; 40];
    let at = memory.as_ptr().align_offset(8) + 1;
    memory[at..at + 8].copy_from_slice(&1.5_f64.to_ne_bytes());
    memory[at + 8..at + 16].copy_from_slice(&2.5_f64.to_ne_bytes());
    let data = memory.as_mut_ptr().wrapping_add(at).cast();
    let layout = Layout::c_contiguous(&[2]).unwrap();
    let descriptor = Descriptor::new(data, DLDevice::CPU, DLDataType::F64, layout, Fields::SHARED).unwrap();
    // SAFETY: moving a vector leaves its memory where it is; 16 bytes from `at` are initialised.
    let mut tensor = unsafe { Tensor::from_owner(memory, descriptor) }.unwrap();
    let elements = tensor.view().typed::<f64>().unwrap();
    assert_eq!(elements.as_array::<Ix1>().map(drop), Err(ViewError::Misaligned { needed: 8 }));
    assert_eq!(elements.to_array::<Ix1>().unwrap(), array![1.5, 2.5]);
    let mut elements = tensor.typed_mut::<f64>().unwrap();
    assert_eq!(elements.as_array_mut::<Ix1>().map(drop), Err(ViewError::Misaligned { needed: 8 }));
}

#[test]
fn a_byte_that_is_no_bool_is_not_lent_in_an_array() {
    let bytes = |bytes: Vec<u8>| {
        let layout = Layout::new(&[2], &[-1]).unwrap();
        let data = bytes.as_ptr().wrapping_add(1).cast_mut().cast();
        let descriptor = Descriptor::new(data, DLDevice::CPU, DLDataType::BOOL, layout, Fields::SHARED).unwrap();
        // SAFETY: moving a vector leaves its memory where it is; nobody else has it.
        unsafe { Tensor::from_owner(bytes, descriptor) }.unwrap()
    };
    let mut tensor = bytes(vec![0, 1]);
    let elements = tensor.view().typed::<bool>().unwrap();
    assert_eq!(elements.as_array::<Ix1>().unwrap(), array![true, false]);
    tensor.typed_mut::<bool>().unwrap().as_array_mut::<Ix1>().unwrap().fill(true);
    let mut tensor = bytes(vec![9, 1]);
    let elements = tensor.view().typed::<bool>().unwrap();
    assert_eq!(elements.as_array::<Ix1>().map(drop), Err(ViewError::InvalidValue { at: 1 }));
    assert_eq!(elements.to_array::<Ix1>().unwrap(), array![true, true]);
    let mut elements = tensor.typed_mut::<bool>().unwrap();
    assert_eq!(elements.as_array_mut::<Ix1>().map(drop), Err(ViewError::InvalidValue { at: 1 }));
}
