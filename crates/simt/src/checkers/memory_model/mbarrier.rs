//! Operations on mbarriers: what they are to the race checker, and what they order.
//!
//! An mbarrier is initialised and invalidated by what counts as a plain store, so these have to be ordered with every
//! other operation on it. The other operations are strong accesses with block scope, which race only with those two.

use crate::checkers::memory_model::MemoryModel;
use crate::checkers::races;
use crate::checkers::races::shadow::list::OpKind;
use crate::order::{ByteRange, Semantics};

/// What an operation on an mbarrier does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierEvent {
    /// It initialises or invalidates the mbarrier, so no other thread may access it at the same time.
    Exclusive,
    /// It arrives, or completes transactions.
    Arrives {
        /// Whether that completes the phase.
        completes: bool,
    },
    /// It changes the number of expected transactions, which orders nothing.
    Counts,
    /// It tests whether a phase is complete.
    Tests {
        /// Whether it is.
        finds: bool,
    },
}

impl MemoryModel {
    /// A lane has carried out an operation on an mbarrier.
    pub fn mbarrier(&mut self, lane: usize, range: ByteRange, event: MbarrierEvent, semantics: Semantics) {
        let id = self.id(lane);
        let (kind, scope) = match event {
            MbarrierEvent::Exclusive => (OpKind::Store, None),
            MbarrierEvent::Arrives { .. } | MbarrierEvent::Counts => (OpKind::Update, Some(semantics.scope)),
            MbarrierEvent::Tests { .. } => (OpKind::Load, Some(semantics.scope)),
        };
        let conflict = self.check_access(lane, races::Access::new(self.pc, kind, scope), range, 0);
        self.report(conflict);
        let (clocks, locations) = (&mut self.clocks, &mut self.locations);
        match event {
            MbarrierEvent::Exclusive => self.phases.forget(range),
            MbarrierEvent::Arrives { completes } => {
                self.phases.arrive(clocks, locations, id, range, semantics);
                if completes {
                    self.phases.complete(range);
                }
            }
            MbarrierEvent::Tests { finds: true } => self.phases.wait(clocks, locations, id, range, semantics),
            MbarrierEvent::Counts | MbarrierEvent::Tests { finds: false } => {}
        }
    }
}
