//! Picture filters for arrays of any library: NumPy, PyTorch, JAX, memoryviews and all else that is an array.

// Nothing below needs it: what is dangerous about the memory of others is checked by dlferry.
#![deny(unsafe_code)]

mod blur;
mod checkerboard;
mod normalize;

/// The module `pictures._pictures`.
#[pyo3::pymodule]
mod _pictures {
    #[pymodule_export]
    use super::blur::blur;
    #[pymodule_export]
    use super::checkerboard::Checkerboard;
    #[pymodule_export]
    use super::normalize::normalize;
}
