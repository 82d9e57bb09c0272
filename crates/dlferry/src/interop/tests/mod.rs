#[cfg(feature = "ndarray")]
mod exported;
#[cfg(feature = "ndarray")]
mod lent;
#[cfg(any(feature = "half", feature = "num-complex"))]
mod numbers;
