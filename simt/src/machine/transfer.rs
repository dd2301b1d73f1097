//! What host code copies to an allocation, of which only some bytes may have been written.
//!
//! The rest of what the host does with an allocation is in `global`.

use std::ops::Range;

use super::global::{Buffer, Global};

impl Global {
    /// Copies bytes into an allocation, of which those count as written for which `is_written` says so.
    pub fn copy_in(
        &mut self,
        buffer: Buffer,
        offset: usize,
        bytes: &[u8],
        is_written: impl Fn(usize) -> bool,
    ) {
        let region = &mut self.regions[buffer.region as usize];
        region.is_set = true;
        region.data[offset..offset + bytes.len()].copy_from_slice(bytes);
        if let Some(written) = &mut region.written {
            (0..bytes.len())
                .filter(|byte| is_written(*byte))
                .for_each(|byte| written.set(offset + byte..offset + byte + 1));
        }
    }

    /// Whether all bytes of a range of an allocation have been written.
    pub fn has_written(&self, buffer: Buffer, range: Range<usize>) -> bool {
        self.regions[buffer.region as usize].written.as_ref().is_none_or(|written| written.has(range))
    }
}
