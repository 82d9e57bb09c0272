use alloc::vec::Vec;

use super::{bytes_at, dense};
use crate::abi::DLDataType;
use crate::element::Scalar;
use crate::layout::Layout;
use crate::managed::Fields;

fn all(bytes: &[u8], dtype: DLDataType) -> Vec<Scalar> {
    let count = bytes.len() / dtype.item_bytes();
    let tensor = dense(bytes, dtype, &[i64::try_from(count).unwrap()]);
    let scalars: Vec<_> = tensor.view().scalars().unwrap().collect();
    for (at, &scalar) in scalars.iter().enumerate() {
        assert_eq!(tensor.view().scalar(&[at]), Ok(Some(scalar)));
    }
    scalars
}

#[test]
fn booleans_and_integers_are_read() {
    assert_eq!(all(&[0, 1, 2], DLDataType::BOOL), [false, true, true].map(Scalar::Bool));
    assert_eq!(all(&[1, 0xff], DLDataType::I8), [1, -1].map(Scalar::Int));
    assert_eq!(all(&[1, 0xff], DLDataType::U8), [1, 255].map(Scalar::UInt));
    assert_eq!(all(&u64::MAX.to_ne_bytes(), DLDataType::U64), [Scalar::UInt(u64::MAX)]);
    assert_eq!(all(&i64::MIN.to_ne_bytes(), DLDataType::I64), [Scalar::Int(i64::MIN)]);
}

#[test]
fn floats_of_every_width_and_complex_numbers_are_read() {
    let singles: Vec<u8> = [1.5_f32, -2.0].iter().flat_map(|value| value.to_ne_bytes()).collect();
    let halves = |values: [u16; 2]| values.map(u16::to_ne_bytes).concat();
    assert_eq!(all(&singles, DLDataType::F32), [1.5, -2.0].map(Scalar::Float));
    assert_eq!(all(&singles, DLDataType::C64), [Scalar::Complex(1.5, -2.0)]);
    assert_eq!(all(&halves([0x3f80, 0xc000]), DLDataType::BF16), [1.0, -2.0].map(Scalar::Float));
    assert_eq!(all(&halves([0x3c00, 0xc000]), DLDataType::F16), [1.0, -2.0].map(Scalar::Float));
    assert_eq!(all(&[0x7e, 0x38], DLDataType::F8_E4M3FN), [448.0, 1.0].map(Scalar::Float));
    assert_eq!(all(&[0x7e, 0x40], DLDataType::F8_E4M3FNUZ), [224.0, 1.0].map(Scalar::Float));
}

#[test]
fn misaligned_and_strided_elements_are_read() {
    let bytes: Vec<u8> = (0..6_u32).flat_map(|value| (value * 1000).to_ne_bytes()).collect();
    for misalign in [0, 1, 3] {
        let layout = Layout::new(&[3], &[-2]).unwrap();
        let tensor = bytes_at(misalign, &bytes, DLDataType::U32, layout, 20, Fields::SHARED);
        let found: Vec<_> = tensor.view().scalars().unwrap().collect();
        assert_eq!(found, [5000, 3000, 1000].map(Scalar::UInt));
    }
}

#[test]
fn repeated_elements_are_read_each_time() {
    let layout = Layout::new(&[2, 2], &[0, 1]).unwrap();
    let tensor = bytes_at(0, &[4, 5], DLDataType::U8, layout, 0, Fields::SHARED);
    let found: Vec<_> = tensor.view().scalars().unwrap().collect();
    assert_eq!(found, [4, 5, 4, 5].map(Scalar::UInt));
}

#[test]
fn the_last_byte_of_the_memory_is_the_last_that_is_read() {
    // Memory that ends with the tensor: AddressSanitizer sees a read beyond it.
    use crate::export::Export;

    let tensor = Export::read_only(Vec::from([1_u8, 2, 3])).finish().unwrap();
    assert_eq!(tensor.view().scalar(&[2]), Ok(Some(Scalar::UInt(3))));
}
