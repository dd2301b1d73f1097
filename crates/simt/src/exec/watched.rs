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
use crate::exec::moment::{Machine, Moment, Standing, Then, access_of};
use crate::exec::state::{Run, Stop};
use crate::exec::step::{Left, place_of, write};
use crate::exec::team::addresses::Addresses;
use crate::exec::team::compute::expand;
use crate::exec::team::{Team, leaves_team};
use crate::isa::op::memory::Base;
use crate::isa::op::{Op, Touched};
use crate::machine::block::Block;
use crate::machine::divergence::{Frame, Group, position};
use crate::machine::kept::Kept;
use crate::machine::registers::{Bank, Shape, WARP_SIZE, lane_count};

/// An instruction that is shown: where it stands, the lanes that came to it, and for which of them it was carried out.
#[derive(Clone, Copy)]
struct Shown<'s> {
    step: u64,
    pc: Pc,
    mask: u32,
    active: u32,
    frame: &'s Frame,
}

impl Run<'_> {
    /// Runs a group as [`Run::straight_on_by`] does, and shows every step. An instruction that changes which lanes run
    /// together is left to [`Run::leave_loop`], which shows it too.
    pub(crate) fn run_watched(
        &mut self,
        block: &mut Block,
        (w, g): (usize, usize),
        slice: &mut u32,
    ) -> Result<Left, Stop> {
        let mut done = 0;
        loop {
            let group = &block.warps[w].divergence.groups[g];
            let (pc, mask, frame) = (group.pc, group.mask, group.frame);
            if *slice == 0 || done != 0 && self.observers.probe.stops_at(pc, done) {
                return Ok(Left::Paused);
            }
            let inst = self.setup.program.insts.get(pc as usize);
            let guard = |inst: &Inst| {
                let slot = frame.base.preds + usize::from(inst.guard);
                mask & (block.registers.preds.get(slot, w) ^ inst.flip)
            };
            let active = inst.map_or(0, guard);
            if let Some(inst) = inst {
                keep_address(
                    &mut self.observers.before.registers,
                    self.setup.program,
                    block,
                    (inst, frame.base),
                );
            }
            let mut one = 1;
            let left = self.straight_on_by((block, w, g), &mut one);
            if one != 0 {
                return Ok(left);
            }
            *slice -= 1;
            done += 1;
            self.counts.steps += 1;
            block.warps[w].steps += 1;
            if let Left::At(_) = left {
                return Ok(left);
            }
            self.show(block, w, Shown { step: self.counts.steps - 1, pc, mask, active, frame: &frame })?;
            if !matches!(left, Left::Paused) {
                return Ok(left);
            }
        }
    }

    /// Runs a team for as long as it stays one, and shows every step.
    pub(crate) fn run_shown(
        &mut self,
        block: &mut Block,
        team: &mut Team,
        left: &mut u32,
    ) -> Result<(), Stop> {
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
            team.pc = pc;
            if team.ends_after_step() {
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
            self.observers.before.registers.keep(&block.registers, place(*result, team.frame.base));
        }
        // Lanes outside of the team are shown too, even those that have ended.
        let has_all = threads == team.lanes.threads;
        let is_whole = has_all && team.is_whole();
        let may_replace = has_all && threads == (block.warps.len() * WARP_SIZE) as u64;
        let next = team.pc + 1;
        let then = match inst.op {
            Op::Exit | Op::Return if is_whole && team.is_kernel(block) => Some(Then::End),
            Op::Barrier(barrier) if is_whole => {
                let number = self.barrier_together(block, team, inst, barrier);
                number.map(|number| Then::Wait(number, next))
            }
            Op::Collective(collective) if has_all => {
                self.shuffle_together(block, team, inst, collective).then_some(Then::Go(next))
            }
            _ => {
                let next = self.execute_in_registers(block, team, (inst, threads), may_replace);
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
        if !matches!(inst.op, Op::Load(_)) || self.observers.check_accesses() || !block.mbarriers.is_empty() {
            return None;
        }
        self.observers.before.traffic.clone_from(&self.counts.traffic[team.pc as usize]);
        let addresses = Addresses::of(block, team, inst);
        self.touch_at_once(block, team, inst, (addresses.as_ref(), may_replace)).then_some(team.pc + 1)
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
        let stopped = team.members().find(|&(w, mask, active)| {
            (moment.warp, moment.mask, moment.active) = (w as u32, mask, active);
            let is_last = watcher(&moment).is_break();
            moment.step += 1;
            is_last
        });
        if let Some((w, ..)) = stopped {
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
        for (w, _, active) in team.members().take_while(|member| member.0 <= w) {
            self.counts.steps += 1;
            if is_costly && active != 0 {
                let again = self.carry_out_for(block, team, (w, active), inst, self.counts.steps - 1);
                debug_assert!(again.is_ok(), "what was loaded once can be loaded again");
            }
        }
    }

    /// Executes an instruction of a team, warp by warp, and shows each; where the team goes, if it remains one.
    fn execute_apart(&mut self, block: &mut Block, team: &Team) -> Result<Option<Pc>, Stop> {
        let (pc, frame) = (team.pc, team.frame);
        let inst = &self.setup.program.insts[pc as usize];
        let addresses = Addresses::of(block, team, inst);
        let addresses = addresses.filter(|_| !self.observers.check_accesses() && block.mbarriers.is_empty());
        if matches!(inst.op, Op::Call(_) | Op::Return) {
            block.registers.expand_all();
        } else if addresses.is_some() {
            self.prepare(block, team, inst, (true, false));
        } else {
            expand(&mut block.registers, frame.base, self.setup.program.touched(inst));
        }
        let (mut next, mut is_team) = (None, true);
        for w in 0..block.warps.len() {
            let (mask, active) = (team.lanes.masks[w], team.active()[w]);
            if mask == 0 {
                continue;
            }
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
                self.watched_control(block, w, group, active)?;
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
                    let place = place_of(self, block, w, (self.counts.steps - 1, 0));
                    place.answer(&mut block.registers.lanes(w, frame.base, active), inst, &frame, 1);
                }
                _ if addresses.is_some() => {
                    left = self.touch_one(block, team, inst, addresses.as_ref(), (w, active));
                }
                _ => left = self.carry_out_seen(block, team, (w, mask, active), inst),
            }
            let warp = &mut block.warps[w];
            warp.steps += 1;
            if left.is_ok() {
                warp.divergence.groups[group].pc = to;
            }
            self.show(block, w, Shown { step: self.counts.steps - 1, pc, mask, active, frame: &frame })?;
            if let Err((_, left)) = left {
                self.leave_loop(block, w, (group, left), &mut 0)?;
            }
            is_team &= *next.get_or_insert(to) == to;
        }
        Ok(next.filter(|_| is_team))
    }

    /// Shows an instruction that changes which lanes run together, carried out for these lanes.
    pub(crate) fn show_control(
        &mut self,
        block: &Block,
        w: usize,
        (group, active): (&Group, u32),
    ) -> Result<(), Stop> {
        // What it changes may be another warp's: the result of a barrier, for one.
        self.observers.before.registers.clear();
        let (step, frame) = (self.counts.steps - 1, &group.frame);
        self.show(block, w, Shown { step, pc: group.pc, mask: group.mask, active, frame })
    }

    #[inline(always)]
    fn show(&mut self, block: &Block, w: usize, shown: Shown<'_>) -> Result<(), Stop> {
        let Some(watcher) = &mut self.observers.watcher else { return Ok(()) };
        let Shown { step, pc: instruction, mask, active, frame } = shown;
        let (program, global, kept) = (self.setup.program, &*self.global, &self.observers.before.registers);
        let machine = Machine { program, global, block, frame, kept, standing: None };
        let moment = Moment { step, block: block.index, warp: w as u32, mask, active, instruction, machine };
        if watcher(&moment).is_continue() { Ok(()) } else { Err(Stop::Watcher) }
    }
}

/// Where a register of the frame at `base` is.
fn place(register: Touched, base: Shape) -> (Bank, usize) {
    (register.bank, base.of(register.bank) + usize::from(register.slot))
}

/// Keeps the register with the addresses of an instruction, if that is about to overwrite it.
fn keep_address(kept: &mut Kept, program: &Program, block: &Block, (inst, base): (&Inst, Shape)) {
    kept.clear();
    let Some((address, ..)) = access_of(inst) else { return };
    let is_address = |result: &&Touched| {
        let is_in_bank = match address.base {
            Base::Wide => result.bank == Bank::Wide,
            Base::Narrow => result.bank == Bank::Narrow,
            Base::Absolute | Base::Frame => false,
        };
        is_in_bank && result.slot == inst.args.a
    };
    if let Some(overwritten) = program.writes(inst).iter().find(is_address) {
        kept.keep(&block.registers, place(*overwritten, base));
    }
}
