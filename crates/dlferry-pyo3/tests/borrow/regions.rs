//! Which bytes a region has, against a list of all of them.

use std::collections::BTreeSet;
use std::ffi::c_void;

use dlferry::abi::{DLDataType, DLDevice, DLDeviceType};
use dlferry::layout::Layout;
use dlferry::managed::{Descriptor, Fields};

use crate::region::Region;

const BASE: usize = 1 << 20;

fn at(offset: isize) -> *mut c_void {
    std::ptr::without_provenance_mut(BASE.wrapping_add_signed(offset))
}

/// A tensor whose first element lies `first` bytes behind the base.
fn tensor(dtype: DLDataType, shape: &[i64], strides: &[i64], first: isize) -> Descriptor {
    let layout = Layout::new(shape, strides).unwrap();
    Descriptor::new(at(first), DLDevice::CPU, dtype, layout, Fields::SHARED).unwrap()
}

/// The address of every byte.
fn bytes(tensor: &Descriptor) -> BTreeSet<usize> {
    let item = i64::from(tensor.storage_bits() / 8);
    let mut bytes = BTreeSet::new();
    for offset in tensor.layout().offsets() {
        let first = tensor.data().addr().wrapping_add_signed(isize::try_from(offset * item).unwrap());
        bytes.extend(first..first + usize::try_from(item).unwrap());
    }
    bytes
}

/// Whether the two are kept apart, after a comparison with what is true.
fn are_apart(one: &Descriptor, other: &Descriptor) -> bool {
    let overlap = !bytes(one).is_disjoint(&bytes(other));
    let answer = match (Region::of(one), Region::of(other)) {
        (Some(one), Some(other)) => {
            assert_eq!(one.may_meet(&other), other.may_meet(&one), "{one:?} {other:?}");
            one.may_meet(&other)
        }
        _ => false,
    };
    assert!(answer || !overlap, "an overlap is missed: {one:?} {other:?}");
    !answer
}

/// A generator of numbers that look random: the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % u64::try_from(end).unwrap()).unwrap()
    }

    fn tensor(&mut self) -> Descriptor {
        let rank = usize::try_from(self.below(5)).unwrap();
        let shape: Vec<i64> = (0..rank).map(|_| self.below(5)).collect();
        let strides: Vec<i64> = (0..rank).map(|_| self.below(25) - 12).collect();
        let dtype = [DLDataType::U8, DLDataType::I16, DLDataType::F32][usize::try_from(self.below(3)).unwrap()];
        tensor(dtype, &shape, &strides, isize::try_from(self.below(64) - 32).unwrap())
    }
}

#[test]
fn no_overlap_is_missed() {
    let mut random = Random(7);
    let mut accepted = 0;
    for _ in 0..40_000 {
        accepted += u32::from(are_apart(&random.tensor(), &random.tensor()));
    }
    assert!(accepted > 4_000, "{accepted}: nearly all are refused, so nothing was tested");
}

#[test]
fn ranges_that_are_apart_are_accepted() {
    let mut random = Random(11);
    let (mut apart, mut met) = (0, 0);
    for _ in 0..20_000 {
        let (one, other) = (random.tensor(), random.tensor());
        let (ones, others) = (bytes(&one), bytes(&other));
        let (Some(low), Some(high)) = (ones.first(), ones.last()) else { continue };
        let (Some(other_low), Some(other_high)) = (others.first(), others.last()) else { continue };
        if high < other_low || other_high < low {
            assert!(are_apart(&one, &other), "{one:?} {other:?}");
            apart += 1;
        } else {
            met += 1;
        }
    }
    assert!(apart > 1_000 && met > 1_000, "{apart} {met}");
}

/// The contract: equal strides up to sign, elements apart with regard to the greatest common divisor.
#[test]
fn equal_strides_that_the_common_divisor_tells_apart_are_accepted() {
    fn gcd(a: i64, b: i64) -> i64 {
        if b == 0 { a.abs() } else { gcd(b, a % b) }
    }
    let mut random = Random(13);
    let mut told = 0;
    for _ in 0..40_000 {
        let rank = usize::try_from(1 + random.below(4)).unwrap();
        let strides: Vec<i64> = (0..rank).map(|_| (1 + random.below(6)) * 2).collect();
        let signs: Vec<i64> = strides.iter().map(|stride| stride * (1 - 2 * random.below(2))).collect();
        let mut shape = || -> Vec<i64> { (0..rank).map(|_| 2 + random.below(3)).collect() };
        let (one, other) = (shape(), shape());
        let first = random.below(40);
        let one = tensor(DLDataType::I16, &one, &strides, 0);
        let other = tensor(DLDataType::I16, &other, &signs, isize::try_from(first).unwrap());
        let unit = strides.iter().fold(0, |unit, stride| gcd(unit, stride * 2));
        let place = first.rem_euclid(unit);
        if place >= 2 && place + 2 <= unit {
            assert!(are_apart(&one, &other), "{one:?} {other:?}");
            told += 1;
        }
    }
    assert!(told > 1_000, "{told}");
}

#[test]
fn parts_of_one_array_that_people_use_are_told_apart() {
    let f32s = |shape: &[i64], strides: &[i64], first: isize| tensor(DLDataType::F32, shape, strides, 4 * first);
    // What, one, other.
    let cases = [
        ("upper and lower half", f32s(&[4, 6], &[6, 1], 0), f32s(&[4, 6], &[6, 1], 24)),
        ("left and right half", f32s(&[8, 3], &[6, 1], 0), f32s(&[8, 3], &[6, 1], 3)),
        ("left and right half of an image", f32s(&[4, 3, 3], &[18, 3, 1], 0), f32s(&[4, 3, 3], &[18, 3, 1], 9)),
        ("halves along a middle axis", f32s(&[2, 2, 3], &[12, 3, 1], 0), f32s(&[2, 2, 3], &[12, 3, 1], 6)),
        ("two columns", f32s(&[8], &[5], 1), f32s(&[8], &[5], 4)),
        ("a column and one element", f32s(&[8], &[5], 1), f32s(&[], &[], 7)),
        ("even and odd columns", f32s(&[8, 3], &[6, 2], 0), f32s(&[8, 3], &[6, 2], 1)),
        ("even and odd, one backwards", f32s(&[5], &[2], 0), f32s(&[5], &[-2], 9)),
        ("two channels", f32s(&[4, 5], &[15, 3], 0), f32s(&[4, 5], &[15, 3], 2)),
        ("two columns, beside an axis of extent 1", f32s(&[8, 1], &[6, 7], 0), f32s(&[8, 1], &[6, 7], 3)),
        // Rows of 1200, boxes of 12 in them, pieces of 4 in these, of which 3 are taken: the rows tell, and the pieces.
        (
            "boxes half a row apart",
            f32s(&[2, 2, 2, 3], &[1200, 12, 4, 1], 0),
            f32s(&[2, 2, 2, 3], &[1200, 12, 4, 1], 600),
        ),
        ("boxes and what they leave", f32s(&[2, 2, 2, 3], &[1200, 12, 4, 1], 0), f32s(&[2, 2, 2], &[1200, 12, 4], 3)),
        ("two channels, one transposed", f32s(&[4, 5], &[15, 3], 0), f32s(&[5, 4], &[3, 15], 2)),
    ];
    for (what, one, other) in &cases {
        assert!(are_apart(one, other), "{what}");
        for same in [one, other] {
            assert!(!are_apart(same, same), "{what}");
        }
    }
}

#[test]
fn no_axis_is_forgotten_however_many_there_are() {
    for rank in [7, 8, 9, 12] {
        let strides: Vec<i64> = (0..rank).rev().map(|axis| 2 << axis).collect();
        let whole = tensor(DLDataType::F32, &vec![2; rank], &strides, 0);
        for axis in 0..rank {
            let at = |element: isize| tensor(DLDataType::F32, &[], &[], 4 * element);
            assert!(!are_apart(&whole, &at(2 << axis)), "the second element along an axis: {rank} {axis}");
            assert!(are_apart(&whole, &at((2 << axis) + 1)), "between the elements: {rank} {axis}");
        }
    }
}

#[test]
fn an_empty_tensor_has_no_region() {
    assert_eq!(Region::of(&tensor(DLDataType::F32, &[4, 0], &[1, 1], 0)), None);
}

#[test]
fn bytes_between_addresses_are_those_of_elements_without_gaps() {
    let whole = Region::of(&tensor(DLDataType::F32, &[3, 2], &[2, 1], 4)).unwrap();
    assert_eq!(Region::between(BASE + 4, BASE + 28), Some(whole));
    assert_eq!(Region::solid(BASE + 4, 24), whole);
    assert_eq!(Region::between(BASE + 4, BASE + 4), None);
    assert_eq!(Region::between(BASE + 4, BASE + 3), None);
}

#[test]
fn packed_elements_have_their_whole_bytes() {
    let one = Region::of(&tensor(DLDataType::I4, &[3], &[1], 0)).unwrap();
    let next = Region::of(&tensor(DLDataType::I4, &[3], &[1], 1)).unwrap();
    let behind = Region::of(&tensor(DLDataType::I4, &[3], &[1], 2)).unwrap();
    let gaps = Region::of(&tensor(DLDataType::I4, &[3], &[4], 0)).unwrap();
    assert!(one.may_meet(&next) && !one.may_meet(&behind) && gaps.may_meet(&next));
}

#[test]
fn devices_with_addresses_share_one_space_and_each_handle_has_its_own() {
    let on = |device_type, data: *mut c_void, byte_offset: u64| {
        let device = DLDevice { device_type, device_id: 0 };
        let layout = Layout::c_contiguous(&[8]).unwrap();
        let tensor = Descriptor::with_byte_offset(data, byte_offset, device, DLDataType::F32, layout, Fields::SHARED);
        Region::of(&tensor.unwrap()).unwrap()
    };
    let (first, second) = (at(0), at(8));
    let host = on(DLDeviceType::CPU, first, 0);
    assert!(host.may_meet(&on(DLDeviceType::CUDA_MANAGED, second, 0)));
    assert!(!host.may_meet(&on(DLDeviceType::METAL, first, 0)), "a handle is no address");
    let buffer = on(DLDeviceType::METAL, first, 0);
    assert!(buffer.may_meet(&on(DLDeviceType::METAL, first, 16)));
    assert!(!buffer.may_meet(&on(DLDeviceType::METAL, first, 32)));
    assert!(!buffer.may_meet(&on(DLDeviceType::METAL, second, 0)), "two handles are two buffers");
}
