//! A filter that reads a picture and makes a new one, of the caller's own library.

use dlferry_pyo3::dlferry::element::Element;
use dlferry_pyo3::{AnyView, Dyn, Like, View};
use ndarray::{Array3, ArrayView1, ArrayView3, Axis, Ix3, Zip, s};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// What a picture is made of.
trait Pixel: Element + Into<f64> {
    fn from_mean(mean: f64) -> Self;
}

impl Pixel for u8 {
    fn from_mean(mean: f64) -> Self {
        // The mean of bytes is one of 0 to 255.
        mean.round() as u8
    }
}

impl Pixel for f32 {
    fn from_mean(mean: f64) -> Self {
        mean as f32
    }
}

/// Blurs a picture: each pixel becomes the mean of those at most `radius` rows and columns away.
///
/// `image` has the axes height, width and, if it has colours, channels; its elements are uint8 or float32. The result is
/// of the same library. Beyond the borders the outermost pixels go on.
#[pyfunction]
#[pyo3(signature = (image, radius=1))]
pub(crate) fn blur<'py>(py: Python<'py>, image: AnyView<'py>, radius: usize) -> PyResult<Bound<'py, PyAny>> {
    if image.is::<u8>() {
        return blurred(&image.into_view::<u8, Dyn>()?, radius)?.into_pyobject(py);
    }
    if image.is::<f32>() {
        return blurred(&image.into_view::<f32, Dyn>()?, radius)?.into_pyobject(py);
    }
    Err(PyTypeError::new_err(format!("a picture is of uint8 or float32, found {}", image.dtype())))
}

fn blurred<'py, T: Pixel>(image: &View<'py, T, Dyn>, radius: usize) -> PyResult<Like<'py, T>> {
    // The memory of the caller, whatever its strides; nothing is copied.
    let pixels = image.as_array()?;
    let has_channels = match pixels.ndim() {
        2 => false,
        3 => true,
        found => return Err(PyValueError::new_err(format!("a picture has 2 or 3 axes, found {found}"))),
    };
    let pixels = if has_channels { pixels } else { pixels.insert_axis(Axis(2)) };
    let Ok(pixels) = pixels.into_dimensionality::<Ix3>() else { unreachable!("three axes by now") };
    let means = box_means(pixels, radius).mapv(T::from_mean);
    // The array's memory becomes that of the result.
    if has_channels { Like::of(image, means) } else { Like::of(image, means.index_axis_move(Axis(2), 0)) }
}

/// The mean of the square around each pixel: along the rows first, then along the columns.
fn box_means<T: Pixel>(pixels: ArrayView3<'_, T>, radius: usize) -> Array3<f64> {
    let mut means = pixels.mapv(Into::into);
    for axis in [Axis(1), Axis(0)] {
        let source = means.clone();
        Zip::from(means.lanes_mut(axis)).and(source.lanes(axis)).for_each(|mut means, values| {
            for (index, mean) in means.iter_mut().enumerate() {
                *mean = window_mean(values, index, radius);
            }
        });
    }
    means
}

/// The mean of the values at most `radius` away from one, the outermost ones going on beyond the ends.
fn window_mean(values: ArrayView1<'_, f64>, index: usize, radius: usize) -> f64 {
    let last = values.len() - 1;
    let (first, end) = (index.saturating_sub(radius), index.saturating_add(radius).min(last));
    let mut sum = values.slice(s![first..=end]).sum();
    // How often the outermost values are counted beyond the ends.
    let (before, behind) = (radius - (index - first), radius - (end - index));
    if before > 0 {
        sum += values[0] * before as f64;
    }
    if behind > 0 {
        sum += values[last] * behind as f64;
    }
    sum / (2.0 * radius as f64 + 1.0)
}
