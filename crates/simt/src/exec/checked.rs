//! Accesses to memory that the checkers are shown before they are carried out.

use crate::access::address::Denied;
use crate::access::element;
use crate::checkers::initialisation::hooks::{self, CheckedMemory};
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::memory_model::memory_view::MemoryView;
use crate::checkers::races::shadow::list::OpKind;
use crate::exec::memory::WarpAccess;
use crate::isa::op::Op;
use crate::order::clocks::WarpId;

impl WarpAccess<'_, '_> {
    /// Carries it out for a warp, and shows it to the checkers.
    #[inline(always)]
    pub fn carry_out_at(&mut self, id: WarpId) -> Result<(), Denied> {
        let inst = self.inst;
        match &inst.op {
            Op::Mbarrier(op) => {
                if !self.memories.copies.is_empty() || !self.memories.bulk.under_way.is_empty() {
                    self.pass_arrivals(id)?;
                }
                let is_here = !inst.is_distant && self.memories.peers.is_empty();
                return if is_here { self.mbarrier_here(op, id) } else { self.carry_out_by_block(id) };
            }
            Op::Async(op) => return self.asynchronous(*op, id),
            Op::Bulk(op) => return self.bulk(*op, id),
            _ => {}
        }
        if inst.is_distant || !self.memories.peers.is_empty() {
            return self.carry_out_by_block(id);
        }
        self.carry_out_here(id)
    }

    /// Carries it out for a warp, in global memory or that of its own block.
    #[inline(always)]
    pub fn carry_out_here(&mut self, id: WarpId) -> Result<(), Denied> {
        if !self.memories.mbarriers.is_empty() {
            self.check_objects(id.warp)?;
        }
        if !self.memories.copies.is_empty() {
            self.meet_copies(id);
        }
        if self.memories.is_checked { self.carry_out_checked() } else { self.carry_out() }
    }

    /// Shows it to the checkers and carries it out; an atomic is shown lane by lane, while it is carried out. What
    /// the weak memory has a load return instead replaces what it got.
    #[inline(never)]
    pub fn carry_out_checked(&mut self) -> Result<(), Denied> {
        let WarpAccess { memories, lanes, inst, pc, frame, .. } = self;
        if let Some((checker, shared_written)) = &mut memories.initialisation {
            let shown = CheckedMemory {
                checker,
                shared_written,
                global: memories.global,
                owner: memories.owner as u32,
            };
            hooks::check_access(shown, lanes, inst, frame, *pc, memories.now);
        }
        let mut replaced = Vec::new();
        if let Some((model, mut target)) = memories.modelled() {
            model.drain_due(&mut target);
            model.drain_touched(&mut target, lanes, inst, frame);
        }
        if let Some(model) = memories.memory_model.as_deref_mut() {
            let view = MemoryView { global: memories.global, shared: memories.shared, order: memories.order };
            model.at(*pc, memories.now);
            if let Op::Load(access) = &inst.op {
                model.access(view, lanes, &inst.args, access, OpKind::Load, frame);
                replaced = model.take_replaced();
            } else if let Op::Store(access) = &inst.op {
                model.access(view, lanes, &inst.args, access, OpKind::Store, frame);
            }
        }
        // Lanes that are delayed store later, and the last writer is shown it then.
        let held = memories.memory_model.as_deref().map_or(0, MemoryModel::delayed_lanes);
        if let Some(last_writer) = memories.last_writer.as_deref_mut() {
            last_writer.at(*pc);
            if let Op::Store(access) = &inst.op {
                let all = lanes.mask;
                lanes.mask &= !held;
                last_writer.record(memories.global, memories.order, lanes, inst, access, frame);
                lanes.mask = all;
            }
        }
        self.carry_out()?;
        if let (Op::Store(_), Some((model, mut target))) = (&self.inst.op, self.memories.modelled()) {
            model.restore_delayed(&mut target);
        }
        if let Op::Load(access) = &self.inst.op {
            for (lane, element, bytes) in replaced {
                element::set_element(self.lanes, &self.inst.args, access, lane, element, bytes);
            }
        }
        Ok(())
    }
}
