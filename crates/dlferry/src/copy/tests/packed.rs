//! Packed elements, whose copies share bytes with their neighbors.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::bits::{Case, Side};
use super::jobs::on_threads;
use super::kernels::Rng;
use crate::abi::{DLDataType, DLDataTypeCode, DLDevice};
use crate::copy::plan::{Packed, Work};
use crate::copy::{CopyError, Job, Order, copy_into};
use crate::layout::{Layout, LayoutError};
use crate::managed::{Descriptor, Fields, Tensor};
use crate::view::TensorView;

/// Bytes around the target that nobody may write.
const GUARD: usize = 16;

fn dtype(case: &Case) -> DLDataType {
    let (code, bits, lanes) = case.element;
    DLDataType { code: DLDataTypeCode(code), bits, lanes }
}

fn layouts(case: &Case) -> [Layout; 2] {
    [&case.to, &case.from].map(|side| Layout::new(&case.shape, &side.strides).unwrap())
}

/// The target after some pieces of a copy were made in it.
fn after(pieces: &[impl Work], case: &Case, before: &[u8], source: &[u8]) -> Vec<u8> {
    let mut target = before.to_vec();
    let to = target.as_mut_ptr().wrapping_add(GUARD + case.to.first);
    for piece in pieces {
        // SAFETY: all elements lie in the two vectors.
        unsafe { piece.run(to, source.as_ptr().wrapping_add(case.from.first)) };
    }
    target
}

/// All pieces of a copy, cut into as many as wanted.
fn pieces<W: Work + Clone>(work: &W, wanted: usize, apart: bool) -> Vec<W> {
    match work.pieces(wanted, apart) {
        Some(pieces) => (0..pieces.count).map(|number| work.piece(pieces, number)).collect(),
        None => vec![work.clone()],
    }
}

/// Whether no byte has bits of two pieces.
fn are_apart(pieces: &[impl Work], case: &Case, len: usize) -> bool {
    let mut taken = vec![false; len];
    pieces.iter().all(|piece| {
        let piece = core::slice::from_ref(piece);
        let ones = after(piece, case, &vec![0; len], &vec![0xff; case.from.len]);
        taken.iter_mut().zip(ones).all(|(taken, byte)| byte == 0 || !core::mem::replace(taken, true))
    })
}

#[test]
fn packed_elements_leave_the_bits_between_them_alone() {
    let mut rng = Rng(0x5151_5678_9abc_def1);
    let (mut shared, mut planes, mut whole) = (0, 0, 0);
    for _ in 0..ROUNDS {
        let case = Case::random(&mut |limit| rng.below(limit));
        let source = rng.bytes(case.from.len);
        let before = rng.bytes(case.to.len + 2 * GUARD);
        let mut wanted = before.clone();
        case.copy(&mut wanted[GUARD..GUARD + case.to.len], &source);
        let [to, from] = layouts(&case);
        let packed = Packed::of_layouts(&to, &from, dtype(&case).item_bits()).unwrap();
        planes += usize::from(packed.is_plane());
        for (count, apart) in [(1, true), (2, true), (3, true), (4, true), (2, false), (9, false)] {
            let cut = pieces(&packed, count, apart);
            assert_eq!(after(&cut, &case, &before, &source), wanted, "{packed:?} in {count}: {case:?}");
            let keeps_apart = !apart || are_apart(&cut, &case, before.len());
            assert!(keeps_apart, "two of {count} pieces write a byte: {packed:?}: {case:?}");
            shared += usize::from(apart && cut.len() > 1);
        }
        if let Some(plan) = packed.as_bytes() {
            whole += 1;
            let found = after(&pieces(&plan, 3, true), &case, &before, &source);
            assert_eq!(found, wanted, "{plan:?} for {packed:?}: {case:?}");
        }
    }
    assert!(shared > ROUNDS / 2 && planes > 20 && whole > 20, "{shared} {planes} {whole}");
}

const ROUNDS: usize = 1200;

#[test]
fn bits_that_addresses_cannot_count_are_refused() {
    let most = i64::try_from(isize::MAX / 4).unwrap();
    let near = Layout::c_contiguous(&[2]).unwrap();
    for (far, refused) in [(most - 1, None), (most, Some(LayoutError::ByteOverflow { bits: 4 }))] {
        let far = Layout::new(&[2], &[far]).unwrap();
        assert!(far.byte_range(4).is_ok(), "the bytes are no more than addresses reach");
        assert_eq!(Packed::of_layouts(&near, &far, 4).err(), refused);
        assert_eq!(Packed::of_layouts(&far, &near, 4).err(), refused);
    }
}

/// The tensor of a side, in memory of which it has the first byte somewhere.
fn describe(bytes: &mut [u8], first: usize, side: &Side, case: &Case) -> Descriptor {
    let data = bytes.as_mut_ptr().wrapping_add(first + side.first).cast();
    let padded = side.bits > usize::try_from(dtype(case).item_bits()).unwrap();
    let fields = Fields { padded, ..Fields::SHARED };
    Descriptor::new(data, DLDevice::CPU, dtype(case), Layout::new(&case.shape, &side.strides).unwrap(), fields).unwrap()
}

#[test]
fn packed_elements_are_copied_to_and_from_such_as_have_a_byte_each() {
    let mut rng = Rng(0x5c5c_5678_9abc_def1);
    let mut done = [0, 0];
    for round in 0..ROUNDS {
        let spreads = round % 2 == 0;
        let Some(case) = Case::random(&mut |limit| rng.below(limit)).between_forms(spreads) else { continue };
        let mut source = rng.bytes(case.from.len);
        let before = rng.bytes(case.to.len + 2 * GUARD);
        let mut wanted = before.clone();
        case.copy(&mut wanted[GUARD..GUARD + case.to.len], &source);
        let mut target = before.clone();
        let (to, from) = (describe(&mut target, GUARD, &case.to, &case), describe(&mut source, 0, &case.from, &case));
        // SAFETY: all elements lie in the vector.
        let view = unsafe { TensorView::new(&from) };
        // SAFETY: all elements lie in a vector that nobody looks at meanwhile.
        unsafe { copy_into(&to, view) }.unwrap();
        assert_eq!(target, wanted, "{case:?}");
        let packed = Packed::new(&to, &from).unwrap();
        for count in [1, 3] {
            let cut = pieces(&packed, count, count > 1);
            assert_eq!(after(&cut, &case, &before, &source), wanted, "{packed:?} in {count}: {case:?}");
        }
        done[usize::from(spreads)] += 1;
    }
    assert!(done[0] > ROUNDS / 3 && done[1] > ROUNDS / 3, "{done:?}");
}

#[test]
fn packed_elements_over_those_with_a_byte_each_are_copied_as_if_through_a_temporary() {
    let mut memory: Vec<u8> = (0..16).collect();
    let padded = Fields { padded: true, ..Fields::SHARED };
    let layout = || Layout::new(&[8], &[1]).unwrap();
    let data = memory.as_mut_ptr();
    let describe = |at: usize, fields| {
        Descriptor::new(data.wrapping_add(at).cast(), DLDevice::CPU, DLDataType::I4, layout(), fields).unwrap()
    };
    // The packed ones lie where the third to sixth of the others do.
    let (spread, packed) = (describe(8, padded), describe(10, Fields::SHARED));
    // SAFETY: all elements lie in the vector.
    let [of_spread, of_packed] = [&spread, &packed].map(|side| unsafe { TensorView::new(side) });
    // SAFETY: as above, and nobody looks at it meanwhile.
    unsafe { copy_into(&packed, of_spread) }.unwrap();
    assert_eq!(memory[8..], [8, 9, 0x98, 0xba, 0xdc, 0xfe, 14, 15]);
    // SAFETY: as above.
    unsafe { copy_into(&spread, of_packed) }.unwrap();
    assert_eq!(memory[8..], [0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff]);
}

#[test]
fn packed_elements_are_copied_into_a_tensor() {
    let mut rng = Rng(0xabab_5678_9abc_def1);
    for _ in 0..ROUNDS / 3 {
        let case = Case::random(&mut |limit| rng.below(limit));
        let mut source = rng.bytes(case.from.len);
        let mut target = rng.bytes(case.to.len);
        let mut wanted = target.clone();
        case.copy(&mut wanted, &source);
        let target_of = describe(&mut target, 0, &case.to, &case);
        let source_of = describe(&mut source, 0, &case.from, &case);
        // SAFETY: all elements lie in the vector.
        let view = unsafe { TensorView::new(&source_of) };
        // SAFETY: all elements lie in a vector that nobody looks at meanwhile.
        unsafe { copy_into(&target_of, view) }.unwrap();
        assert_eq!(target, wanted, "{case:?}");
    }
}

/// Elements of 4 bits, two in each byte.
fn tensor(mut bytes: Vec<u8>, shape: [i64; 2], strides: [i64; 2]) -> Tensor {
    let layout = Layout::new(&shape, &strides).unwrap();
    assert!(layout.byte_range(4).unwrap().end <= isize::try_from(bytes.len()).unwrap());
    let data = bytes.as_mut_ptr().cast();
    let descriptor = Descriptor::new(data, DLDevice::CPU, DLDataType::U4, layout, Fields::SHARED).unwrap();
    // SAFETY: all elements lie in the vector, which is not touched again.
    unsafe { Tensor::from_owner(bytes, descriptor) }.unwrap()
}

/// A row of so many, repeated.
fn repeated(rows: i64, columns: i64) -> Tensor {
    tensor((0..=columns / 2).map(|at| at.to_le_bytes()[0]).collect(), [rows, columns], [0, 1])
}

/// How often a copy asks, on so many threads where there are any, and the copy.
fn asked(threads: usize, tensor: &Tensor) -> (usize, Result<Tensor, CopyError>) {
    let mut asked = 0;
    let mut ask = || {
        asked += 1;
        ControlFlow::Continue(())
    };
    let copy = on_threads(threads).between(&mut ask).to_contiguous(tensor.view(), Order::C);
    (asked, copy)
}

#[test]
fn a_large_copy_of_packed_elements_asks_between_its_pieces() {
    // Rows of whole bytes, and rows of which each begins in the last byte of the one before.
    for (rows, columns) in [(1500, 200_000), (1500, 200_001)] {
        let tensor = repeated(rows, columns);
        let (asked, copy) = asked(1, &tensor);
        assert_eq!(asked, 2, "150 MB in pieces of 64");
        let copy = copy.unwrap();
        for row in [0, 1, 699, 1499] {
            let mut values = copy.view().small_bits().unwrap().skip(usize::try_from(row * columns).unwrap());
            assert_eq!((values.next(), values.nth(3)), (Some(0), Some(2)), "row {row}");
        }
    }
}

#[test]
fn a_large_copy_of_packed_elements_that_is_stopped_says_so() {
    for columns in [200_000, 200_001] {
        let mut stop = || ControlFlow::Break(());
        let refusal = Job::new().between(&mut stop).to_contiguous(repeated(5000, columns).view(), Order::C);
        assert_eq!(refusal.err(), Some(CopyError::Interrupted), "{columns}");
    }
}

#[test]
fn rows_that_are_too_few_to_share_are_paused_within() {
    let (asked, copy) = asked(2, &repeated(3, 100_000_001));
    assert_eq!(asked, 2, "150 MB in pieces of 64, by one thread");
    assert!(copy.is_ok());
}

#[cfg(feature = "threads")]
#[test]
fn threads_copy_packed_elements_as_one_does() {
    let mut rng = Rng(0x7171_5678_9abc_def1);
    let bytes = rng.bytes(9 << 20);
    // Runs that are shifted, columns, and every second element.
    for (shape, strides) in [([4001, 4301], [4303, 1]), ([4001, 4301], [1, 4003]), ([2001, 4301], [8603, 2])] {
        let tensor = tensor(bytes.clone(), shape, strides);
        let copy = |count| on_threads(count).to_contiguous(tensor.view(), Order::C).unwrap();
        let alone = copy(1);
        for count in [2, 3, 4] {
            let shared = copy(count);
            let are_same = alone.view().small_bits().unwrap().eq(shared.view().small_bits().unwrap());
            assert!(are_same, "{count} threads, {strides:?}");
        }
    }
}
