//! Asynchronous copies: what they are to the race checker when they start and when they are complete.
//!
//! At both moments a copy is a plain load and a plain store of its thread, so it has to be ordered with what comes before it and
//! with what comes after the thread's wait. What happens in between is [`crate::checkers::copies`]' concern.

use crate::checkers::copies::Meddling;
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::races;
use crate::checkers::races::shadow::list::OpKind;
use crate::machine::copies::Copy;
use crate::order::{ByteRange, Space};

impl MemoryModel {
    /// A copy starts, or is complete.
    pub fn copy(&mut self, copy: &Copy) {
        let (region, offset) = (copy.from.0 as u32, copy.from.1 as u64);
        let from = ByteRange { space: Space::Global(region), offset, bytes: copy.read };
        let to = ByteRange { space: self.shared_space(), offset: copy.to, bytes: copy.bytes };
        let accesses = [(OpKind::Load, from), (OpKind::Store, to)];
        for (kind, range) in accesses.into_iter().filter(|(_, range)| range.bytes != 0) {
            let conflict = self.check_access(copy.lane, races::Access::new(copy.pc, kind, None), range, 0);
            self.report(conflict);
        }
        self.locations.forget(to.space, to.offset, u64::from(to.bytes));
    }

    /// A copy has written: what loads return is in memory now.
    pub fn copied(&mut self) {
        let space = self.shared_space();
        if let Some(weak) = &mut self.weak {
            weak.store_history.forget(space);
        }
    }

    /// Does something in the name of another warp of the block.
    pub fn as_warp(&mut self, warp: usize, act: impl FnOnce(&mut MemoryModel)) {
        let own = std::mem::replace(&mut self.warp, warp);
        act(self);
        self.warp = own;
    }

    /// Whether races are looked for.
    pub fn looks_for_races(&self) -> bool {
        self.races.is_some()
    }

    /// The number of the block that runs now, in the grid.
    pub fn block_number(&self) -> u64 {
        u64::from(self.clocks.block(self.slot))
    }

    /// An access has met a copy that is under way. One of each pair of instructions is kept.
    pub fn meddled(&mut self, found: Meddling) {
        let is_known = |known: &Meddling| (known.pc, known.copy.pc) == (found.pc, found.copy.pc);
        if !self.meddlings.iter().any(is_known) {
            self.meddlings.push(found);
        }
    }
}
