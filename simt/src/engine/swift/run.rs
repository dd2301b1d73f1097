//! The fast loop: a warp that runs together, instruction after instruction, by a [`Plan`].
//!
//! It does what [`crate::engine::step`] does to everything that anybody can see: counts, memory, what is shown to
//! checkers. What it keeps elsewhere is registers. It stops where it does not know how to go on, in front of the
//! instruction, and the plain loop takes over.

use super::arithmetic::{Span, compare, compute};
use super::plan::{How, Plan, Step};
use crate::engine::access::Memories;
use crate::engine::program::{Inst, Pc};
use crate::engine::run::Issued;
use crate::engine::step::{self, Left, Place};
use crate::isa::Op;
use crate::isa::special::Special;
use crate::machine::divergence::Frame;
use crate::machine::line::Line;
use crate::machine::registers::{FULL_MASK, Lanes};
use crate::observe::counters::Counters;

/// A warp at work.
pub(in crate::engine) struct Hand<'h, 'm> {
    /// How instructions are carried out.
    pub plan: &'h Plan,
    /// The program's instructions.
    pub insts: &'h [Inst],
    /// What the warp can reach.
    pub memories: Memories<'m>,
    /// Its columns, and who is active.
    pub lanes: Lanes<'h>,
    /// Its lines.
    pub lines: &'h mut [Line],
    /// What its special registers are made of.
    pub place: Place,
    /// The kernel's frame.
    pub frame: Frame,
    /// How often each instruction was issued.
    pub issued: &'h mut [Issued],
    /// What each cost in memory.
    pub traffic: &'h mut [Counters],
    /// Instructions that the warp may still issue in its turn.
    pub slice: u32,
    /// What it was at first.
    pub before: u32,
    /// Whether a branch parted the lanes.
    pub parted: bool,
}

/// Where the loop stopped, and why.
pub(in crate::engine) struct Stopped {
    /// In front of this instruction.
    pub pc: Pc,
    /// Why.
    pub left: Left,
    /// The regions it is in, the innermost first.
    pub regions: Vec<Skipped>,
}

/// A region that some lanes skip.
#[derive(Clone, Copy, Debug)]
pub struct Skipped {
    /// The branch by which they do.
    pub branch: Pc,
    /// Where they wait.
    pub end: Pc,
    /// Who they are.
    pub lanes: u32,
}

/// A stop outside of every region.
fn stop(pc: Pc, left: Left) -> Stopped {
    Stopped { pc, left, regions: Vec::new() }
}

impl Hand<'_, '_> {
    /// Runs the lanes of `mask` from `pc` to `end`, where others wait for them.
    pub fn run(&mut self, mut pc: Pc, end: Pc, mask: u32) -> Result<(), Stopped> {
        let plan = self.plan;
        while pc != end {
            if self.slice == 0 {
                return Err(stop(pc, Left::Paused));
            }
            let step = &plan.steps[(pc - plan.start) as usize];
            let active = mask & (self.lanes.preds[step.guard as usize] ^ step.flip);
            if let How::Branch(target) = step.how {
                pc = self.branch((pc, target), mask, active)?;
                continue;
            }
            if let How::Control = step.how
                && active != 0
            {
                self.count(pc, active);
                return Err(stop(pc, Left::At(active)));
            }
            if let How::Region(target) = step.how {
                pc = self.region((pc, target), mask, active)?;
                continue;
            }
            self.count(pc, active);
            if active != 0
                && let Err(left) = self.carry_out(step, pc, active)
            {
                return Err(self.stopped(pc, active, left));
            }
            pc += 1;
        }
        Ok(())
    }

    /// Stops in front of an instruction that has been counted; who does not know how to carry it out takes that back.
    #[cold]
    fn stopped(&mut self, pc: Pc, active: u32, left: Left) -> Stopped {
        if matches!(left, Left::Lost) {
            let issued = &mut self.issued[pc as usize];
            issued.count -= 1;
            issued.lanes -= step::count(active);
            self.slice += 1;
        }
        stop(pc, left)
    }

    /// Counts an instruction that some lanes issue.
    #[inline(always)]
    fn count(&mut self, pc: Pc, active: u32) {
        self.slice -= 1;
        let issued = &mut self.issued[pc as usize];
        issued.count += 1;
        issued.lanes += step::count(active);
    }

    /// A branch that all lanes take, or none.
    fn branch(&mut self, (pc, target): (Pc, Pc), mask: u32, active: u32) -> Result<Pc, Stopped> {
        if active != 0 && active != mask {
            self.count(pc, active);
            return Err(stop(pc, Left::At(active)));
        }
        // Whoever evaluates a branch is active at it, whichever way it goes.
        self.count(pc, mask);
        Ok(if active == 0 { pc + 1 } else { target })
    }

    /// A branch by which lanes skip a region, which the others carry out before all go on together.
    fn region(&mut self, (pc, target): (Pc, Pc), mask: u32, active: u32) -> Result<Pc, Stopped> {
        let staying = mask & !active;
        if active == 0 || staying == 0 {
            return self.branch((pc, target), mask, active);
        }
        // Who comes to the end of the slice inside parts from the others for good.
        if self.slice <= target - pc {
            return self.branch((pc, target), mask, active);
        }
        self.count(pc, mask);
        self.issued[pc as usize].parted += 1;
        self.parted = true;
        self.runs(staying);
        if let Err(mut stopped) = self.run(pc + 1, target, staying) {
            stopped.regions.push(Skipped { branch: pc, end: target, lanes: active });
            return Err(stopped);
        }
        self.runs(mask);
        Ok(target)
    }

    /// Tells who watches that lanes run together.
    fn runs(&mut self, mask: u32) {
        if let Some(watch) = self.memories.watch.as_deref_mut() {
            watch.run(self.place.slot, self.place.warp as usize, mask);
        }
    }

    /// Carries out an instruction for the lanes of `active`, which are some.
    #[inline(always)]
    fn carry_out(&mut self, step: &Step, pc: Pc, active: u32) -> Result<(), Left> {
        match step.how {
            How::Column => {
                let inst = &self.insts[pc as usize];
                let Op::Alu(run) = inst.op else { return Err(Left::Lost) };
                self.lanes.mask = if step.is_free { FULL_MASK } else { active };
                run(&mut self.lanes, &inst.args);
            }
            How::Once(scalar) => {
                let value = scalar(&self.sources(step, active));
                self.set(step, Line::uniform(value));
            }
            How::Test(scalar) => {
                let holds = scalar(&self.sources(step, active)) != 0;
                self.set_predicate(pc, active, if holds { FULL_MASK } else { 0 });
            }
            How::Linear(linear) => {
                let sources = [0, 1, 2].map(|source| self.lines[step.from[source] as usize]);
                let result = compute(linear, sources, step.wide, Span::of(active)).ok_or(Left::Lost)?;
                self.set(step, result);
            }
            How::Compare(linear) => {
                let [a, b] = [0, 1].map(|source| self.lines[step.from[source] as usize]);
                let holds = compare(linear, a, b, step.wide, Span::of(active)).ok_or(Left::Lost)?;
                self.set_predicate(pc, active, holds);
            }
            How::Special => self.special(step, pc),
            How::FrameAddress => {
                let Op::FrameAddress { offset, .. } = self.insts[pc as usize].op else {
                    return Err(Left::Lost);
                };
                let address = self.frame.local.wrapping_add_signed(i64::from(offset));
                self.set(
                    step,
                    if step.wide { Line::uniform(address) } else { Line::uniform(address).narrow() },
                );
            }
            How::LoadOne | How::Load | How::Store | How::Touch => return self.touch(step, pc, active),
            How::Fence => {
                if let (Op::Fence(fence), Some(watch)) =
                    (&self.insts[pc as usize].op, &mut self.memories.watch)
                {
                    watch.fence(active, *fence);
                }
            }
            How::Tell => {
                let since = u64::from(self.before - self.slice);
                self.lanes.mask = active;
                self.place.tell(&mut self.lanes, &self.insts[pc as usize], &self.frame, since);
            }
            How::Nothing => {}
            How::Branch(_) | How::Region(_) | How::Control => {
                unreachable!("the loop keeps what changes its way")
            }
        }
        Ok(())
    }

    /// The sources of an instruction whose registers are the same in all active lanes.
    #[inline(always)]
    fn sources(&self, step: &Step, active: u32) -> [u64; 4] {
        let mut values = step.from.map(|line| self.lines.get(line as usize).map_or(0, |line| line.base));
        if step.predicates != 0 {
            for (source, value) in values.iter_mut().enumerate() {
                if step.predicates >> source & 1 != 0 {
                    *value = u64::from(self.lanes.preds[step.from[source] as usize] & active != 0);
                }
            }
        }
        values
    }

    /// Writes a line, and its column where somebody wants that.
    #[inline(always)]
    pub(super) fn set(&mut self, step: &Step, line: Line) {
        self.lines[step.to as usize] = line;
        if let Some(slot) = step.column {
            if step.wide {
                line.write_wide(&mut self.lanes.wide[slot as usize]);
            } else {
                line.write_narrow(&mut self.lanes.narrow[slot as usize]);
            }
        }
    }

    #[inline(always)]
    fn set_predicate(&mut self, pc: Pc, active: u32, holds: u32) {
        self.lanes.mask = active;
        self.lanes.write_pred(self.insts[pc as usize].args.d, holds);
    }

    /// Reads a special register that is a line.
    fn special(&mut self, step: &Step, pc: Pc) {
        let Op::Special { what, .. } = self.insts[pc as usize].op else { return };
        let since = u64::from(self.before - self.slice);
        let line = match what {
            Special::Tid(axis) => self.place.tid(axis),
            Special::LaneId => Line { base: 0, stride: 1 },
            uniform => Line::uniform(self.place.uniform(uniform, since)),
        };
        self.set(step, if step.wide { line } else { line.narrow() });
    }
}
