use crate::abi::DLDataType;

/// A Rust type whose values lie in memory as the elements of one dtype.
///
/// Memory from a producer holds any bits. It is therefore read as [`Raw`](Self::Raw), for which any bits will do, and
/// turned into values by [`from_raw`](Self::from_raw). A reference to `Self` is made only where
/// [`ALL_BITS_VALID`](Self::ALL_BITS_VALID) holds, or after [`is_valid`](Self::is_valid) has seen every element: a `bool`
/// of byte 2 would be undefined behaviour, although DLPack reads it as true.
///
/// # Safety
///
/// The implementer guarantees:
///
/// 1. `size_of::<Self>()`, `size_of::<Self::Raw>()` and `DTYPE.item_bytes()` are equal, and `DTYPE` is not sub-byte.
/// 2. `Self` and `Self::Raw` have the same alignment.
/// 3. Any initialised bytes are a `Raw`. It has no padding, no interior mutability and no pointers.
/// 4. The bytes of a `Raw` for which `is_valid` is true are a `Self`, the same that `from_raw` makes of it. `from_raw`
///    accepts every `Raw` and does not panic. Where `ALL_BITS_VALID` is true, `is_valid` is always true.
/// 5. `Self` is plain data: no padding, no interior mutability, no pointers. `to_raw` gives its bytes.
///
/// [`assert_element`] checks 1 and what of 2 a compiler can see; call it in a `const` beside the implementation.
///
/// # Examples
///
/// ```
/// use dlferry::abi::DLDataType;
/// use dlferry::element::{Element, assert_element};
///
/// #[derive(Clone, Copy)]
/// #[repr(transparent)]
/// struct Metres(f64);
///
/// // SAFETY: 1 to 5 hold as they do for `f64`, of which `Metres` is a transparent wrapper.
/// unsafe impl Element for Metres {
///     type Raw = f64;
///     const DTYPE: DLDataType = DLDataType::F64;
///     const ALL_BITS_VALID: bool = true;
///     fn from_raw(raw: f64) -> Self {
///         Self(raw)
///     }
///     fn to_raw(self) -> f64 {
///         self.0
///     }
///     fn is_valid(_: &f64) -> bool {
///         true
///     }
/// }
/// const _: () = assert_element::<Metres>();
/// ```
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The same bytes as a type that any bits are a value of; the type itself where it is one.
    type Raw: Copy + Send + Sync + 'static;

    /// The dtype whose elements have the memory of `Self`.
    const DTYPE: DLDataType;

    /// Whether any initialised bytes are a `Self`, so that slices need no check.
    const ALL_BITS_VALID: bool;

    /// Reads a value; bits that are no `Self` are read as DLPack means them.
    fn from_raw(raw: Self::Raw) -> Self;

    /// Gives the bytes of a value.
    fn to_raw(self) -> Self::Raw;

    /// Whether the bytes are a `Self` as they stand.
    fn is_valid(raw: &Self::Raw) -> bool;
}

/// Refuses to compile when the sizes or alignments of an [`Element`] break its contract, numbers 1 and 2.
#[inline]
pub const fn assert_element<T: Element>() {
    const {
        assert!(size_of::<T>() == size_of::<T::Raw>(), "an element and its raw form differ in size");
        assert!(size_of::<T>() == T::DTYPE.item_bytes(), "an element and its dtype differ in size");
        assert!(!T::DTYPE.is_sub_byte(), "an element must be a whole number of bytes");
        assert!(align_of::<T>() == align_of::<T::Raw>(), "an element and its raw form differ in alignment");
    }
}

/// Implements [`Element`] for numbers that are their own raw form: primitive ones, and those of other crates that are
/// laid out as one primitive number or as two of one type (`repr(transparent)`, `repr(C)`).
macro_rules! numbers {
    ($($number:ty => $dtype:ident),* $(,)?) => {$(
        // SAFETY: 1 and 2 are asserted below, with `Raw` the same type. 3 and 5: one or two primitive numbers of a type
        // have no padding, no interior mutability and no pointers, and any bits are a value. 4: `is_valid` is always
        // true, and both conversions are the identity.
        unsafe impl $crate::element::Element for $number {
            type Raw = Self;
            const DTYPE: $crate::abi::DLDataType = $crate::abi::DLDataType::$dtype;
            const ALL_BITS_VALID: bool = true;

            #[inline]
            fn from_raw(raw: Self) -> Self {
                raw
            }

            #[inline]
            fn to_raw(self) -> Self {
                self
            }

            #[inline]
            fn is_valid(_: &Self) -> bool {
                true
            }
        }

        const _: () = $crate::element::assert_element::<$number>();
    )*};
}

#[cfg(any(feature = "half", feature = "num-complex"))]
pub(crate) use numbers;

numbers! {
    i8 => I8,
    i16 => I16,
    i32 => I32,
    i64 => I64,
    u8 => U8,
    u16 => U16,
    u32 => U32,
    u64 => U64,
    f32 => F32,
    f64 => F64,
}

// SAFETY: 1 and 2 are asserted below. 3: `u8` has no padding, no interior mutability and no pointers, and any bits are a
// value. 4: `is_valid` is true for 0 and 1 only, which are the bytes of `false` and `true`, and `from_raw` makes those of
// them; it accepts every byte. 5: `bool` is one byte without padding, and `u8::from` gives that byte.
unsafe impl Element for bool {
    type Raw = u8;
    const DTYPE: DLDataType = DLDataType::BOOL;
    const ALL_BITS_VALID: bool = false;

    #[inline]
    fn from_raw(raw: u8) -> Self {
        raw != 0
    }

    #[inline]
    fn to_raw(self) -> u8 {
        u8::from(self)
    }

    #[inline]
    fn is_valid(raw: &u8) -> bool {
        *raw < 2
    }
}

const _: () = assert_element::<bool>();
