use dlferry::abi::DLDevice;

/// What the caller of `from_dlpack` wants beyond the array itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The device that the result must be on; any when `None`.
    pub device: Option<DLDevice>,
    /// `Some(true)`: a private copy; `Some(false)`: the same memory or an error; `None`: a copy only if it must be.
    pub copy: Option<bool>,
    /// `Some(true)`: the result must be writable, and an unversioned producer is trusted that it is; `Some(false)`:
    /// it must not be; `None`: as the producer says.
    pub writable: Option<bool>,
    /// What `asarray` allows beyond `from_dlpack`: a copy, told, when the elements cannot be described, are misaligned or
    /// must be writable; a tensor that requires a gradient comes in read-only.
    pub lenient: bool,
    /// The memory will be written for its owner to see: a refusal does not advise what ends in a copy.
    pub in_place: bool,
}

impl Request {
    /// Why a copy will not do, behind what it would be for: who writes in place has not passed `copy=False`.
    pub(crate) fn forbids_a_copy(&self) -> &'static str {
        if self.in_place { "" } else { ", and copy=False forbids a copy" }
    }
}
