//! A managed struct as anybody might fill it, over real memory; and the slow, obvious answers about it. Written from the
//! rules, and asks dlferry for nothing but the structs.

#![allow(dead_code, reason = "each target uses a part")]

use dlferry::abi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLPackVersion};

use crate::bytes::Bytes;

/// More axes than this are never over arrays that have as many numbers, so only those with a NULL shape are tried.
const MOST_AXES: usize = 40;

/// Every field of a managed struct, and the memory that it is over.
#[derive(Clone, Debug)]
pub struct Fields {
    pub versioned: bool,
    pub version: DLPackVersion,
    pub flags: u64,
    pub dtype: DLDataType,
    pub device: DLDevice,
    pub ndim: i32,
    /// NULL when `None`.
    pub shape: Option<Vec<i64>>,
    /// NULL when `None`.
    pub strides: Option<Vec<i64>>,
    pub byte_offset: u64,
    /// The memory.
    pub len: usize,
    /// Bytes from a multiple of 64 to the memory.
    pub misalign: usize,
    /// In place of the address of the memory.
    pub address: Option<usize>,
}

impl Fields {
    pub fn of(bytes: &mut Bytes<'_>) -> Self {
        let versioned = !bytes.one_in(3);
        let major = if bytes.one_in(12) { bytes.number() as u32 } else { 1 };
        let version = DLPackVersion { major, minor: u32::from(bytes.byte()) };
        let flags = if bytes.one_in(8) { bytes.number() as u64 } else { u64::from(bytes.byte() & 7) };
        let ndim = if bytes.one_in(10) { bytes.number() as i32 } else { bytes.below(6) as i32 };
        let axes = usize::try_from(ndim).unwrap_or(0);
        let has_shape = axes <= MOST_AXES && !bytes.one_in(16);
        Self {
            versioned,
            version,
            flags,
            dtype: dtype(bytes),
            device: device(bytes),
            ndim,
            shape: has_shape.then(|| extents(bytes, axes)),
            strides: (has_shape && bytes.one_in(2)).then(|| bytes.numbers(axes)),
            byte_offset: if bytes.one_in(3) { bytes.number() as u64 } else { 0 },
            len: bytes.below(200),
            misalign: if bytes.one_in(2) { bytes.below(64) } else { 0 },
            address: bytes.one_in(12).then(|| bytes.number() as usize),
        }
    }

    fn bits(&self) -> i128 {
        i128::from(self.dtype.bits) * i128::from(self.dtype.lanes)
    }

    /// Whether elements of less than a byte stand one in each byte. The unversioned struct cannot say so.
    pub fn is_padded(&self) -> bool {
        self.versioned && self.flags & 4 != 0 && self.bits() % 8 != 0
    }

    /// Bits from one element to the next.
    pub fn storage_bits(&self) -> i128 {
        if self.is_padded() { 8 } else { self.bits() }
    }

    /// What the struct describes when the memory is at `data`; `None` when it has to be refused.
    pub fn meaning(&self, data: usize) -> Option<Meaning> {
        if (self.versioned && self.version.major != 1) || !is_dtype(self.dtype) || self.ndim < 0 {
            return None;
        }
        let shape: &[i64] = if self.ndim == 0 { &[] } else { self.shape.as_ref()? };
        if shape.iter().any(|extent| *extent < 0) {
            return None;
        }
        let is_empty = shape.contains(&0);
        let count = shape.iter().try_fold(1_i128, |count, extent| count.checked_mul(i128::from(*extent)));
        let size = if is_empty { 0 } else { i64::try_from(count?).ok()? };
        let strides = match &self.strides {
            Some(strides) if self.ndim > 0 => strides.clone(),
            _ => row_major(shape),
        };
        let mut low = 0_i128;
        let mut high = 0_i128;
        for (extent, stride) in shape.iter().zip(&strides).filter(|(extent, _)| **extent > 1 && !is_empty) {
            let reach = (i128::from(*extent) - 1) * i128::from(*stride);
            low = low.saturating_add(reach.min(0));
            high = high.saturating_add(reach.max(0));
        }
        if i64::try_from(low).is_err()
            || i64::try_from(high).is_err()
            || i64::try_from(high.saturating_sub(low)).is_err()
        {
            return None;
        }
        let mut this = Meaning { dtype: self.dtype, shape: shape.to_vec(), strides, size, low, high };
        this.split_pairs(self);
        if self.is_padded() && self.bits() > 8 {
            return None;
        }
        if is_empty {
            return Some(this);
        }
        let bytes = this.bytes(self.storage_bits_of(&this));
        let fits = [bytes.0, bytes.1, bytes.1 - bytes.0].into_iter().all(|end| i64::try_from(end).is_ok());
        let offset = i64::try_from(self.byte_offset).ok().map(i128::from);
        let ends = offset.map(|offset| (offset + bytes.0, offset + bytes.1));
        let is_reachable = ends.is_some_and(|(low, high)| {
            if is_addressed(self.device) {
                let (low, high) = (data as i128 + low, data as i128 + high);
                let first = data as i128 + i128::from(self.byte_offset);
                low > 0 && u64::try_from(high).is_ok() && u64::try_from(first).is_ok()
            } else {
                i64::try_from(low).is_ok() && i64::try_from(high).is_ok()
            }
        });
        (data != 0 && fits && is_reachable).then_some(this)
    }

    fn storage_bits_of(&self, meaning: &Meaning) -> i128 {
        if meaning.dtype == self.dtype { self.storage_bits() } else { 4 }
    }

    /// Whether the host may read all elements: they are within the memory, and on a device that it can read.
    pub fn is_inside(&self, meaning: &Meaning) -> bool {
        let host = [1, 3, 11, 13, 20].contains(&self.device.device_type.0);
        let (low, high) = meaning.bytes(self.storage_bits_of(meaning));
        let offset = i128::from(self.byte_offset);
        host && (meaning.size == 0
            || (self.address.is_none() && offset + low >= 0 && offset + high <= self.len as i128))
    }

    /// The elements in C order, the bits of each in as many bytes as it takes, low bits first; of tensors that are inside.
    pub fn elements(&self, meaning: &Meaning, memory: &[u8]) -> Vec<u8> {
        let step = self.storage_bits_of(meaning);
        let bits = i128::from(meaning.dtype.bits) * i128::from(meaning.dtype.lanes);
        let mut elements = Vec::new();
        for offset in meaning.offsets() {
            let first = i128::from(self.byte_offset) * 8 + offset * step;
            for low in (0..bits).step_by(8) {
                let bit = |at: i128| memory[usize::try_from((first + at) / 8).unwrap()] >> ((first + at) % 8) & 1;
                elements.push((low..bits.min(low + 8)).map(|at| bit(at) << (at - low)).sum());
            }
        }
        elements
    }
}

/// What a well-formed struct describes.
#[derive(Clone, Debug)]
pub struct Meaning {
    pub dtype: DLDataType,
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
    pub size: i64,
    low: i128,
    high: i128,
}

impl Meaning {
    /// Pairs of 4-bit floats along a dense last axis are read as single ones, when the strides can be doubled.
    fn split_pairs(&mut self, fields: &Fields) {
        let is_pair = self.dtype.code.0 == 17 && self.dtype.lanes == 2;
        let padded = fields.versioned && fields.flags & 4 != 0;
        let Some(last) = self.shape.len().checked_sub(1).filter(|_| is_pair && !padded) else { return };
        if self.shape[last] > 1 && self.strides[last] != 1 {
            return;
        }
        let mut single = self.clone();
        single.dtype.lanes = 1;
        for axis in 0..last {
            let (doubled, overflows) = single.strides[axis].overflowing_mul(2);
            if overflows && self.shape[axis] > 1 && self.size > 0 {
                return;
            }
            single.strides[axis] = if overflows { single.strides[axis].saturating_mul(2) } else { doubled };
        }
        let (Some(extent), Some(size)) = (self.shape[last].checked_mul(2), self.size.checked_mul(2)) else { return };
        (single.shape[last], single.strides[last], single.size) = (extent, 1, size);
        (single.low, single.high) = (self.low * 2, self.high * 2 + i128::from(self.size > 0));
        if i64::try_from(single.low).is_ok() && i64::try_from(single.high - single.low).is_ok() {
            *self = single;
        }
    }

    /// The bytes of all elements, from the first on.
    fn bytes(&self, bits: i128) -> (i128, i128) {
        if self.size == 0 {
            (0, 0)
        } else {
            ((self.low * bits).div_euclid(8), ((self.high + 1) * bits + 7).div_euclid(8))
        }
    }

    /// Where each element is, in C order, from the first on.
    pub fn offsets(&self) -> Vec<i128> {
        let mut all = vec![0_i128];
        if self.size == 0 {
            return Vec::new();
        }
        for (extent, stride) in self.shape.iter().zip(&self.strides) {
            let steps = |first: i128| (0..*extent).map(move |at| first + i128::from(at) * i128::from(*stride));
            all = all.into_iter().flat_map(steps).collect();
        }
        all
    }

    /// Whether two indices reach one element.
    pub fn has_overlap(&self) -> bool {
        let mut all = self.offsets();
        all.sort_unstable();
        all.windows(2).any(|pair| pair[0] == pair[1])
    }
}

fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut step = 1_i64;
    let mut strides: Vec<i64> = shape
        .iter()
        .rev()
        .map(|extent| {
            let stride = step;
            step = step.saturating_mul((*extent).max(1));
            stride
        })
        .collect();
    strides.reverse();
    strides
}

fn is_addressed(device: DLDevice) -> bool {
    [1, 2, 3, 10, 11, 13, 14, 20].contains(&device.device_type.0)
}

/// Rules R1.10 to R1.12: no element without numbers, no number without bits, no other width than the code has.
fn is_dtype(dtype: DLDataType) -> bool {
    let bits_are_right = match dtype.code.0 {
        0..=2 | 5 => dtype.bits > 0,
        4 => dtype.bits == 16,
        6..=14 => dtype.bits == 8,
        15 | 16 => dtype.bits == 6,
        17 => dtype.bits == 4,
        18 => dtype.bits == 32,
        _ => true,
    };
    dtype.lanes > 0 && bits_are_right
}

fn dtype(bytes: &mut Bytes<'_>) -> DLDataType {
    const KNOWN: [(u8, u8, u16); 22] = [
        (2, 32, 1),
        (1, 8, 1),
        (0, 8, 1),
        (0, 64, 1),
        (2, 16, 1),
        (2, 64, 1),
        (4, 16, 1),
        (5, 64, 1),
        (5, 128, 1),
        (6, 8, 1),
        (10, 8, 1),
        (15, 6, 1),
        (17, 4, 1),
        (17, 4, 2),
        (0, 4, 1),
        (1, 1, 1),
        (1, 2, 1),
        (18, 32, 1),
        (1, 16, 3),
        (3, 0, 1),
        (3, 64, 1),
        (0, 12, 1),
    ];
    let (code, bits, lanes) = match bytes.below(8) {
        0 => (bytes.byte(), bytes.byte(), bytes.number() as u16),
        _ => bytes.pick(&KNOWN),
    };
    DLDataType { code: DLDataTypeCode(code), bits, lanes }
}

fn device(bytes: &mut Bytes<'_>) -> DLDevice {
    let kind = match bytes.below(6) {
        0..4 => 1,
        4 => bytes.pick(&[2, 3, 8, 10, 11, 13, 14, 20, 99]),
        _ => bytes.number() as i32,
    };
    DLDevice { device_type: DLDeviceType(kind), device_id: if bytes.one_in(4) { bytes.number() as i32 } else { 0 } }
}

/// Mostly few, so that the elements fit the memory.
fn extents(bytes: &mut Bytes<'_>, axes: usize) -> Vec<i64> {
    (0..axes).map(|_| if bytes.one_in(6) { bytes.number() } else { bytes.below(5) as i64 }).collect()
}
