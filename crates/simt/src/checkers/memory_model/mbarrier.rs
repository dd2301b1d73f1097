//! Operations on mbarriers: what they are to the race checker, and what they order.
//!
//! An mbarrier is initialised and invalidated by what counts as a plain store, so these have to be ordered with every
//! other operation on it. An exception is made for pipelines of NVIDIA's library: who invalidates an mbarrier need be ordered only
//! after one thread of each warp that has used it, for that one speaks for its warp after a `match`, which orders no memory. The other operations race only with
//! those two. Where they name no scope they have that of the block, and NVIDIA's libraries leave it out also where blocks of a
//! cluster arrive at each other's mbarriers; so here the scope is at least the cluster.

use crate::checkers::memory_model::MemoryModel;
use crate::checkers::races::shadow::list::OpKind;
use crate::checkers::races::{self, Conflict};
use crate::machine::registers::WARP_SIZE;
use crate::order::clocks::LaneId;
use crate::order::{ByteRange, Epoch, Scope, Semantics, Thread};

/// What an operation on an mbarrier does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierEvent {
    /// It initialises the mbarrier, so no other thread may access it at the same time.
    Begins,
    /// It invalidates the mbarrier, which no other thread may access at the same time either.
    Ends,
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
        let semantics = Semantics { scope: semantics.scope.max(Scope::Cluster), ..semantics };
        let (kind, scope) = match event {
            MbarrierEvent::Begins | MbarrierEvent::Ends => (OpKind::Store, None),
            MbarrierEvent::Arrives { .. } | MbarrierEvent::Counts => (OpKind::Update, Some(Scope::Gpu)),
            MbarrierEvent::Tests { .. } => (OpKind::Load, Some(Scope::Gpu)),
        };
        let conflict = self.check_access(lane, races::Access::new(self.pc, kind, scope), range, 0);
        let is_over =
            |conflict: &Conflict| event == MbarrierEvent::Ends && self.knows_warp_of(id, conflict.before);
        let conflict = conflict.filter(|conflict| !is_over(conflict));
        self.report(conflict);
        let (clocks, locations) = (&mut self.clocks, &mut self.locations);
        match event {
            MbarrierEvent::Begins | MbarrierEvent::Ends => self.phases.forget(range),
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

    /// Whether a lane knows what some thread of the warp of an epoch did then; in its own warp, whether it has passed a fence.
    fn knows_warp_of(&self, id: LaneId, Epoch { thread, clock }: Epoch) -> bool {
        let first = usize::from(thread.number) / WARP_SIZE * WARP_SIZE;
        if thread.block == self.clocks.block(id.slot) && first == id.warp * WARP_SIZE {
            return self.locations.has_fenced_since(id, clock);
        }
        (first..first + WARP_SIZE).any(|number| {
            let thread = Thread { number: number as u16, ..thread };
            self.clocks.is_ordered_after(id, Epoch { thread, clock })
        })
    }
}
