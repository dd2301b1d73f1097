//! Runs a team: instruction after instruction, for as long as it stays one.

use crate::compile::inst::{Inst, NEVER, Pc};
use crate::exec::cursor::Parts;
use crate::exec::memory::WarpAccess;
use crate::exec::special::Place;
use crate::exec::state::{Run, Stop};
use crate::exec::step::Left;
use crate::exec::team::compute::{compute, expand};
use crate::exec::team::stack::Split;
use crate::exec::team::{Member, Team};
use crate::isa::op::Op;
use crate::isa::special::Special;
use crate::machine::affine::Affine;
use crate::machine::block::Block;
use crate::machine::divergence::position;
use crate::machine::registers::{lane_count, lanes_of};
use crate::order::clocks::WarpId;

/// Where a team goes after an instruction.
enum Next {
    /// To this one.
    Pc(Pc),
    /// Its warps may have come apart.
    Apart,
}

impl Run<'_> {
    /// Runs a team for as long as it stays one.
    pub fn run_team(&mut self, block: &mut Block, team: &mut Team, left: &mut u32) -> Result<(), Stop> {
        let program = self.setup.program;
        while *left != 0 {
            if team.may_change() {
                if team.ends() {
                    break;
                }
                if team.pc == team.stack.lowest() {
                    if !team.arrive(block) {
                        break;
                    }
                    continue;
                }
            }
            let inst = &program.insts[team.pc as usize];
            let threads = team.find_active(block, inst);
            *left -= 1;
            self.count_issued(team, threads);
            match self.execute(block, team, inst, threads, *left != 0)? {
                Next::Pc(pc) => {
                    if self.go_to(block, team, pc) {
                        break;
                    }
                }
                Next::Apart => return Ok(()),
            }
        }
        team.leave(block);
        Ok(())
    }

    /// Counts an instruction that the warps of a team issue, for so many threads.
    #[inline(always)]
    pub fn count_issued(&mut self, team: &mut Team, threads: u64) {
        team.done += 1;
        self.counts.steps += team.lanes.warps;
        let issued = &mut self.counts.issued[team.pc as usize];
        issued.count += team.lanes.warps;
        issued.lanes += threads;
    }

    /// Executes an instruction for `threads` threads of a team, which may be split if it then goes on.
    #[inline(always)]
    fn execute(
        &mut self,
        block: &mut Block,
        team: &mut Team,
        inst: &Inst,
        threads: u64,
        goes_on: bool,
    ) -> Result<Next, Stop> {
        let has_all = threads == team.lanes.threads;
        let is_whole = has_all && team.is_whole();
        let may_replace = is_whole || has_all && team.is_alone && inst.is_temporary;
        if let Some(pc) = self.execute_in_registers(block, team, inst, threads, may_replace) {
            return Ok(Next::Pc(pc));
        }
        match &inst.op {
            &Op::Branch { target, meet } => {
                // The lanes that evaluate a branch are active at it, whichever way they go.
                self.counts.issued[team.pc as usize].lanes += team.lanes.threads - threads;
                if goes_on && self.split(block, team, target, meet) {
                    return Ok(Next::Pc(team.pc));
                }
                team.leave(block);
                self.branch_apart(block, team)?;
                return Ok(Next::Apart);
            }
            Op::FrameAddress { .. } | Op::Load(_) if is_whole && self.is_common(block, team, inst) => {
                self.carry_out_once(block, team, inst)?;
            }
            // A step is counted for each warp, and the next one reads a clock that is later by one.
            &Op::Special { what: Special::Clock, wide }
                if is_whole && team.lanes.warps == block.warps.len() as u64 =>
            {
                let first = Affine::uniform(self.counts.steps - team.lanes.warps + 1 + self.late);
                let value = Affine { warp: 1, ..first };
                block.registers.set_affine(team.frame.base, inst.args.d, wide, value);
            }
            Op::Exit | Op::Return if is_whole && team.is_kernel(block) && block.ends_at_once() => {
                team.leave(block);
                self.end_together(block, team.pc);
                return Ok(Next::Apart);
            }
            Op::Barrier(_) | Op::Collective(_)
                if has_all && self.control_together(block, team, inst, is_whole) => {}
            _ if leaves_team(inst.op) => {
                team.leave(block);
                self.control_apart(block, team)?;
                return Ok(Next::Apart);
            }
            Op::Load(_) | Op::Store(_) | Op::Atomic(_) if block.is_plain() && !inst.is_distant => {
                self.touch_team(block, team, inst, may_replace)?;
            }
            _ => {
                expand(&mut block.registers, team.frame.base, self.setup.program.touched(inst));
                self.carry_out_apart(block, team, inst)?;
            }
        }
        Ok(Next::Pc(team.pc + 1))
    }

    /// Executes an instruction, if it only computes registers or sends all threads the same way; where they go then.
    #[inline(always)]
    pub fn execute_in_registers(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        threads: u64,
        may_replace: bool,
    ) -> Option<Pc> {
        match &inst.op {
            Op::Alu(run) => compute(self.setup.program, block, team, inst, *run, may_replace),
            &Op::Branch { target, .. } if threads == team.lanes.threads => return Some(target),
            Op::Branch { .. } if threads == 0 => {
                // The lanes that evaluate a branch are active at it, whichever way they go.
                self.counts.issued[team.pc as usize].lanes += team.lanes.threads;
            }
            Op::Branch { .. } => return None,
            Op::Hint => {}
            _ if threads == 0 => {}
            &Op::Special { what, wide } if may_replace => {
                let value = self.affine_special(block, what)?;
                block.registers.set_affine(team.frame.base, inst.args.d, wide, value);
            }
            Op::Load(access) if may_replace => {
                let value = Affine::uniform(self.named_parameter(access)?);
                block.registers.set_affine(team.frame.base, inst.args.d, access.register_bits == 64, value);
            }
            _ => return None,
        }
        Some(team.pc + 1)
    }

    /// Splits a team at a branch that some lanes take and some do not, if the reconvergence stack can; whether it did.
    fn split(&mut self, block: &mut Block, team: &mut Team, target: Pc, meet: Pc) -> bool {
        let mut parted = 0_u32;
        for (w, (mask, taken)) in team.lanes.masks.iter().zip(team.active()).enumerate() {
            parted |= u32::from(mask & !taken != 0 && *taken != 0) << w;
        }
        let pc = team.pc;
        // Lanes that a branch sends to the end of the kernel end at it, if others of their warp go on.
        let may_end = parted != 0 && (self.is_end(target) || self.is_end(pc + 1));
        if self.setup.stack
            || team.is_limited
            || meet == NEVER
            || team.has_company
            || team.unreached.contains(&meet)
            || may_end
        {
            return false;
        }
        team.count_steps(block);
        let split = Split { taken: &team.passing, target, next: pc + 1, meet, parted };
        let Some(first) = team.stack.split(&mut team.lanes, split, &block.warps) else { return false };
        self.counts.issued[pc as usize].parted += u64::from(parted.count_ones());
        for w in lanes_of(parted) {
            block.warps[w].diverged = true;
            block.warps[w].divergence.renew(team.lanes.masks[w]);
        }
        team.pc = first;
        true
    }

    /// A branch that some lanes take and some do not.
    fn branch_apart(&mut self, block: &mut Block, team: &Team) -> Result<(), Stop> {
        let Op::Branch { target, .. } = self.setup.program.insts[team.pc as usize].op else { return Ok(()) };
        self.counts.steps -= team.lanes.warps;
        for Member { w, mask, active } in team.members() {
            self.counts.steps += 1;
            self.counts.effort.apart += 1;
            let group = position(&block.warps[w].divergence, mask);
            let next = match active {
                0 => team.pc + 1,
                _ if active == mask => target,
                _ => {
                    // They are counted there.
                    self.counts.issued[team.pc as usize].lanes -= u64::from((mask & !active).count_ones());
                    self.at(block, w).watched_control(group, active)?;
                    continue;
                }
            };
            block.warps[w].divergence.groups[group].pc = next;
        }
        Ok(())
    }

    /// An instruction that may change which lanes run together.
    fn control_apart(&mut self, block: &mut Block, team: &Team) -> Result<(), Stop> {
        let inst = &self.setup.program.insts[team.pc as usize];
        if matches!(inst.op, Op::Call(_) | Op::Return) {
            block.registers.expand_all();
        } else {
            expand(&mut block.registers, team.frame.base, self.setup.program.touched(inst));
        }
        self.counts.steps -= team.lanes.warps;
        for Member { w, mask, active } in team.members() {
            self.counts.steps += 1;
            self.counts.effort.apart += 1;
            let group = position(&block.warps[w].divergence, mask);
            if active != 0 {
                let outcome = self.at(block, w).watched_control(group, active);
                if outcome.is_err() {
                    self.take_back_after(block, team, w);
                    return outcome;
                }
                continue;
            }
            block.warps[w].divergence.groups[group].pc += 1;
        }
        Ok(())
    }

    /// Carries out an instruction for one warp of a team after another.
    pub fn carry_out_apart(&mut self, block: &mut Block, team: &mut Team, inst: &Inst) -> Result<(), Stop> {
        let outcome = self.carry_out_each(block, team, inst);
        outcome.or_else(|(w, left)| self.stop(block, team, w, left))
    }

    /// [`Run::carry_out_apart`]. An error is the warp that could not, and why.
    fn carry_out_each(&mut self, block: &mut Block, team: &Team, inst: &Inst) -> Result<(), (usize, Left)> {
        self.counts.steps -= team.lanes.warps;
        for member in team.members() {
            self.counts.steps += 1;
            self.counts.effort.apart += 1;
            if member.active != 0 {
                self.carry_out_checked(block, team, member, inst)?;
            }
        }
        Ok(())
    }

    /// Carries out an instruction for a warp of a team in the step that has just been counted, and shows it to the checkers.
    pub fn carry_out_checked(
        &mut self,
        block: &mut Block,
        team: &Team,
        member: Member,
        inst: &Inst,
    ) -> Result<(), (usize, Left)> {
        let (before, Member { w, mask, .. }) = (self.counts.steps - 1, member);
        self.observers.run(block.number, WarpId { slot: block.slot, warp: w }, mask);
        let left = self.carry_out_for(block, team, member, inst, before);
        self.at(block, w).find_unwritten();
        left.map_err(|left| (w, left))
    }

    /// Carries out an instruction for a warp of a team, when `before` steps have been taken before it.
    pub fn carry_out_for(
        &mut self,
        block: &mut Block,
        team: &Team,
        Member { w, active, .. }: Member,
        inst: &Inst,
        before: u64,
    ) -> Result<(), Left> {
        let place = Place::of(self, block, w).after(before, team.done - 1);
        let (pc, frame, mut at) = (team.pc, &team.frame, self.at(block, w));
        let Parts { mut memories, mut lanes, traffic, .. } = at.parts(frame, active);
        let (memories, lanes, counters) = (&mut memories, &mut lanes, &mut traffic[pc as usize]);
        WarpAccess { memories, lanes, inst, pc, frame, counters }.step(&place, 1)
    }

    /// Stops at an instruction that memory denied a warp: the warps after it have not issued it.
    #[cold]
    pub fn stop(&mut self, block: &mut Block, team: &mut Team, w: usize, left: Left) -> Result<(), Stop> {
        team.leave(block);
        self.take_back_after(block, team, w);
        let group = position(&block.warps[w].divergence, team.lanes.masks[w]);
        self.at(block, w).leave_loop(group, left, &mut 0)
    }

    /// Takes back that warps after one of a team were counted for the present instruction.
    pub fn take_back_after(&mut self, block: &mut Block, team: &Team, w: usize) {
        let issued = &mut self.counts.issued[team.pc as usize];
        let is_branch = matches!(self.setup.program.insts[team.pc as usize].op, Op::Branch { .. });
        for Member { w, mask, active } in team.members().filter(|member| member.w > w) {
            issued.count -= 1;
            issued.lanes -= lane_count(if is_branch { mask } else { active });
            block.warps[w].steps -= 1;
        }
    }
}

/// Whether an instruction may change which lanes run together.
pub fn leaves_team(op: Op) -> bool {
    matches!(
        op,
        Op::BranchIndexed { .. }
            | Op::Call(_)
            | Op::Return
            | Op::Exit
            | Op::Trap
            | Op::Unsupported(_)
            | Op::Barrier(_)
            | Op::ClusterBarrier(_)
            | Op::Collective(_)
            | Op::Matrix(_)
            | Op::Warpgroup(_)
    )
}
