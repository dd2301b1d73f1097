//! Products of warpgroups: what they are to the race checker.
//!
//! A product reads shared memory through the asynchronous proxy, as a bulk copy does, in the name of an agent. It begins with what all
//! threads of its four warps know, because all of them start it. The threads of a warp learn of it when they wait for it.

use super::CHUNK;
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::races::shadow::list::OpKind;
use crate::compile::inst::Pc;
use crate::machine::bulk::Area;
use crate::machine::registers::FULL_MASK;
use crate::machine::warpgroup::WARPS;
use crate::order::clocks::LaneId;
use crate::order::vector_clock::VectorClock;

impl MemoryModel {
    /// A warpgroup, given its first warp, starts a product that reads these areas. Returns its agents, of which only the first one
    /// does something.
    pub fn start_product(&mut self, first: usize, pc: Pc, areas: &[Area]) -> [u16; 2] {
        let (slot, warps) = (self.slot, first..first + WARPS);
        let mut known = VectorClock::default();
        warps.clone().for_each(|warp| known.join(&self.clocks.joined_clock(slot, warp, FULL_MASK)));
        let [reads, writes] = self.new_agents(LaneId { slot, warp: first, lane: 0 });
        self.clocks.restart(self.agent(writes), known.clone());
        let proxied = self.proxied(self.agent(writes), &known, false);
        self.clocks.restart(self.agent(reads), proxied);
        warps.for_each(|warp| self.clocks.tick(slot, warp));
        for area in areas {
            self.bulk_access(reads, writes, OpKind::Load, pc, area, CHUNK);
        }
        [reads, writes]
    }
}
