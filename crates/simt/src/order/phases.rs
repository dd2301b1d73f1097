//! What the phases of mbarriers order: arrivals in a phase happen before what a thread does after waiting for that
//! phase.
//!
//! Unless the program says otherwise, an arrival is a release, and a wait that finds its phase complete is an acquire;
//! if they are relaxed, fences around them can have the same effect. So the arrivals of a phase are a chain of updates
//! like that of any other location ([`super::release_acquire`]), and a wait reads what the completed phase left.
//! Arrivals in the next phase are not part of it, because the specification promises a waiting thread only the arrivals
//! of the completed phase. Specification: PTX ISA, section 9.7.13.15.16 (`test_wait`).

use std::collections::BTreeMap;

use super::clocks::{Clocks, LaneId};
use super::release_acquire::{Link, Locations, StoreRecord};
use super::{ByteRange, Semantics, Space};

/// The current and the last phase of each mbarrier.
#[derive(Clone, Debug, Default)]
pub struct Phases {
    at: BTreeMap<ByteRange, Phase>,
}

#[derive(Clone, Debug, Default)]
struct Phase {
    /// What the arrivals of the current phase have published so far.
    arrivals: Option<StoreRecord>,
    /// What the arrivals of the last completed phase published.
    completed: Option<StoreRecord>,
}

impl Phases {
    /// A lane arrives, or completes transactions.
    pub fn arrive(
        &mut self,
        clocks: &mut Clocks,
        locations: &mut Locations,
        id: LaneId,
        range: ByteRange,
        semantics: Semantics,
    ) {
        let phase = self.at.entry(range).or_default();
        let fenced = clocks.fenced(id);
        let link = Link { before: phase.arrivals.as_ref(), chain: 0 };
        let store = locations.write(clocks, id, range, semantics, link, fenced.as_ref());
        phase.arrivals = Some(store);
    }

    /// The current phase completes.
    pub fn complete(&mut self, range: ByteRange) {
        let phase = self.at.entry(range).or_default();
        phase.completed = phase.arrivals.take();
    }

    /// A lane finds that the last phase is complete.
    pub fn wait(
        &mut self,
        clocks: &mut Clocks,
        locations: &mut Locations,
        id: LaneId,
        range: ByteRange,
        semantics: Semantics,
    ) {
        let completed = self.at.get(&range).and_then(|phase| phase.completed.as_ref());
        if let Some(store) = completed {
            locations.read(clocks, id, range, semantics, Some(store));
        }
    }

    /// The mbarrier is initialised or invalidated.
    pub fn forget(&mut self, range: ByteRange) {
        self.at.remove(&range);
    }

    /// The shared memory of a block no longer exists.
    pub fn forget_space(&mut self, space: Space) {
        self.at.retain(|range, _| range.space != space);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::{Order, Scope};

    const PLACE: ByteRange = ByteRange { space: Space::Shared(0), offset: 8, bytes: 8 };
    const BLOCK: Scope = Scope::Cta;

    /// One thread arrives, the phase completes or not, and a thread of another warp waits. Returns whether what the
    /// first did before its arrival happens before what the second does after its wait.
    fn orders(arrive: Order, wait: Order, completes: bool) -> bool {
        let mut clocks = Clocks::new(1, false);
        let mut locations = Locations::new(1, false);
        clocks.start(0, 0, 64);
        locations.start(0, 0, 2);
        let mut phases = Phases::default();
        let (one, other) = (LaneId { slot: 0, warp: 0, lane: 3 }, LaneId { slot: 0, warp: 1, lane: 5 });
        let done = clocks.epoch(one);
        let semantics = |order| Semantics { order, scope: BLOCK };
        phases.arrive(&mut clocks, &mut locations, one, PLACE, semantics(arrive));
        if completes {
            phases.complete(PLACE);
        }
        phases.wait(&mut clocks, &mut locations, other, PLACE, semantics(wait));
        clocks.is_ordered_after(other, done)
    }

    #[test]
    fn a_wait_is_ordered_after_the_arrivals_of_the_completed_phase() {
        assert!(orders(Order::Release, Order::Acquire, true));
        assert!(!orders(Order::Release, Order::Acquire, false), "the phase goes on");
        assert!(!orders(Order::Relaxed, Order::Acquire, true));
        assert!(!orders(Order::Release, Order::Relaxed, true));
    }
}
