//! Instructions whose results nobody reads.
//!
//! Within a block one walk backwards finds all: what an instruction reads is needed only if the instruction is. Across
//! blocks liveness says it, which a removal may change; hence the rounds. What has an effect beside its results stays
//! ([`Op::is_removable`](crate::code::Op::is_removable)).

use crate::code::live::{Live, fill};
use crate::code::{Block, Function, Op, Reg};

pub(super) fn remove(function: &mut Function<'_>, live: &mut Live) {
    let mut known = Vec::new();
    let mut stays = Vec::new();
    loop {
        live.find(function);
        fill(&mut known, function.regs.len(), (u32::MAX, false));
        let mut changed = false;
        let mut needed = Needed { block: 0, known: &mut known, live };
        for (at, block) in (0..).zip(&mut function.blocks) {
            needed.block = at;
            changed |= remove_in(block, &mut needed, &mut stays);
        }
        if !changed {
            return;
        }
    }
}

/// Which registers are read after a place in a block that is walked backwards. Entries of other blocks are stale and
/// look like none, so that nothing has to be cleared.
struct Needed<'l> {
    block: u32,
    /// For each register whether it is needed, and in which block that was found out.
    known: &'l mut [(u32, bool)],
    live: &'l Live,
}

impl Needed<'_> {
    fn set(&mut self, reg: Reg, is_needed: bool) {
        self.known[reg as usize] = (self.block, is_needed);
    }

    /// Before the walk comes to a register, it is needed if it is live at the end of the block.
    fn is_needed(&self, reg: Reg) -> bool {
        let (block, is_needed) = self.known[reg as usize];
        if block == self.block { is_needed } else { self.live.after(self.block as usize, reg) }
    }
}

/// Says whether that may have made an instruction of another block superfluous.
///
/// `stays` is room for a flag of each instruction, and empty before and after.
fn remove_in(block: &mut Block<'_>, needed: &mut Needed<'_>, stays: &mut Vec<bool>) -> bool {
    if let Some(condition) = block.end.condition() {
        needed.set(condition, true);
    }
    let mut changed = false;
    for inst in block.insts.iter().rev() {
        // A copy of a register to itself is left over when another pass has renamed one.
        let is_self = inst.op == Op::Mov
            && inst.dsts.len() == 1
            && inst.args.first().and_then(|arg| arg.reg()) == inst.dsts.first().copied();
        let is_read = inst.dsts.iter().any(|dst| needed.is_needed(*dst));
        let is_dead = inst.op.is_removable() && (is_self || !is_read);
        stays.push(!is_dead);
        if is_dead {
            // What it reads may now be dead in another block; in this one it is found at once.
            changed |= inst.reads().any(|reg| needed.live.crossing(reg).is_some());
            continue;
        }
        // Before this instruction, its results are not needed; its arguments are.
        for dst in inst.dsts.iter() {
            needed.set(*dst, false);
        }
        inst.reads().for_each(|reg| needed.set(reg, true));
    }
    if stays.contains(&false) {
        // Pushed from the last instruction to the first, so the flags come off in the order of the text.
        block.insts.retain(|_| stays.pop() != Some(false));
    }
    stays.clear();
    changed
}
