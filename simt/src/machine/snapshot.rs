//! Copies of global memory, to which it can return.
//!
//! A copy that does not fit on the host is refused rather than aborting the process, because on 32 bits a large memory fits
//! once and not twice.

use super::global::{Global, Region};

impl Global {
    /// A copy of all of it; `None` where the host has no room for one.
    pub fn copied(&self) -> Option<Global> {
        let regions = self.regions.iter().map(|region| {
            let data = copied(&region.data)?;
            Some(region.with(data))
        });
        Some(self.with(regions.collect::<Option<_>>()?))
    }

    /// Becomes what a copy is; `None`, and nothing has changed, where the host has no room for that. Allocations that are in
    /// both keep their place on the host, so that nothing is allocated.
    pub fn restore(&mut self, copy: &Global) -> Option<()> {
        let mut own: Vec<Option<&Region>> = self.regions.iter().map(Some).collect();
        own.resize(copy.regions.len(), None);
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
