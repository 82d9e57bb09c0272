use super::Descriptor;
use crate::element::check_dtype;
use crate::managed::DescribeError;

impl Descriptor {
    /// All that import and export must hold, in one place. Moves the byte offset into the address where the device has
    /// addresses, and settles what the flags say together with the rest.
    #[inline]
    pub(super) fn check(&mut self) -> Result<(), DescribeError> {
        let dtype = self.dtype;
        check_dtype(dtype)?;
        if self.is_plain() {
            self.fields.padded = false;
            return Ok(());
        }
        if self.data.is_null() && !self.layout.is_empty() {
            return Err(DescribeError::NullData { size: self.layout.size() });
        }
        if !dtype.is_sub_byte() {
            // The flag says nothing about whole bytes (rule R6.7).
            self.fields.padded = false;
        } else if self.fields.padded && dtype.item_bits() > 8 {
            return Err(DescribeError::Padding { dtype });
        }
        if !self.fields.read_only && self.layout.has_overlap() {
            self.fields.read_only = true;
        }
        self.settle()
    }

    /// Whether all that [`Self::check`] looks at is in order, as it is for most: elements of whole bytes, one after another,
    /// whose numbers would do for addresses whether the device has those or not. `false` says nothing.
    #[inline]
    fn is_plain(&self) -> bool {
        let bits = self.dtype.item_bits();
        let is_simple = self.layout.is_known_row_major() && bits % 8 == 0;
        let bytes = self.layout.size().checked_mul(self.dtype.item_bytes());
        is_simple
            && self.byte_offset == 0
            && !self.data.is_null()
            && bytes
                .is_some_and(|bytes| isize::try_from(bytes).is_ok() && self.data.addr().checked_add(bytes).is_some())
    }

    /// Checks that the elements have addresses, or offsets from a handle.
    #[inline]
    fn settle(&mut self) -> Result<(), DescribeError> {
        let byte_offset = self.byte_offset;
        if self.layout.is_empty() {
            self.byte_offset = 0;
            return Ok(());
        }
        let range = self.byte_range()?;
        let overflow = DescribeError::AddressOverflow { byte_offset };
        if !self.is_addressed() {
            // A handle has no address to check; the offsets of the elements must still be numbers.
            let inside = i64::try_from(byte_offset).is_ok_and(|offset| {
                let ends = [range.start, range.end];
                ends.into_iter().all(|end| i64::try_from(end).is_ok_and(|end| offset.checked_add(end).is_some()))
            });
            return if inside { Ok(()) } else { Err(overflow) };
        }
        let Ok(offset) = isize::try_from(byte_offset) else {
            return Err(overflow);
        };
        let Some(first) = self.data.addr().checked_add_signed(offset) else {
            return Err(overflow);
        };
        let low = first.checked_add_signed(range.start);
        let high = first.checked_add_signed(range.end);
        if low.is_none_or(|low| low == 0) || high.is_none() {
            return Err(overflow);
        }
        self.data = self.data.wrapping_byte_offset(offset);
        self.byte_offset = 0;
        Ok(())
    }
}
