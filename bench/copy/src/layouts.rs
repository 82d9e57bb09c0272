//! The layouts that are timed: those for which people owe a copy.

/// What an element is to a library that copies typed arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    U8,
    U16,
    F32,
    F64,
    C128,
}

impl Kind {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
            Self::C128 => 16,
        }
    }
}

/// A source; the target has the same shape in C order.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) shape: Vec<i64>,
    /// In elements.
    pub(crate) strides: Vec<i64>,
    /// Where the first element is, in elements from the lowest.
    pub(crate) first: usize,
    /// Elements from the lowest to the highest.
    pub(crate) len: usize,
    pub(crate) swapped: bool,
}

/// An array in C order, viewed with its axes permuted.
pub(crate) fn permuted(name: &'static str, kind: Kind, base: &[i64], axes: &[usize]) -> Case {
    let mut dense = vec![1; base.len()];
    for axis in (1..base.len()).rev() {
        dense[axis - 1] = dense[axis] * base[axis];
    }
    strided(
        name,
        kind,
        &axes.iter().map(|&axis| base[axis]).collect::<Vec<_>>(),
        &axes.iter().map(|&axis| dense[axis]).collect::<Vec<_>>(),
    )
}

pub(crate) fn strided(name: &'static str, kind: Kind, shape: &[i64], strides: &[i64]) -> Case {
    let reach = |lowest: bool| -> i64 {
        let steps = shape.iter().zip(strides).map(|(n, stride)| (n - 1) * stride);
        steps.filter(|step| (*step < 0) == lowest).sum::<i64>().abs()
    };
    let first = usize::try_from(reach(true)).expect("small");
    let len = first + usize::try_from(reach(false)).expect("small") + 1;
    Case { name, kind, shape: shape.to_vec(), strides: strides.to_vec(), first, len, swapped: false }
}

pub(crate) fn all() -> Vec<Case> {
    use Kind::{C128, F32, F64, U8, U16};
    let swapped = |case| Case { swapped: true, ..case };
    vec![
        permuted("transpose f32 4096x4096", F32, &[4096, 4096], &[1, 0]),
        permuted("transpose f64 3000x3000", F64, &[3000, 3000], &[1, 0]),
        permuted("transpose u8 8192x8192", U8, &[8192, 8192], &[1, 0]),
        permuted("transpose f16 4096x4096", U16, &[4096, 4096], &[1, 0]),
        permuted("transpose c128 2000x2000", C128, &[2000, 2000], &[1, 0]),
        permuted("transpose f32 4097x3331", F32, &[4097, 3331], &[1, 0]),
        permuted("NHWC to NCHW u8 32x512x512x3", U8, &[32, 512, 512, 3], &[0, 3, 1, 2]),
        permuted("NHWC to NCHW f32 16x128x128x64", F32, &[16, 128, 128, 64], &[0, 3, 1, 2]),
        permuted("NCHW to NHWC u8 32x3x512x512", U8, &[32, 3, 512, 512], &[0, 2, 3, 1]),
        permuted("NCHW to NHWC f32 16x3x512x512", F32, &[16, 3, 512, 512], &[0, 2, 3, 1]),
        permuted("axes reversed f32 64^4", F32, &[64; 4], &[3, 2, 1, 0]),
        permuted("0213 f16 8x512x16x64", U16, &[8, 512, 16, 64], &[0, 2, 1, 3]),
        strided("step 2 of f32 4096x8192", F32, &[4096, 4096], &[8192, 2]),
        strided("rows reversed f32 4096x4096", F32, &[4096, 4096], &[-4096, 1]),
        strided("columns reversed f32 4096x4096", F32, &[4096, 4096], &[4096, -1]),
        strided("crop f32 4096x4096 of 4096x4200", F32, &[4096, 4096], &[4200, 1]),
        swapped(strided("big-endian f32 4096x4096", F32, &[4096, 4096], &[4096, 1])),
        swapped(permuted("big-endian f64 3000x3000 transposed", F64, &[3000, 3000], &[1, 0])),
        strided("field at stride 5 f32 2^24", F32, &[1 << 24], &[5]),
    ]
}
