//! Reading and writing at random layouts, against an oracle that adds index times stride.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a panic is how a test fails, also in the helpers of a test; overflow is one on the test profile"
)]

mod common;

use common::{Case, Rng};
use dlferry::element::{Element, Scalar};
use dlferry::export::Export;
use dlferry::managed::Tensor;
use dlferry::view::ViewError;

const ROUNDS: u64 = 400;

/// An element type that tells its elements apart.
trait Numbered: Element + PartialEq + core::fmt::Debug {
    fn number(at: usize) -> Self;
    fn scalar(self) -> Scalar;
}

macro_rules! numbered {
    ($($number:ty => $scalar:ident as $wide:ty),* $(,)?) => {$(
        impl Numbered for $number {
            fn number(at: usize) -> Self {
                // Fewer than 4 * 4 * 4 * 4 elements with gaps of one fit 11 bits; smaller types see them wrapped.
                <$number>::try_from(at % 120).unwrap()
            }

            fn scalar(self) -> Scalar {
                Scalar::$scalar(<$wide>::from(self))
            }
        }
    )*};
}

numbered! {
    u8 => UInt as u64, u16 => UInt as u64, u32 => UInt as u64, u64 => UInt as u64,
    i8 => Int as i64, i16 => Int as i64, i32 => Int as i64, i64 => Int as i64,
}

impl Numbered for f32 {
    fn number(at: usize) -> Self {
        f32::from(u16::try_from(at).unwrap()) + 0.5
    }

    fn scalar(self) -> Scalar {
        Scalar::Float(f64::from(self))
    }
}

impl Numbered for f64 {
    fn number(at: usize) -> Self {
        f64::from(u16::try_from(at).unwrap()) - 0.5
    }

    fn scalar(self) -> Scalar {
        Scalar::Float(self)
    }
}

fn values<T: Numbered>(case: &Case) -> Vec<T> {
    (0..case.len).map(T::number).collect()
}

fn tensor<T: Numbered>(case: &Case) -> Tensor {
    Export::writable(values::<T>(case)).layout(case.layout(), case.first).finish().unwrap()
}

fn reads_what_the_oracle_reads<T: Numbered>(case: &Case) {
    let memory = values::<T>(case);
    let wanted: Vec<T> = case.places().iter().map(|&place| memory[place]).collect();
    let tensor = tensor::<T>(case);
    let view = tensor.view().typed::<T>().unwrap();
    assert_eq!(view.to_vec(), wanted, "{case:?}");
    assert_eq!(view.iter().collect::<Vec<_>>(), wanted, "{case:?}");
    let one_by_one: Vec<T> = case.indices().iter().map(|index| view.get(index).unwrap()).collect();
    assert_eq!(one_by_one, wanted, "{case:?}");
    let scalars: Vec<_> = tensor.view().scalars().unwrap().collect();
    assert_eq!(scalars, wanted.iter().map(|value| value.scalar()).collect::<Vec<_>>(), "{case:?}");
    if case.is_dense() {
        assert_eq!(view.as_slice(), Ok(&wanted[..]), "{case:?}");
    } else {
        assert_eq!(view.as_slice(), Err(ViewError::NotContiguous), "{case:?}");
    }
}

fn writes_what_the_oracle_writes<T: Numbered>(case: &Case) {
    let mut memory = values::<T>(case);
    // Twice the same layout: the second shows all of the memory, with what no element covers.
    let mut tensor = tensor::<T>(case);
    if case.overlaps() {
        assert!(matches!(tensor.typed_mut::<T>(), Err(ViewError::ReadOnly)), "{case:?}");
        return;
    }
    let Ok(mut view) = tensor.typed_mut::<T>() else {
        assert!(case.shape.len() > 2, "an overlap is seen where there is none: {case:?}");
        return;
    };
    for (at, (index, place)) in case.indices().iter().zip(case.places()).enumerate() {
        assert!(view.set(index, T::number(at + 7)));
        memory[place] = T::number(at + 7);
    }
    let wanted: Vec<T> = case.places().iter().map(|&place| memory[place]).collect();
    assert_eq!(view.as_view().to_vec(), wanted, "{case:?}");
    match view.as_mut_slice() {
        Ok(slice) => assert!(case.is_dense() && slice == &wanted[..], "{case:?}"),
        Err(refusal) => assert!(!case.is_dense() && refusal == ViewError::NotContiguous, "{case:?}"),
    }
    let lowest = tensor.descriptor().data().cast::<T>().wrapping_sub(case.first);
    // SAFETY: the owner's elements, all of which are initialised; the tensor is borrowed by nobody.
    let read = |at| unsafe { lowest.wrapping_add(at).read() };
    let whole: Vec<T> = (0..case.len).map(read).collect();
    assert_eq!(whole, memory, "nothing beside the elements is written: {case:?}");
}

fn check<T: Numbered>(seed: u64) {
    let mut rng = Rng::new(seed);
    for _ in 0..ROUNDS {
        let case = Case::random(&mut rng);
        reads_what_the_oracle_reads::<T>(&case);
        writes_what_the_oracle_writes::<T>(&case);
    }
}

#[test]
fn elements_of_one_byte_are_those_of_the_oracle() {
    check::<u8>(1);
    check::<i8>(2);
}

#[test]
fn elements_of_two_bytes_are_those_of_the_oracle() {
    check::<u16>(3);
    check::<i16>(4);
}

#[test]
fn elements_of_four_bytes_are_those_of_the_oracle() {
    check::<u32>(5);
    check::<i32>(6);
    check::<f32>(7);
}

#[test]
fn elements_of_eight_bytes_are_those_of_the_oracle() {
    check::<u64>(8);
    check::<i64>(9);
    check::<f64>(10);
}

#[test]
fn the_random_layouts_are_of_every_kind() {
    let mut rng = Rng::new(1);
    let cases: Vec<Case> = (0..ROUNDS).map(|_| Case::random(&mut rng)).collect();
    let count = |is_one: fn(&Case) -> bool| cases.iter().filter(|case| is_one(case)).count();
    let kinds = [
        ("dense", count(|case| case.len > 1 && case.is_dense())),
        ("overlapping", count(Case::overlaps)),
        ("with a gap", count(|case| case.len > case.offsets.len() && !case.overlaps())),
        ("reversed", count(|case| case.first > 0)),
        ("empty", count(|case| case.len == 0)),
        ("without axes", count(|case| case.shape.is_empty())),
    ];
    for (kind, count) in kinds {
        assert!(count >= 10, "{count} layouts are {kind}");
    }
}
