//! A change in place: the caller's own memory is written, whichever library it is of.

use dlferry_pyo3::{Dyn, ViewMut};
use ndarray::Axis;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Gives each channel of a picture the mean 0 and the standard deviation 1, in place.
///
/// The channels are the last axis of `image`; a picture of two axes is one channel. Elements are float32. A channel in
/// which all pixels are the same becomes 0.
#[pyfunction]
#[pyo3(signature = (image, /))]
pub(crate) fn normalize(mut image: ViewMut<'_, f32, Dyn>) -> PyResult<()> {
    let mut pixels = image.as_array_mut()?;
    match pixels.ndim() {
        2 => normalize_channel(pixels.iter_mut()),
        3 => pixels.axis_iter_mut(Axis(2)).for_each(|mut channel| normalize_channel(channel.iter_mut())),
        found => return Err(PyValueError::new_err(format!("a picture has 2 or 3 axes, found {found}"))),
    }
    Ok(())
}

fn normalize_channel<'a>(pixels: impl Iterator<Item = &'a mut f32>) {
    let mut pixels: Vec<&mut f32> = pixels.collect();
    let count = pixels.len() as f64;
    let mean = pixels.iter().map(|pixel| f64::from(**pixel)).sum::<f64>() / count;
    let variance = pixels.iter().map(|pixel| (f64::from(**pixel) - mean).powi(2)).sum::<f64>() / count;
    let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    for pixel in &mut pixels {
        **pixel = ((f64::from(**pixel) - mean) / deviation) as f32;
    }
}
