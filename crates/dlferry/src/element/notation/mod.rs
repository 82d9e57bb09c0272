//! How other protocols write dtypes: the format strings of the buffer protocol, the type strings of the array interface.
//!
//! # Examples
//!
//! ```
//! use dlferry::abi::DLDataType;
//! use dlferry::element::notation::{parse_format, parse_typestr};
//!
//! assert_eq!(parse_format("Zf")?.dtype, DLDataType::C64);
//! let swapped = if cfg!(target_endian = "little") { ">i4" } else { "<i4" };
//! assert_eq!(parse_typestr(swapped)?, (DLDataType::I32, true));
//! assert_eq!(parse_format("T{f:x:f:y:}").unwrap_err().to_string(), "is a struct; take one of its fields");
//! # Ok::<(), dlferry::element::notation::NotationError>(())
//! ```

mod format;
mod typestr;

use core::fmt;

pub use format::{Format, format_of, parse_format};
pub use typestr::{parse_typestr, typestr_of};

/// Why a string describes no elements that DLPack has. Its text is the end of a sentence that begins with the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotationError(&'static str);

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl core::error::Error for NotationError {}

#[cfg(test)]
mod tests;
