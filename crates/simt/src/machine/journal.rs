//! The contents of global memory before a launch that may have to be undone.
//!
//! A launch that reaches an unsupported instruction is an error, and an error leaves memory as it was. Whether a kernel
//! can reach such an instruction is known when it is loaded ([`crate::compile::reach`]), and only then is there a
//! journal. It copies each page before the first store to it. Other launches write to memory directly.

use super::fork::PAGE_BYTES;
use super::written::Written;

/// The original contents of the pages that a launch has written to.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    /// By region: which pages have been copied. Empty until the first store to the region.
    is_kept: Vec<Vec<bool>>,
    /// The region and number of a page, and its contents. The last page of a region may be shorter than the others.
    pages: Vec<(usize, usize, Vec<u8>)>,
    /// By region: which bytes had been written.
    pub written: Vec<Option<Written>>,
    /// How many regions had bytes that had not been written.
    pub unwritten_regions: usize,
}

impl Journal {
    /// A journal of a launch that has not written anything yet.
    pub fn new(written: Vec<Option<Written>>, unwritten_regions: usize) -> Journal {
        let is_kept = vec![Vec::new(); written.len()];
        Journal { is_kept, written, unwritten_regions, ..Journal::default() }
    }

    /// Copies the pages that contain some bytes of a region before they are written, unless that was done before.
    #[inline]
    pub fn keep(&mut self, region: usize, offset: usize, bytes: usize, data: &[u8]) {
        let (first, last) = (offset / PAGE_BYTES, (offset + bytes.max(1) - 1) / PAGE_BYTES);
        // What was allocated since the beginning held nothing.
        let Some(is_kept) = self.is_kept.get(region) else { return };
        if !(first..=last).all(|page| is_kept.get(page).copied().unwrap_or(false)) {
            (first..=last).for_each(|page| self.keep_page(region, page, data));
        }
    }

    #[cold]
    fn keep_page(&mut self, region: usize, page: usize, data: &[u8]) {
        let is_kept = &mut self.is_kept[region];
        is_kept.resize(data.len().div_ceil(PAGE_BYTES), false);
        if is_kept.get(page) == Some(&false) {
            is_kept[page] = true;
            let held = data[page * PAGE_BYTES..].chunks(PAGE_BYTES).next().unwrap_or_default();
            self.pages.push((region, page, held.to_vec()));
        }
    }

    /// The contents of the pages: the region, the offset of the first byte, and the bytes.
    pub fn pages(&self) -> impl Iterator<Item = (usize, usize, &[u8])> {
        self.pages.iter().map(|(region, page, held)| (*region, page * PAGE_BYTES, &held[..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_across_pages_is_put_back() {
        let before: Vec<u8> = (0..3 * PAGE_BYTES + 100).map(|byte| byte as u8).collect();
        let (mut data, mut journal) = (before.clone(), Journal::new(vec![None, None], 0));
        for (offset, bytes) in [(PAGE_BYTES - 4, 8), (3 * PAGE_BYTES + 90, 10), (0, 1), (PAGE_BYTES, 128)] {
            journal.keep(1, offset, bytes, &data);
            data[offset..][..bytes].fill(0xee);
        }
        assert_eq!(journal.pages.len(), 3, "one page was not written");
        for (region, start, held) in journal.pages() {
            assert_eq!(region, 1);
            data[start..][..held.len()].copy_from_slice(held);
        }
        assert_eq!(data, before);
    }

    #[test]
    fn bytes_outside_of_a_region_are_none_to_keep() {
        let mut journal = Journal::new(vec![None], 0);
        journal.keep(0, 2 * PAGE_BYTES, 4, &[0; 16]);
        assert!(journal.pages.is_empty());
    }
}
