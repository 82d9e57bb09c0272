//! Shape and stride arithmetic against the oracle of the core's own tests: what fits and what does not by numbers of 128
//! bits, and offsets, spans, overlap and views by going through all indices.

#![no_main]

extern crate alloc;

#[path = "../shared/bytes.rs"]
mod bytes;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../crates/dlferry/src/layout/tests/oracle.rs"]
mod oracle;

// Where the oracle looks for it.
use dlferry::layout;

use bytes::Bytes;
use layout::{Layout, has_overlap, is_c_contiguous, is_f_contiguous, span};
use libfuzzer_sys::fuzz_target;

/// Whether shape and strides are a layout: the promises 1 to 4 of `Layout`, in numbers of 128 bits.
fn fits(shape: &[i64], strides: &[i64]) -> bool {
    if shape.len() != strides.len() || shape.iter().any(|extent| *extent < 0) {
        return false;
    }
    if shape.contains(&0) {
        return true;
    }
    let mut size = 1_i128;
    let (mut low, mut high) = (0_i128, 0_i128);
    for (&extent, &stride) in shape.iter().zip(strides) {
        size = size.saturating_mul(extent.into());
        let reach = i128::from(extent - 1) * i128::from(stride);
        (low, high) = (low.saturating_add(reach.min(0)), high.saturating_add(reach.max(0)));
    }
    [size, low, high, high.saturating_sub(low)].into_iter().all(|number| i64::try_from(number).is_ok())
}

/// What can be asked of any layout, however large.
fn facts(layout: &Layout, bits: u32) {
    let (shape, strides) = (layout.shape(), layout.strides());
    assert_eq!(layout.is_c_contiguous(), is_c_contiguous(shape, strides));
    assert_eq!(layout.is_f_contiguous(), is_f_contiguous(shape, strides));
    assert_eq!(layout.has_overlap(), has_overlap(shape, strides));
    assert_eq!(span(shape, strides), Ok(layout.span()));
    let again = layout.transposed().transposed();
    assert_eq!(&again, layout);
    assert_eq!(layout.transposed().is_f_contiguous(), layout.is_c_contiguous());
    let Some(span) = layout.span() else {
        assert!(layout.is_empty() && layout.byte_range(bits) == Ok(0..0));
        return;
    };
    let bits = i128::from(bits);
    let start = (i128::from(span.lowest) * bits).div_euclid(8);
    let end = ((i128::from(span.highest) + 1) * bits + 7).div_euclid(8);
    let fits = [start, end, end - start].into_iter().all(|number| isize::try_from(number).is_ok());
    let found = layout.byte_range(bits as u32);
    assert_eq!(found.is_ok(), fits, "{layout:?} {bits}");
    if let Ok(found) = found {
        assert_eq!((found.start as i128, found.end as i128), (start, end));
    }
}

/// What the oracle can go through.
fn small(layout: &Layout) {
    let (shape, strides) = (layout.shape(), layout.strides());
    let all = oracle::offsets(shape, strides);
    assert_eq!(oracle::told(layout), all);
    assert_eq!(layout.size(), all.len());
    let ends = layout.span().map(|span| (i128::from(span.lowest), i128::from(span.highest)));
    assert_eq!(ends, all.iter().min().copied().zip(all.iter().max().copied()));
    let counts_up = |all: &[i128]| all.iter().copied().eq(0..all.len() as i128);
    assert_eq!(layout.is_c_contiguous(), counts_up(&all));
    let reversed = |values: &[i64]| values.iter().rev().copied().collect::<Vec<_>>();
    assert_eq!(layout.is_f_contiguous(), counts_up(&oracle::offsets(&reversed(shape), &reversed(strides))));
    let overlaps = oracle::has_overlap(shape, strides);
    assert!(layout.has_overlap() || !overlaps, "missed: {layout:?}");
    let axes = shape.iter().filter(|extent| **extent > 1).count();
    assert!(layout.has_overlap() == overlaps || axes > 2, "seen where there is none: {layout:?}");
    for (index, offset) in oracle::indices(shape).into_iter().zip(all) {
        let index: Vec<usize> = index.into_iter().map(|at| at as usize).collect();
        assert_eq!(layout.offset(&index).map(i128::from), Some(offset));
    }
}

/// The offsets of a view, counted from the first element of the whole.
fn of_view((view, first): &(Layout, i64)) -> Vec<i128> {
    oracle::offsets(view.shape(), view.strides()).into_iter().map(|offset| offset + i128::from(*first)).collect()
}

fn views(layout: &Layout, bytes: &mut Bytes<'_>) {
    let axis = bytes.below(layout.ndim() + 1);
    let extent = layout.shape().get(axis).copied();
    let offsets_where = |keep: &dyn Fn(i64) -> bool| -> Vec<i128> {
        let kept = oracle::indices(layout.shape()).into_iter().filter(|index| keep(index[axis]));
        kept.map(|index| oracle::offset(&index, layout.strides())).collect()
    };
    let at = bytes.below(6);
    let indexed = layout.index_axis(axis, at);
    assert_eq!(indexed.is_some(), extent.is_some_and(|extent| (at as i64) < extent), "{layout:?} {axis} {at}");
    if let Some(indexed) = indexed {
        assert_eq!(of_view(&indexed), offsets_where(&|index| index == at as i64));
    }
    let (start, len, step) = (bytes.below(6), bytes.below(6), bytes.number());
    let picked: Vec<i128> = (0..len as i128).map(|nth| start as i128 + nth * i128::from(step)).collect();
    let is_there = extent.is_some_and(|extent| picked.iter().all(|at| (0..i128::from(extent)).contains(at)));
    let sliced = layout.slice_axis(axis, start, len, step);
    assert_eq!(sliced.is_some(), is_there && step != 0, "{layout:?} {axis} {start} {len} {step}");
    if let Some(sliced) = sliced {
        let mut wanted = offsets_where(&|index| picked.contains(&i128::from(index)));
        let mut found = of_view(&sliced);
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, wanted);
    }
    let order: Vec<usize> = (0..layout.ndim()).map(|_| bytes.below(layout.ndim())).collect();
    let is_order = (0..layout.ndim()).all(|axis| order.contains(&axis));
    let permuted = layout.permuted(&order);
    assert_eq!(permuted.is_some(), is_order);
    if let Some(permuted) = permuted {
        assert!(order.iter().zip(permuted.shape()).all(|(axis, extent)| layout.shape()[*axis] == *extent));
        small(&permuted);
    }
    if let Some(wider) = layout.with_axis(axis) {
        assert_eq!(oracle::told(&wider), oracle::told(layout));
        assert_eq!(wider.without_axis(axis).as_ref(), Some(layout));
    }
    let shape = extents(bytes, 4);
    if let Some(reshaped) = layout.reshaped(&shape) {
        assert_eq!((reshaped.shape(), oracle::told(&reshaped)), (&shape[..], oracle::told(layout)));
    }
    if let Some(broadcast) = layout.broadcast_to(&shape) {
        assert_eq!(broadcast.shape(), &shape);
        let whole = oracle::told(layout);
        assert!(shape.iter().product::<i64>() > 2000 || oracle::told(&broadcast).iter().all(|at| whole.contains(at)));
    }
}

fn extents(bytes: &mut Bytes<'_>, most: usize) -> Vec<i64> {
    let rank = bytes.below(most + 1);
    (0..rank).map(|_| bytes.below(5) as i64).collect()
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let is_wild = bytes.one_in(2);
    let shape = match bytes.below(11) {
        rank if is_wild => bytes.numbers(rank),
        _ => extents(&mut bytes, 5),
    };
    let ranks_differ = bytes.one_in(20);
    let strides = bytes.numbers(shape.len() + usize::from(ranks_differ));
    let bits = if bytes.one_in(4) { bytes.number() as u32 } else { bytes.pick(&[8, 1, 4, 6, 12, 16, 32, 64, 128]) };
    let item = bytes.pick(&[1, 4, 8, 3, 0, 16, usize::MAX]);
    let made = Layout::new(&shape, &strides);
    assert_eq!(made.is_ok(), fits(&shape, &strides), "{shape:?} {strides:?}: {made:?}");
    let in_bytes = Layout::from_bytes(&shape, &strides, item);
    if let (Ok(in_bytes), false) = (&in_bytes, shape.contains(&0)) {
        let back = in_bytes.strides().iter().map(|stride| i128::from(*stride) * item as i128);
        let axes = back.zip(strides.iter().zip(&shape)).filter(|(_, (_, extent))| **extent > 1);
        axes.for_each(|(back, (stride, _))| assert_eq!(back, i128::from(*stride)));
    }
    let Ok(layout) = made else { return };
    facts(&layout, bits);
    // The oracle goes through all prefixes of an index, also where an empty axis follows.
    let count = shape.iter().try_fold(1_i64, |count, extent| count.checked_mul((*extent).max(1)));
    if count.is_some_and(|count| count <= 2000) {
        small(&layout);
        views(&layout, &mut bytes);
    }
    let compact = [Layout::c_contiguous(&shape), Layout::f_contiguous(&shape)];
    assert!(compact.iter().all(Result::is_ok), "the same number of elements, closer together");
    let [rows, columns] = compact.map(Result::unwrap);
    assert!(rows.is_c_contiguous() && columns.is_f_contiguous() && !rows.has_overlap() && !columns.has_overlap());
});
