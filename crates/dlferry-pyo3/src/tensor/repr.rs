use core::fmt::Write as _;

use dlferry::abi::{DLDataType, DLDataTypeCode};
use dlferry::element::Scalar;
use dlferry::view::TensorView;

use super::{Source, Tensor};
use crate::python::tuple_text;

/// Elements above which only the edges of each axis are shown.
const MANY: usize = 1000;
/// Elements shown at each edge then.
const EDGE: usize = 3;
/// Elements and axes above which none are shown, for many short axes have many edges.
const TOO_MANY: usize = 10_000;
const TOO_DEEP: usize = 32;

/// `Tensor([[1.0, 2.0]], shape=(1, 2), dtype=float32, device=cpu, source=dlpack)`.
pub(super) fn repr(tensor: &Tensor) -> String {
    let descriptor = tensor.shared.descriptor();
    let mut facts = vec![
        format!("shape={}", tuple_text(descriptor.shape())),
        format!("dtype={}", descriptor.dtype()),
        format!("device={}", descriptor.device()),
    ];
    if !descriptor.layout().is_c_contiguous() {
        facts.push(format!("strides={}", tuple_text(descriptor.strides())));
    }
    if descriptor.is_read_only() {
        facts.push(String::from("readonly=True"));
    }
    match descriptor.copied() {
        Some(true) => facts.push(String::from("copied=True")),
        // An unversioned capsule never tells, and the source says that it was one.
        None if tensor.source != Source::DLPackUnversioned => facts.push(String::from("copied=None")),
        Some(false) | None => {}
    }
    facts.push(format!("source={}", tensor.source.name()));
    let facts = facts.join(", ");
    match values(tensor.shared.view()) {
        None => format!("Tensor({facts})"),
        Some(values) if values.contains('\n') => format!("Tensor({values},\n       {facts})"),
        Some(values) => format!("Tensor({values}, {facts})"),
    }
}

/// The elements, or those at the edges; `None` when there is nothing to read.
fn values(view: TensorView<'_>) -> Option<String> {
    // Asked once for the errors of the whole: a device that cannot be read, elements without values.
    view.scalars().ok()?;
    if view.layout().is_empty() {
        return Some(String::from("[]"));
    }
    let mut picture = Picture { view, cells: Vec::new(), shortened: view.layout().size() > MANY };
    let axes = 0..view.layout().ndim();
    let cells = axes.map(|axis| picture.shown(axis).len()).fold(1_usize, usize::saturating_mul);
    if cells > TOO_MANY || view.layout().ndim() > TOO_DEEP {
        return Some(String::from("[...]"));
    }
    picture.collect(&mut Vec::new());
    let width = picture.cells.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    picture.draw(&mut text, &mut picture.cells.iter(), 0, width);
    Some(text)
}

struct Picture<'a> {
    view: TensorView<'a>,
    cells: Vec<String>,
    shortened: bool,
}

impl Picture<'_> {
    /// The indices of an axis that are shown; `None` stands for those that are not.
    fn shown(&self, axis: usize) -> Vec<Option<usize>> {
        let extent = self.view.shape().get(axis).and_then(|extent| usize::try_from(*extent).ok()).unwrap_or(0);
        let edges = EDGE.saturating_mul(2);
        if !self.shortened || extent <= edges {
            return (0..extent).map(Some).collect();
        }
        let last = (extent.saturating_sub(EDGE)..extent).map(Some);
        (0..EDGE).map(Some).chain([None]).chain(last).collect()
    }

    /// Writes the shown elements into `cells`, in C order.
    fn collect(&mut self, index: &mut Vec<usize>) {
        if index.len() == self.view.shape().len() {
            let scalar = self.view.scalar(index).ok().flatten();
            let cell = scalar.map_or_else(|| String::from("?"), |scalar| cell(scalar, self.view.dtype()));
            self.cells.push(cell);
            return;
        }
        for at in self.shown(index.len()).into_iter().flatten() {
            index.push(at);
            self.collect(index);
            index.pop();
        }
    }

    fn draw<'a>(&self, text: &mut String, cells: &mut impl Iterator<Item = &'a String>, axis: usize, width: usize) {
        let ndim = self.view.shape().len();
        if axis == ndim {
            // A lone number needs no column.
            let width = if ndim == 0 { 0 } else { width };
            let _infallible = write!(text, "{:>width$}", cells.next().map_or("", String::as_str));
            return;
        }
        let innermost = axis.saturating_add(1) == ndim;
        let gap = if innermost {
            String::from(", ")
        } else {
            let lines = ndim.saturating_sub(axis).saturating_sub(1);
            format!(",{}{}", "\n".repeat(lines), " ".repeat(axis.saturating_add("Tensor([".len())))
        };
        text.push('[');
        for (nth, at) in self.shown(axis).into_iter().enumerate() {
            if nth > 0 {
                text.push_str(&gap);
            }
            match at {
                Some(_) => self.draw(text, cells, axis.saturating_add(1), width),
                None => text.push_str("..."),
            }
        }
        text.push(']');
    }
}

/// One element, with as many digits as its type holds.
fn cell(scalar: Scalar, dtype: DLDataType) -> String {
    match scalar {
        Scalar::Bool(true) => String::from("True"),
        Scalar::Bool(false) => String::from("False"),
        Scalar::Int(value) => value.to_string(),
        Scalar::UInt(value) => value.to_string(),
        Scalar::Float(value) => float(value, is_wide(dtype)),
        Scalar::Complex(real, imaginary) => {
            let sign = if imaginary.is_sign_negative() { "" } else { "+" };
            let wide = dtype == DLDataType::C128;
            format!("({}{sign}{}j)", float(real, wide), float(imaginary, wide))
        }
    }
}

fn is_wide(dtype: DLDataType) -> bool {
    dtype.code == DLDataTypeCode::FLOAT && dtype.bits > 32
}

fn float(value: f64, wide: bool) -> String {
    if value.is_nan() {
        return String::from("nan");
    }
    if value.is_infinite() {
        return String::from(if value > 0.0 { "inf" } else { "-inf" });
    }
    #[allow(clippy::cast_possible_truncation, reason = "the value came from a type that is no wider than 32 bits")]
    if wide { format!("{value:?}") } else { format!("{:?}", value as f32) }
}
