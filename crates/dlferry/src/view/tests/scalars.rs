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
fn elements_of_every_kind_are_read() {
    let bytes = |values: &[f32]| {
        values
            .iter()
            .flat_map(|value| value.to_ne_bytes())
            .collect::<Vec<_>>()
    };
    let shorts = |values: &[u16]| {
        values
            .iter()
            .flat_map(|value| value.to_ne_bytes())
            .collect::<Vec<_>>()
    };
    let cases = [
        (
            all(&[0, 1, 2], DLDataType::BOOL),
            Vec::from([false, true, true].map(Scalar::Bool)),
        ),
        (
            all(&[1, 0xff], DLDataType::I8),
            Vec::from([1, -1].map(Scalar::Int)),
        ),
        (
            all(&[1, 0xff], DLDataType::U8),
            Vec::from([1, 255].map(Scalar::UInt)),
        ),
        (
            all(&u64::MAX.to_ne_bytes(), DLDataType::U64),
            Vec::from([Scalar::UInt(u64::MAX)]),
        ),
        (
            all(&i64::MIN.to_ne_bytes(), DLDataType::I64),
            Vec::from([Scalar::Int(i64::MIN)]),
        ),
        (
            all(&bytes(&[1.5, -2.0]), DLDataType::F32),
            Vec::from([1.5, -2.0].map(Scalar::Float)),
        ),
        (
            all(&bytes(&[1.5, -2.0]), DLDataType::C64),
            Vec::from([Scalar::Complex(1.5, -2.0)]),
        ),
        (
            all(&shorts(&[0x3f80, 0xc000]), DLDataType::BF16),
            Vec::from([1.0, -2.0].map(Scalar::Float)),
        ),
        (
            all(&shorts(&[0x3c00, 0xc000]), DLDataType::F16),
            Vec::from([1.0, -2.0].map(Scalar::Float)),
        ),
        (
            all(&[0x7e, 0x38], DLDataType::F8_E4M3FN),
            Vec::from([448.0, 1.0].map(Scalar::Float)),
        ),
        (
            all(&[0x7e, 0x40], DLDataType::F8_E4M3FNUZ),
            Vec::from([224.0, 1.0].map(Scalar::Float)),
        ),
    ];
    for (found, wanted) in cases {
        assert_eq!(found, wanted);
    }
}

#[test]
fn misaligned_and_strided_elements_are_read() {
    let bytes: Vec<u8> = (0..6_u32)
        .flat_map(|value| (value * 1000).to_ne_bytes())
        .collect();
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
