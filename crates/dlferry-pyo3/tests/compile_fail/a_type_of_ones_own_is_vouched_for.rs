//! Elements are of types whose memory is that of a dtype, which somebody has said in `unsafe`.

use dlferry_pyo3::View;
use pyo3::prelude::*;

#[derive(Clone, Copy)]
struct Pair(u8, u32);

#[pyfunction]
fn pairs(_x: View<'_, Pair, 1>) {}

fn main() {}
