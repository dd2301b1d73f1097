//! Runs a launch that has a watcher, an instruction of a warp at a time, and shows each ([`super::moment`]).
//!
//! What an instruction accessed follows from the registers that it leaves, and is found out only if the watcher asks. A load
//! that overwrites its own address is the exception: its addresses are kept.

use crate::access::address::addresses_of;
use crate::compile::inst::{Inst, Pc};
use crate::compile::program::Program;
use crate::exec::moment::{Machine, Moment, access_of};
use crate::exec::state::{Run, Stop};
use crate::exec::step::{Left, place_of, write};
use crate::exec::team::{Team, leaves_team};
use crate::isa::op::memory::Base;
use crate::isa::op::{Op, Touched};
use crate::machine::block::Block;
use crate::machine::divergence::{Frame, Group, position};
use crate::machine::registers::{Bank, WARP_SIZE, Wide, lane_count};

/// An instruction that is shown: where it stands, the lanes that came to it, and for which of them it was carried out.
#[derive(Clone, Copy)]
struct Shown<'s> {
    step: u64,
    pc: Pc,
    mask: u32,
    active: u32,
    frame: &'s Frame,
    /// The addresses of its access, if it overwrites them.
    overwritten: Option<&'s Wide>,
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
        let (mut done, mut kept) = (0, [0; WARP_SIZE]);
        loop {
            let group = &block.warps[w].divergence.groups[g];
            let (pc, mask, frame) = (group.pc, group.mask, group.frame);
            if *slice == 0 || done != 0 && self.lookout.stops_at(pc, done) {
                return Ok(Left::Paused);
            }
            let inst = self.program.insts.get(pc as usize);
            let guard = |inst: &Inst| {
                let slot = frame.base.preds + usize::from(inst.guard);
                mask & (block.registers.preds.get(slot, w) ^ inst.flip)
            };
            let active = inst.map_or(0, guard);
            let is_kept = inst.is_some_and(|inst| keep(&mut kept, self.program, block, w, (inst, &frame)));
            let mut one = 1;
            let left = self.straight_on_by((block, w, g), &mut one);
            if one != 0 {
                return Ok(left);
            }
            *slice -= 1;
            done += 1;
            self.steps += 1;
            block.warps[w].steps += 1;
            if let Left::At(_) = left {
                return Ok(left);
            }
            let (step, overwritten) = (self.steps - 1, is_kept.then_some(&kept));
            self.show(block, w, Shown { step, pc, mask, active, frame: &frame, overwritten })?;
            if !matches!(left, Left::Paused) {
                return Ok(left);
            }
        }
    }

    /// Executes the next instruction of a team, warp by warp, and shows each; where the team goes, if it remains one.
    pub(crate) fn step_shown(&mut self, block: &mut Block, team: &mut Team) -> Result<Option<Pc>, Stop> {
        let (pc, frame) = (team.pc, team.frame);
        let inst = &self.program.insts[pc as usize];
        team.find_active(block, inst);
        let (mut next, mut is_team, mut kept) = (None, true, [0; WARP_SIZE]);
        for w in 0..block.warps.len() {
            let (mask, active) = (team.lanes.masks[w], team.active()[w]);
            if mask == 0 {
                continue;
            }
            let agrees = active == 0 || active == mask;
            let is_branch = matches!(inst.op, Op::Branch { .. });
            let leaves = if is_branch { !agrees } else { active != 0 && leaves_team(inst.op) };
            self.steps += 1;
            self.effort.apart += 1;
            let issued = &mut self.issued[pc as usize];
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
            let (mut to, mut left, mut is_kept) = (pc + 1, Ok(()), false);
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
                    let place = place_of(self, block, w, (self.steps - 1, 0));
                    place.tell(&mut block.registers.lanes(w, frame.base, active), inst, &frame, 1);
                }
                _ => {
                    is_kept = keep(&mut kept, self.program, block, w, (inst, &frame));
                    left = self.carry_out_seen(block, team, (w, mask, active), inst);
                }
            }
            let warp = &mut block.warps[w];
            warp.steps += 1;
            if left.is_ok() {
                warp.divergence.groups[group].pc = to;
            }
            let (step, overwritten) = (self.steps - 1, is_kept.then_some(&kept));
            self.show(block, w, Shown { step, pc, mask, active, frame: &frame, overwritten })?;
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
        let (step, frame) = (self.steps - 1, &group.frame);
        self.show(block, w, Shown { step, pc: group.pc, mask: group.mask, active, frame, overwritten: None })
    }

    #[inline(always)]
    fn show(&mut self, block: &Block, w: usize, shown: Shown<'_>) -> Result<(), Stop> {
        let Some(watcher) = &mut self.watcher else { return Ok(()) };
        let Shown { step, pc, mask, active, frame, overwritten } = shown;
        let machine = Machine { program: self.program, global: self.global, block, frame };
        let moment = Moment {
            step,
            block: block.index,
            warp: w as u32,
            mask,
            active,
            instruction: pc,
            overwritten,
            machine,
        };
        if watcher(&moment).is_continue() { Ok(()) } else { Err(Stop::Watcher) }
    }
}

/// Keeps the addresses of an instruction that is about to overwrite the register that they are in. Returns whether it
/// overwrites it.
fn keep(kept: &mut Wide, program: &Program, block: &Block, w: usize, (inst, frame): (&Inst, &Frame)) -> bool {
    let Some((address, ..)) = access_of(inst) else { return false };
    let is_address = |result: &Touched| {
        let is_in_bank = match address.base {
            Base::Wide => result.bank == Bank::Wide,
            Base::Narrow => result.bank == Bank::Narrow,
            Base::Absolute | Base::Frame => false,
        };
        is_in_bank && result.slot == inst.args.a
    };
    let is_overwritten = program.writes(inst).iter().any(is_address);
    if is_overwritten {
        *kept = addresses_of(&block.registers, w, address, inst.args.a, frame);
    }
    is_overwritten
}
