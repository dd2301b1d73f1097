//! What global memory held before a launch that may have to be undone.
//!
//! A launch that comes to an unsupported instruction is an error, and an error leaves memory as it was. Whether a kernel can
//! come to such an instruction is known when it is loaded ([`crate::compile::reach`]), and only then is there a journal: it
//! copies each page before the first store to it. Other launches write to memory directly.

use std::collections::BTreeMap;

use super::fork::PAGE_BYTES;
use super::written::Written;

/// The pages that a launch has written to, as they were.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    /// By region and number of the page; the last page of a region may be shorter than the others.
    pages: BTreeMap<(usize, usize), Vec<u8>>,
    /// The page of the last store: most stores go where the one before went.
    last: Option<(usize, usize)>,
    /// By region: which bytes had been written.
    pub written: Vec<Option<Written>>,
    /// How many regions had bytes that had not been written.
    pub unwritten_regions: usize,
}

impl Journal {
    /// A journal of a launch that has not written anything yet.
    pub fn new(written: Vec<Option<Written>>, unwritten_regions: usize) -> Journal {
        Journal { written, unwritten_regions, ..Journal::default() }
    }

    /// Copies the pages of some bytes of a region, which are about to be written, unless that was done before.
    #[inline(never)]
    pub fn keep(&mut self, region: usize, offset: usize, bytes: usize, data: &[u8]) {
        let last = (offset + bytes.max(1) - 1) / PAGE_BYTES;
        for page in offset / PAGE_BYTES..=last {
            if self.last == Some((region, page)) {
                continue;
            }
            self.last = Some((region, page));
            let start = page * PAGE_BYTES;
            let Some(held) = data.get(start..data.len().min(start + PAGE_BYTES)) else { continue };
            self.pages.entry((region, page)).or_insert_with(|| held.to_vec());
        }
    }

    /// Puts back what the pages of a region held.
    pub fn restore(&self, region: usize, data: &mut [u8]) {
        for ((_, page), held) in self.pages.range((region, 0)..=(region, usize::MAX)) {
            data[page * PAGE_BYTES..][..held.len()].copy_from_slice(held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_across_pages_is_put_back() {
        let before: Vec<u8> = (0..3 * PAGE_BYTES + 100).map(|byte| byte as u8).collect();
        let (mut data, mut journal) = (before.clone(), Journal::default());
        for (offset, bytes) in [(PAGE_BYTES - 4, 8), (3 * PAGE_BYTES + 90, 10), (0, 1), (PAGE_BYTES, 128)] {
            journal.keep(1, offset, bytes, &data);
            data[offset..][..bytes].fill(0xee);
        }
        assert_eq!(journal.pages.len(), 3, "one page was not written");
        let mut other = vec![7; 10];
        journal.restore(0, &mut other);
        assert_eq!(other, [7; 10]);
        journal.restore(1, &mut data);
        assert_eq!(data, before);
    }

    #[test]
    fn bytes_outside_of_a_region_are_none_to_keep() {
        let mut journal = Journal::default();
        journal.keep(0, 2 * PAGE_BYTES, 4, &[0; 16]);
        assert!(journal.pages.is_empty());
    }
}
