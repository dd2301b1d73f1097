//! Runs a launch that has a watcher, and shows it every instruction of every warp ([`super::moment`]).
//!
//! A team executes an instruction for all of its warps at once here too if it only changes registers, or if the whole block meets at
//! a barrier or ends. The watcher then sees one warp after another execute it: until it is a warp's turn, its registers are shown
//! as they were before, of which there are copies. Every other instruction is carried out for one warp after another, and each is
//! shown in between.
//!
//! What an instruction accessed follows from the registers that it leaves, and is found out only if the watcher asks. If a load
//! overwrites its own address, that is read from the copies.

use crate::compile::inst::{Inst, Pc};
use crate::compile::program::Program;
use crate::exec::cursor::Cursor;
use crate::exec::moment::{Machine, Moment, Standing, Then};
use crate::exec::special::{Place, write};
use crate::exec::state::{Run, Stop};
use crate::exec::step::Left;
use crate::exec::team::addresses::Addresses;
use crate::exec::team::compute::expand;
use crate::exec::team::{Member, Team, leaves_team};
use crate::isa::op::memory::Base;
use crate::isa::op::{Op, Touched};
use crate::machine::block::Block;
use crate::machine::divergence::{Frame, Group, position};
use crate::machine::kept::Kept;
use crate::machine::registers::{Bank, Shape, WARP_SIZE, lane_count};

impl Cursor<'_, '_> {
    /// Runs a group as [`Cursor::straight_on_by`] does, and shows every step. An instruction that changes which lanes run
    /// together is left to [`Cursor::leave_loop`], which shows it too.
    pub fn run_watched(&mut self, g: usize, slice: &mut u32) -> Result<Left, Stop> {
        let mut done = 0;
        loop {
            let Group { pc, mask, frame, .. } = *self.group(g);
            if *slice == 0 || done != 0 && self.run.observers.probe.stops_at(pc, done) {
                return Ok(Left::Paused);
            }
            let inst = self.run.setup.program.insts.get(pc as usize);
            let guard = |inst: &Inst| {
                let slot = frame.base.preds + usize::from(inst.guard);
                mask & (self.block.registers.preds.get(slot, self.w) ^ inst.flip)
            };
            let active = inst.map_or(0, guard);
            if let Some(inst) = inst {
                let (kept, program) = (&mut self.run.observers.before.registers, self.run.setup.program);
                keep_address(kept, program, self.block, inst, frame.base);
            }
            let mut one = 1;
            let left = self.straight_on_by(g, &mut one);
            if let Left::Needs(product) = left {
                self.carry_out_until(product);
                continue;
            }
            if one != 0 {
                return Ok(left);
            }
            *slice -= 1;
            done += 1;
            self.run.counts.steps += 1;
            self.warp_mut().steps += 1;
            if let Left::At(_) = left {
                return Ok(left);
            }
            self.show(pc, mask, active, &frame)?;
            if !matches!(left, Left::Paused) {
                return Ok(left);
            }
        }
    }

    /// [`Cursor::control`], shown to the watcher for the lanes that do not come to the instruction again.
    pub fn watched_control(&mut self, g: usize, active: u32) -> Result<(), Stop> {
        if self.run.observers.watcher.is_none() {
            return self.control(g, active);
        }
        let Group { pc, mask, frame, .. } = *self.group(g);
        self.run.observers.taken_back = 0;
        let result = self.control(g, active);
        let active = active & !self.run.observers.taken_back;
        if active == 0 {
            return result;
        }
        // What it changes may be another warp's: the result of a barrier, for one.
        self.run.observers.before.registers.clear();
        // A fault that ends the launch comes before the wish of the watcher to do so.
        let shown = self.show(pc, mask, active, &frame);
        result.and(shown)
    }

    /// Shows the step that has just been counted: the instruction, the lanes that came to it, and those for which it was
    /// carried out.
    #[inline(always)]
    fn show(&mut self, instruction: Pc, mask: u32, active: u32, frame: &Frame) -> Result<(), Stop> {
        let Run { setup, observers, counts, global, .. } = &mut *self.run;
        let Some(watcher) = &mut observers.watcher else { return Ok(()) };
        let (kept, step, block) = (&observers.before.registers, counts.steps - 1, &*self.block);
        let machine = Machine { program: setup.program, global, block, frame, kept, standing: None };
        let warp = self.w as u32;
        let moment = Moment { step, block: block.index, warp, mask, active, instruction, machine };
        if watcher(&moment).is_continue() { Ok(()) } else { Err(Stop::Watcher) }
    }
}

impl Run<'_> {
    /// Runs a team for as long as it stays one, and shows every step.
    pub fn run_shown(&mut self, block: &mut Block, team: &mut Team, left: &mut u32) -> Result<(), Stop> {
        while *left != 0 {
            *left -= 1;
            let next = if let Some(then) = self.execute_together(block, team) {
                self.show_team(block, team, then)?
            } else {
                team.leave(block);
                // Each warp counts its steps as it takes them; this stands for the present instruction.
                team.done = 1;
                let next = self.execute_apart(block, team)?;
                team.done = 0;
                next
            };
            let Some(pc) = next else { return Ok(()) };
            if self.go_to(block, team, pc) || team.ends_after_step() {
                break;
            }
        }
        team.leave(block);
        Ok(())
    }

    /// Executes an instruction of a team for all of its warps at once, if it changes no memory and cannot be at fault; what becomes
    /// of them then. If they end, that is still to be done.
    fn execute_together(&mut self, block: &mut Block, team: &mut Team) -> Option<Then> {
        let inst = &self.setup.program.insts[team.pc as usize];
        let threads = team.find_active(block, inst);
        self.observers.before.registers.clear();
        for result in self.setup.program.writes(inst) {
            keep(&mut self.observers.before.registers, block, *result, team.frame.base);
        }
        // Lanes outside of the team are shown too, even those that have ended.
        let has_all = threads == team.lanes.threads;
        let is_whole = has_all && team.is_whole();
        let may_replace = has_all && threads == (block.warps.len() * WARP_SIZE) as u64;
        let next = team.pc + 1;
        let then = match inst.op {
            Op::Exit | Op::Return if is_whole && team.is_kernel(block) && block.ends_at_once() => {
                Some(Then::End)
            }
            Op::Barrier(barrier) if is_whole => {
                let number = self.barrier_together(block, team, inst, barrier);
                number.map(|number| Then::Wait(number, next))
            }
            Op::Collective(collective) if has_all => {
                self.shuffle_together(block, team, inst, collective).then_some(Then::Go(next))
            }
            _ => {
                let next = self.execute_in_registers(block, team, inst, threads, may_replace);
                let next = next.or_else(|| self.load_together(block, team, inst, may_replace));
                next.map(Then::Go)
            }
        };
        if then.is_some() {
            self.count_issued(team, threads);
        } else {
            self.observers.before.registers.restore(&mut block.registers);
        }
        then
    }

    /// Carries out a load for all warps of a team, if it cannot be at fault; where they go then.
    fn load_together(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        may_replace: bool,
    ) -> Option<Pc> {
        if !matches!(inst.op, Op::Load(_)) || self.observers.check_accesses() || !block.is_plain() {
            return None;
        }
        self.observers.before.traffic.clone_from(&self.counts.traffic[team.pc as usize]);
        let addresses = Addresses::of(block, team, inst);
        self.touch_at_once(block, team, addresses.as_ref(), may_replace).then_some(team.pc + 1)
    }

    /// Shows an instruction that a team has executed, warp by warp; where it goes.
    fn show_team(&mut self, block: &mut Block, team: &mut Team, then: Then) -> Result<Option<Pc>, Stop> {
        let Some(watcher) = &mut self.observers.watcher else { return Ok(None) };
        let standing = Some(Standing { lanes: &team.lanes.masks, from: team.pc, then });
        let (program, global, kept, frame) =
            (self.setup.program, &*self.global, &self.observers.before.registers, &team.frame);
        let machine = Machine { program, global, block, frame, kept, standing };
        let (step, index, instruction) = (self.counts.steps - team.lanes.warps, block.index, team.pc);
        let mut moment = Moment { step, block: index, warp: 0, mask: 0, active: 0, instruction, machine };
        let stopped = team.members().find(|member| {
            (moment.warp, moment.mask, moment.active) = (member.w as u32, member.mask, member.active);
            let is_last = watcher(&moment).is_break();
            moment.step += 1;
            is_last
        });
        if let Some(Member { w, .. }) = stopped {
            self.take_back(block, team, w);
            return Err(Stop::Watcher);
        }
        Ok(match then {
            Then::Go(pc) | Then::Wait(_, pc) => Some(pc),
            Then::End => {
                team.leave(block);
                self.end_together(block, team.pc);
                None
            }
        })
    }

    /// Takes back that the warps after `w` have executed an instruction, and what it cost them.
    #[cold]
    fn take_back(&mut self, block: &mut Block, team: &mut Team, w: usize) {
        team.leave(block);
        self.take_back_after(block, team, w);
        let inst = &self.setup.program.insts[team.pc as usize];
        let is_costly = matches!(&inst.op, Op::Load(access) if self.named_parameter(access).is_none());
        if is_costly {
            // The loads of the others are carried out once more, and counted.
            self.observers.before.registers.restore(&mut block.registers);
            expand(&mut block.registers, team.frame.base, self.setup.program.touched(inst));
            self.counts.traffic[team.pc as usize].clone_from(&self.observers.before.traffic);
        }
        self.counts.steps -= team.lanes.warps;
        for member in team.members().take_while(|member| member.w <= w) {
            self.counts.steps += 1;
            if is_costly && member.active != 0 {
                let again = self.carry_out_for(block, team, member, inst, self.counts.steps - 1);
                debug_assert!(again.is_ok(), "what was loaded once can be loaded again");
            }
        }
    }

    /// Executes an instruction of a team, warp by warp, and shows each; where the team goes, if it remains one.
    fn execute_apart(&mut self, block: &mut Block, team: &Team) -> Result<Option<Pc>, Stop> {
        let (pc, frame) = (team.pc, team.frame);
        let inst = &self.setup.program.insts[pc as usize];
        let addresses = Addresses::of(block, team, inst);
        let addresses = addresses.filter(|_| !self.observers.check_accesses() && block.is_plain());
        if matches!(inst.op, Op::Call(_) | Op::Return) {
            block.registers.expand_all();
        } else if addresses.is_some() {
            self.prepare(block, team, inst, true, false);
        } else {
            expand(&mut block.registers, frame.base, self.setup.program.touched(inst));
        }
        let (mut next, mut is_team) = (None, true);
        for w in 0..block.warps.len() {
            let (mask, active) = (team.lanes.masks[w], team.active()[w]);
            if mask == 0 {
                continue;
            }
            let member = Member { w, mask, active };
            let agrees = active == 0 || active == mask;
            let is_branch = matches!(inst.op, Op::Branch { .. });
            let leaves = if is_branch { !agrees } else { active != 0 && leaves_team(inst.op) };
            self.counts.steps += 1;
            self.counts.effort.apart += 1;
            let issued = &mut self.counts.issued[pc as usize];
            issued.count += 1;
            // The lanes that evaluate a branch are active at it, whichever way they go.
            issued.lanes += lane_count(if is_branch && !leaves { mask } else { active });
            let warp = &mut block.warps[w];
            let group = position(&warp.divergence, mask);
            if leaves {
                is_team = false;
                warp.steps += 1;
                self.at(block, w).watched_control(group, active)?;
                continue;
            }
            let (mut to, mut left) = (pc + 1, Ok(()));
            let parameter = if let Op::Load(access) = &inst.op { self.named_parameter(access) } else { None };
            match (&inst.op, parameter) {
                _ if active == 0 => {}
                (Op::Alu(run), _) => {
                    run(&mut block.registers.lanes(w, frame.base, active).warps(), &inst.args);
                }
                (Op::Branch { target, .. }, _) => to = *target,
                (Op::Load(access), Some(value)) => {
                    let mut lanes = block.registers.lanes(w, frame.base, active);
                    write(&mut lanes, inst.args.d, access.register_bits == 64, |_| value);
                }
                (Op::Special { .. }, _) => {
                    let place = Place::of(self, block, w).after(self.counts.steps - 1, 0);
                    place.answer(&mut block.registers.lanes(w, frame.base, active), inst, &frame, 1);
                }
                _ if addresses.is_some() => {
                    left = self.touch_one(block, team, inst, addresses.as_ref(), member);
                }
                _ => left = self.carry_out_checked(block, team, member, inst),
            }
            let warp = &mut block.warps[w];
            warp.steps += 1;
            if left.is_ok() {
                warp.divergence.groups[group].pc = to;
            }
            let mut at = self.at(block, w);
            at.show(pc, mask, active, &frame)?;
            if let Err((_, left)) = left {
                at.leave_loop(group, left, &mut 0)?;
            }
            is_team &= *next.get_or_insert(to) == to;
        }
        Ok(next.filter(|_| is_team))
    }
}

/// Keeps a register of the frame at `base`.
fn keep(kept: &mut Kept, block: &Block, register: Touched, base: Shape) {
    kept.keep(&block.registers, register.bank, base.of(register.bank) + usize::from(register.slot));
}

/// Keeps the register with the addresses of an instruction, if that is about to overwrite it.
fn keep_address(kept: &mut Kept, program: &Program, block: &Block, inst: &Inst, base: Shape) {
    kept.clear();
    let Some((address, ..)) = inst.op.access() else { return };
    let is_address = |result: &&Touched| {
        let is_in_bank = match address.base {
            Base::Wide => result.bank == Bank::Wide,
            Base::Narrow => result.bank == Bank::Narrow,
            Base::Absolute | Base::Frame => false,
        };
        is_in_bank && result.slot == inst.args.a
    };
    if let Some(overwritten) = program.writes(inst).iter().find(is_address) {
        keep(kept, block, *overwritten, base);
    }
}
