//! Packed elements, whose copies share bytes with their neighbors.

use alloc::vec::Vec;

use super::kernels::Rng;
use crate::abi::{DLDataType, DLDevice};
use crate::copy::copy_into;
use crate::layout::Layout;
use crate::managed::{Descriptor, Fields};
use crate::view::TensorView;

fn bit(bytes: &[u8], at: usize) -> u8 {
    bytes[at / 8] >> (at % 8) & 1
}

/// A matrix with gaps, maybe transposed, and within so many elements.
fn layout(rng: &mut Rng, rows: usize, columns: usize) -> (Layout, usize) {
    let step = 1 + rng.below(3);
    let (mut outer, mut inner) = (columns * step + rng.below(5), step);
    if rng.below(3) == 0 {
        (outer, inner) = (step, rows * step + rng.below(5));
    }
    let len = (rows - 1) * outer + (columns - 1) * inner + 1;
    let signed = |stride: usize| i64::try_from(stride).unwrap();
    let shape = [signed(rows), signed(columns)];
    (Layout::new(&shape, &[signed(outer), signed(inner)]).unwrap(), len)
}

#[test]
fn packed_elements_leave_the_bits_between_them_alone() {
    let mut rng = Rng(0x5151_5678_9abc_def1);
    let dtypes = [DLDataType::U1, DLDataType::I2, DLDataType::U4, DLDataType::F6_E3M2FN];
    for round in 0..600 {
        let dtype = dtypes[round % dtypes.len()];
        let width = usize::try_from(dtype.item_bits()).unwrap();
        let (rows, columns) = (1 + rng.below(5), 1 + rng.below(40));
        let (to, to_len) = layout(&mut rng, rows, columns);
        let (from, from_len) = layout(&mut rng, rows, columns);
        let mut target = rng.bytes((to_len * width).div_ceil(8));
        let mut source = rng.bytes((from_len * width).div_ceil(8));
        let before = target.clone();
        let describe = |data: &mut Vec<u8>, layout: &Layout| {
            let data = data.as_mut_ptr().cast();
            Descriptor::new(data, DLDevice::CPU, dtype, layout.clone(), Fields::SHARED).unwrap()
        };
        let (target_of, source_of) = (describe(&mut target, &to), describe(&mut source, &from));
        // SAFETY: all elements lie in the vector.
        let view = unsafe { TensorView::new(&source_of) };
        // SAFETY: all elements lie in a vector that nobody looks at meanwhile.
        unsafe { copy_into(&target_of, view) }.unwrap();
        let mut copied = 0;
        for at in 0..to_len {
            let place = to.offsets().position(|offset| usize::try_from(offset) == Ok(at));
            let (bytes, from) = match place {
                Some(place) => (&source, usize::try_from(from.offsets().nth(place).unwrap()).unwrap()),
                None => (&before, at),
            };
            copied += usize::from(place.is_some());
            for bit_of in 0..width {
                let (found, wanted) = (bit(&target, at * width + bit_of), bit(bytes, from * width + bit_of));
                assert_eq!(found, wanted, "bit {bit_of} of {at} of {dtype}: {target_of:?} {source_of:?}");
            }
        }
        assert_eq!(copied, rows * columns);
    }
}
