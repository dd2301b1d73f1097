//! What host code copies to an allocation, of which only some bytes may have been written.
//!
//! The rest of what the host does with an allocation is in `global`.

use std::ops::Range;

use super::global::{Buffer, Global};
use super::written::Written;

impl Global {
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

    /// Whether all bytes of a range of an allocation have been written.
    pub fn has_written(&self, buffer: Buffer, range: Range<usize>) -> bool {
        self.regions[buffer.region as usize].written.as_ref().is_none_or(|written| written.has(range))
    }
}
