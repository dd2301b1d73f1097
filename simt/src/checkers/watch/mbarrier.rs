//! Operations on mbarriers, for those who watch: what they are to the checker of races, and what they order.
//!
//! An object is made and ended by accesses like plain stores, which must be ordered with every other operation on it; the
//! others are strong accesses of the block, which race with nothing but these.

use crate::checkers::races;
use crate::checkers::races::shadow::Kind;
use crate::checkers::watch::Watch;
use crate::order::phases::Known;
use crate::order::{Order, Place, Reach};

/// What an operation is to those who watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It makes or ends the object, and nobody else may be there.
    Alone,
    /// It arrives, or completes transactions.
    Arrives {
        /// Whether that completes the phase.
        completes: bool,
    },
    /// It counts transactions, and orders nothing.
    Counts,
    /// It asks for a phase.
    Asks {
        /// Whether that is complete.
        finds: bool,
    },
}

impl Watch {
    /// A lane has carried out an operation on an mbarrier.
    pub fn mbarrier(&mut self, lane: usize, place: Place, touch: Touch, how: (Order, Reach)) {
        let who = self.who(lane);
        let (kind, scope) = match touch {
            Touch::Alone => (Kind::Store, None),
            Touch::Arrives { .. } | Touch::Counts => (Kind::Update, Some(how.1)),
            Touch::Asks { .. } => (Kind::Load, Some(how.1)),
        };
        let access = races::Access { pc: self.pc, kind, scope, read_only: false, is_bare: false };
        if let Some(races) = &mut self.races {
            let conflict = races.lane(&self.clocks, who, access, place, 0, |_, _| false);
            self.report(conflict);
        }
        let known = Known { clocks: &mut self.clocks, locations: &mut self.locations };
        match touch {
            Touch::Alone => self.phases.forget(place),
            Touch::Arrives { completes } => {
                self.phases.arrive(known, who, place, how);
                if completes {
                    self.phases.complete(place);
                }
            }
            Touch::Asks { finds: true } => self.phases.wait(known, who, place, how),
            Touch::Counts | Touch::Asks { finds: false } => {}
        }
    }
}
