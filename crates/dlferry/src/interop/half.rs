//! The 16-bit floats of the crate `half`, each one `u16` (`repr(transparent)`).

use ::half::{bf16, f16};

use crate::element::numbers;

numbers! {
    f16 => F16,
    bf16 => BF16,
}
