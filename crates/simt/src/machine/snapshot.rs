//! Copies of global memory, to which it can be restored.
//!
//! A copy that does not fit into the host's memory is refused and does not abort the process. On a 32-bit host, a large
//! memory may fit once and not twice.

use super::global::Global;

impl Global {
    /// A complete copy; `None` if the host has no memory for one.
    pub fn copied(&self) -> Option<Global> {
        let regions = self.regions.iter().map(|region| {
            let data = copied(&region.data)?;
            Some(region.with(data))
        });
        Some(self.with(regions.collect::<Option<_>>()?))
    }

    /// Restores the contents of a copy. `None` if the host has no memory for that; then nothing has changed.
    /// Allocations that are in both keep their memory on the host, so nothing is allocated for them.
    pub fn restore(&mut self, copy: &Global) -> Option<()> {
        let own = self.regions.iter().map(Some).chain(std::iter::repeat(None));
        let new = copy.regions.iter().zip(own).map(|(region, own)| {
            let stays = own.is_some_and(|own| own.is_same(region) && own.data.len() == region.data.len());
            if stays { Some(None) } else { copied(&region.data).map(Some) }
        });
        let new: Vec<Option<Vec<u8>>> = new.collect::<Option<_>>()?;
        let mut old = std::mem::take(&mut self.regions).into_iter();
        let regions = copy.regions.iter().zip(new).map(|(region, new)| {
            let old = old.next();
            let data = new.unwrap_or_else(|| {
                let mut data = old.map_or_else(Vec::new, |old| old.data);
                data.copy_from_slice(&region.data);
                data
            });
            region.with(data)
        });
        *self = copy.with(regions.collect());
        Some(())
    }
}

fn copied(data: &[u8]) -> Option<Vec<u8>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(data.len()).ok()?;
    copy.extend_from_slice(data);
    Some(copy)
}
