//! What the phases of mbarriers order: who waits for a phase comes after whoever arrived in it.
//!
//! An arrival releases and a wait that finds its phase complete acquires, unless the program says otherwise, and then fences
//! around them can. So the arrivals of a phase are a chain of updates like that of any location ([`super::messages`]), and
//! its completion is what a wait reads. Who arrives in the next phase is not part of it: the specification promises a
//! waiter the arrivals of the completed phase, and no others. Specification: PTX ISA, section 9.7.13.15.16 (`test_wait`).

use std::collections::BTreeMap;

use super::clocks::{Clocks, Who};
use super::messages::{Locations, Written};
use super::{Order, Place, Reach, Space};

/// The phases of all mbarriers.
#[derive(Clone, Debug, Default)]
pub struct Phases {
    at: BTreeMap<Place, Phase>,
}

#[derive(Clone, Debug, Default)]
struct Phase {
    /// What the arrivals of the present phase have left so far.
    arrivals: Option<Written>,
    /// What those of the last one left.
    completed: Option<Written>,
}

/// The clocks and the locations of a launch.
#[derive(Debug)]
pub struct Known<'k> {
    /// What threads know of each other.
    pub clocks: &'k mut Clocks,
    /// What is left at locations.
    pub locations: &'k mut Locations,
}

impl Phases {
    /// A lane arrives, or completes transactions.
    pub fn arrive(&mut self, known: Known<'_>, who: Who, place: Place, how: (Order, Reach)) {
        let phase = self.at.entry(place).or_default();
        let Known { clocks, locations } = known;
        let sealed = clocks.sealed(who);
        let updated = (phase.arrivals.as_ref(), 0);
        let written = locations.write(clocks, who, place, how, updated, sealed.as_ref());
        phase.arrivals = Some(written);
    }

    /// The present phase is complete.
    pub fn complete(&mut self, place: Place) {
        let phase = self.at.entry(place).or_default();
        phase.completed = phase.arrivals.take();
    }

    /// A lane has found that the last phase is complete.
    pub fn wait(&mut self, known: Known<'_>, who: Who, place: Place, how: (Order, Reach)) {
        let completed = self.at.get(&place).and_then(|phase| phase.completed.as_ref());
        let Known { clocks, locations } = known;
        if let Some(written) = completed {
            locations.read(clocks, who, place, how, Some(written));
        }
    }

    /// An object begins or ends.
    pub fn forget(&mut self, place: Place) {
        self.at.remove(&place);
    }

    /// The shared memory of a block is gone.
    pub fn forget_space(&mut self, space: Space) {
        self.at.retain(|place, _| place.space != space);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { space: Space::Shared(0), offset: 8, bytes: 8 };
    const BLOCK: Reach = Reach::Cta;

    /// Two threads of two warps: one arrives, a phase completes, the other waits. Whether it comes after what was done
    /// before the arrival.
    fn orders(arrive: Order, wait: Order, completes: bool) -> bool {
        let mut clocks = Clocks::new(1, false);
        let mut locations = Locations::new(1, false);
        clocks.start(0, 0, 64);
        locations.start(0, 0, 2);
        let mut phases = Phases::default();
        let (one, other) = (Who { slot: 0, warp: 0, lane: 3 }, Who { slot: 0, warp: 1, lane: 5 });
        let done = clocks.stamp(one);
        let known = Known { clocks: &mut clocks, locations: &mut locations };
        phases.arrive(known, one, PLACE, (arrive, BLOCK));
        if completes {
            phases.complete(PLACE);
        }
        let known = Known { clocks: &mut clocks, locations: &mut locations };
        phases.wait(known, other, PLACE, (wait, BLOCK));
        clocks.knows(other, done)
    }

    #[test]
    fn who_waits_comes_after_who_arrived_in_the_completed_phase() {
        assert!(orders(Order::Release, Order::Acquire, true));
        assert!(!orders(Order::Release, Order::Acquire, false), "the phase goes on");
        assert!(!orders(Order::Relaxed, Order::Acquire, true));
        assert!(!orders(Order::Release, Order::Relaxed, true));
    }
}
