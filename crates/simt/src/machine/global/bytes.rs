//! Bytes that the host copies into allocations, and which of them count as written.

use std::ops::Range;

use super::{Buffer, Global, Written};

impl Global {
    /// Some bytes of an allocation for writing; they count as written from then on.
    pub fn range_mut(&mut self, buffer: Buffer, range: Range<usize>) -> &mut [u8] {
        let region = &mut self.regions[buffer.region as usize];
        region.is_set = true;
        if let Some(written) = &mut region.written {
            written.set(range.clone());
        }
        &mut region.data[range]
    }

    /// Copies bytes into an allocation. Those for which `is_written` says so count as written from now on, and the others do not.
    pub fn copy_in(
        &mut self,
        buffer: Buffer,
        offset: usize,
        bytes: &[u8],
        is_written: impl Fn(usize) -> bool,
    ) {
        let range = offset..offset + bytes.len();
        let region = &mut self.regions[buffer.region as usize];
        region.is_set = true;
        region.data[range.clone()].copy_from_slice(bytes);
        let mut unwritten =
            (0..bytes.len()).filter(|byte| !is_written(*byte)).map(|byte| offset + byte).peekable();
        if region.written.is_none() && unwritten.peek().is_some() {
            let mut all = Written::nothing(region.data.len());
            all.set(0..region.data.len());
            self.record(buffer, all);
        }
        if let Some(written) = self.written_mut(buffer.region as usize) {
            written.set(range);
            unwritten.for_each(|byte| written.clear(byte..byte + 1));
        }
    }
}
