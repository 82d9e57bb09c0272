use ::ndarray::{Array, Array1, Array2, Array3, ArrayD, Dimension, Ix2, IxDyn, ShapeBuilder, arr0, array, s};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;

use crate::element::Element;
use crate::export::Export;
use crate::managed::Tensor;

/// The tensor of an array has its elements, its shape and its strides, and may be written.
#[track_caller]
fn check<T: Element + PartialEq + Debug, D: Dimension>(array: Array<T, D>) {
    let twin = array.clone();
    let strides: Vec<i64> = array.strides().iter().map(|stride| i64::try_from(*stride).unwrap()).collect();
    let tensor = Tensor::try_from(array).unwrap();
    let descriptor = tensor.descriptor();
    assert!(!descriptor.is_read_only());
    assert_eq!(descriptor.strides(), strides);
    assert_eq!(tensor.view().typed::<T>().unwrap().as_array::<D>().unwrap(), twin);
}

#[test]
fn an_array_of_any_layout_becomes_a_tensor() {
    let cube = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| i64::try_from(i * 100 + j * 10 + k).unwrap());
    check(cube.clone());
    check(cube.clone().reversed_axes());
    check(cube.clone().slice_move(s![1.., ..;2, 1..3]));
    check(cube.clone().slice_move(s![..;-1, ..;-2, ..]));
    check(cube.slice_move(s![0, 1, 2]));
    check(Array2::<f32>::zeros((3, 4).f()));
    check(Array2::<f32>::zeros((3, 0)));
    check(Array1::<u8>::zeros(0));
    check(arr0(1.5_f64));
    check(array![true, false, true]);
    check(ArrayD::<i16>::ones(IxDyn(&[1; 12])));
}

#[test]
fn an_array_is_exported_with_what_the_builder_says() {
    let tensor = Export::array(array![[1_u8, 2], [3, 4]]).copied().finish().unwrap();
    assert_eq!(tensor.descriptor().copied(), Some(true));
}

#[test]
fn a_shared_array_is_exported_read_only() {
    let mut array = array![[1_i32, 2], [3, 4]].into_shared();
    let columns = array.clone().reversed_axes();
    let tensor = Tensor::try_from(columns).unwrap();
    assert!(tensor.descriptor().is_read_only());
    // Written by one who holds it too: into a copy, for it is shared.
    array[[0, 0]] = 9;
    assert_eq!(array[[0, 0]], 9);
    drop(array);
    let elements = tensor.view().typed::<i32>().unwrap();
    assert_eq!(elements.as_array::<Ix2>().unwrap(), array![[1, 3], [2, 4]]);
    assert!(Tensor::try_from(array![true].into_shared()).unwrap().descriptor().is_read_only());
    assert_eq!(Tensor::try_from(Array2::<u8>::zeros((0, 4)).into_shared()).unwrap().descriptor().shape(), [0, 4]);
}
