use core::fmt;

/// The version of the DLPack structs, as `DLPackVersion` of the header.
///
/// A different `major` means another struct layout; a different `minor` only means more enum values, and not even
/// reliably that (rule R1.2), so values are tested and minors are not.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DLPackVersion {
    /// Changes when the layout changes.
    pub major: u32,
    /// Changes when values are added.
    pub minor: u32,
}

impl DLPackVersion {
    /// The version that this crate implements and stamps on what it exports.
    pub const CURRENT: Self = Self { major: 1, minor: 3 };
}

impl fmt::Display for DLPackVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

const _: () = {
    assert!(size_of::<DLPackVersion>() == 8);
    assert!(align_of::<DLPackVersion>() == 4);
    assert!(core::mem::offset_of!(DLPackVersion, minor) == 4);
};
