//! Where a launch is at work: at one warp of a block. What the other files do with a warp are methods of [`Cursor`].

use crate::access::lane_order::LaneOrder;
use crate::compile::inst::{Inst, Pc};
use crate::exec::counts::Issued;
use crate::exec::memory::Memories;
use crate::exec::probe::Probe;
use crate::exec::state::Run;
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Frame, Group};
use crate::machine::registers::Lanes;
use crate::machine::warpgroup::Warpgroups;
use crate::order::clocks::WarpId;
use crate::report::counters::Counters;

/// The warp that is running.
pub(crate) struct Cursor<'c, 'a> {
    /// Its launch.
    pub(crate) run: &'c mut Run<'a>,
    /// Its block.
    pub(crate) block: &'c mut Block,
    /// The warp, by its number in the block.
    pub(crate) w: usize,
}

/// What instructions of a warp work on, and what each of them is noted in.
pub(crate) struct Parts<'m> {
    /// The memories that the warp can reach.
    pub(crate) memories: Memories<'m>,
    /// Its registers.
    pub(crate) lanes: Lanes<'m>,
    /// By instruction: how often issued.
    pub(crate) issued: &'m mut [Issued],
    /// By instruction: what it cost in memory.
    pub(crate) traffic: &'m mut [Counters],
    /// The probe for threads that never continue.
    pub(crate) probe: &'m mut Probe,
    /// The products of the block's warpgroups.
    pub(crate) warpgroups: &'m mut Warpgroups,
}

impl<'a> Run<'a> {
    /// Goes to a warp of a block.
    #[inline(always)]
    pub fn at<'c>(&'c mut self, block: &'c mut Block, w: usize) -> Cursor<'c, 'a> {
        Cursor { run: self, block, w }
    }
}

impl<'a> Cursor<'_, 'a> {
    pub fn id(&self) -> WarpId {
        WarpId { slot: self.block.slot, warp: self.w }
    }

    pub fn inst(&self, pc: Pc) -> &'a Inst {
        &self.run.setup.program.insts[pc as usize]
    }

    pub fn warp(&self) -> &Warp {
        &self.block.warps[self.w]
    }

    pub fn warp_mut(&mut self) -> &mut Warp {
        &mut self.block.warps[self.w]
    }

    pub fn group(&self, g: usize) -> &Group {
        &self.warp().divergence.groups[g]
    }

    pub fn group_mut(&mut self, g: usize) -> &mut Group {
        &mut self.warp_mut().divergence.groups[g]
    }

    /// Takes its memories and the lanes of `active` in a frame apart from what they are counted in.
    #[inline(always)]
    pub fn parts(&mut self, frame: &Frame, active: u32) -> Parts<'_> {
        let Cursor { run, block, w } = self;
        let is_checked = run.observers.check_accesses();
        let warp = &mut block.warps[*w];
        let memories = Memories {
            global: run.global,
            shared: &mut block.shared,
            owner: block.number,
            local: &mut warp.local,
            params: &run.setup.params,
            mbarriers: &mut block.mbarriers,
            copies: &mut block.copies,
            bulk: &mut block.bulk,
            order: LaneOrder::new(run.setup.launch.seed, block.number, *w as u32, warp.steps),
            now: 0,
            peers: &mut run.peers,
            initialisation: Some((&mut run.observers.initialisation, &mut block.shared_written))
                .filter(|(checker, _)| checker.is_on),
            memory_model: run.observers.memory_model.as_deref_mut(),
            last_writer: run.observers.last_writer.as_mut(),
            changes: &mut run.counts.changes,
            is_checked,
        };
        Parts {
            memories,
            lanes: block.registers.lanes(*w, frame.base, active),
            issued: &mut run.counts.issued,
            traffic: &mut run.counts.traffic,
            probe: &mut run.observers.probe,
            warpgroups: &mut block.warpgroups,
        }
    }
}
