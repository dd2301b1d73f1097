//! The fast loop: a warp that runs together, instruction after instruction, by a [`Plan`].
//!
//! It does what [`crate::exec::step`] does to everything that anybody can see: counts, memory, what is shown to
//! checkers. What it keeps elsewhere is registers. It stops where it does not know how to go on, in front of the
//! instruction, and the plain loop takes over.

use crate::compile::affine::{Span, compare, logic};
use crate::compile::inst::{Inst, Pc};
use crate::compile::plan::{How, Plan, Step};
use crate::exec::memory::Memories;
use crate::exec::state::Issued;
use crate::exec::step::{self, Left, Place};
use crate::isa::op::Op;
use crate::isa::special::Special;
use crate::machine::divergence::Frame;
use crate::machine::line::{Line, Lines};
use crate::machine::registers::{FULL_MASK, Lanes};
use crate::report::counters::Counters;

/// A warp at work.
pub(crate) struct Hand<'h, 'm> {
    /// How instructions are carried out.
    pub plan: &'h Plan,
    /// The program's instructions.
    pub insts: &'h [Inst],
    /// What the warp can reach.
    pub memories: Memories<'m>,
    /// Its columns, and who is active.
    pub lanes: Lanes<'h>,
    /// Its lines.
    pub lines: &'h mut Lines,
    /// What its special registers are made of.
    pub place: Place<'h>,
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
    /// The end of the stretch of instructions that is being carried out, all of which the slice has paid for.
    pub ends: Pc,
    /// Whether a branch parted the lanes.
    pub parted: bool,
    /// Why the loop stopped.
    pub left: Left,
    /// The regions in which it did, the innermost first.
    pub regions: Vec<Skipped>,
}

/// The lanes that carry out an instruction, with what is asked of them again and again.
#[derive(Clone, Copy, Debug)]
pub struct Active {
    /// Who they are.
    pub mask: u32,
    /// How many.
    pub count: u64,
    /// From the lowest to the highest; of no lane it says nothing.
    pub span: Span,
}

impl Active {
    #[inline(always)]
    fn new(mask: u32) -> Active {
        Active { mask, count: step::count(mask), span: Span::of(mask) }
    }
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

/// The loop stopped in front of this instruction, for the reason that [`Hand::left`] has.
#[derive(Clone, Copy, Debug)]
pub struct Stopped(pub Pc);

impl Hand<'_, '_> {
    /// Runs the lanes of `mask` from `pc` to `end`, where others wait for them.
    pub fn run(&mut self, mut pc: Pc, end: Pc, mask: u32) -> Result<(), Stopped> {
        let plan = self.plan;
        let all = Active::new(mask);
        while pc != end {
            if self.slice == 0 {
                return Err(self.stop(pc, Left::Paused));
            }
            let first = (pc - plan.start) as usize;
            let step = &plan.steps[first];
            if step.straight != 0 {
                let length = step.straight.min(self.slice).min(end - pc);
                pc = self.stretch(&plan.steps[first..first + length as usize], pc, all)?;
                continue;
            }
            let active = mask & (self.lanes.preds[step.guard as usize] ^ step.flip);
            if step.is(Step::BRANCH)
                && let How::Branch(target) = step.how
            {
                pc = self.branch((pc, target), all, active)?;
                continue;
            }
            if step.is(Step::REGION)
                && let How::Region(target) = step.how
            {
                pc = self.region((pc, target), all, active)?;
                continue;
            }
            let active = if active == mask { all } else { Active::new(active) };
            if active.mask == 0 {
                self.count(pc, active);
                pc += 1;
            } else if let How::Meet(number) = step.how {
                self.count(pc, active);
                return Err(self.stop(pc, Left::Meets(number)));
            } else if let How::Control = step.how {
                self.count(pc, active);
                return Err(self.stop(pc, Left::At(active.mask)));
            } else {
                pc = self.stretch(std::slice::from_ref(step), pc, active)?;
            }
        }
        Ok(())
    }

    /// Carries out instructions that follow each other whatever happens, for the same lanes, and counts them all at once.
    #[inline(always)]
    fn stretch(&mut self, steps: &[Step], first: Pc, active: Active) -> Result<Pc, Stopped> {
        let end = first + steps.len() as u32;
        self.slice -= steps.len() as u32;
        self.ends = end;
        for (pc, step) in (first..).zip(steps) {
            if let Err(left) = self.carry_out(step, pc, active) {
                return Err(self.break_off((first, pc, end), active, left));
            }
        }
        self.count_stretch(first, end, active);
        Ok(end)
    }

    /// Counts some of a stretch, and gives the rest of the slice back: where it was not known how to carry out the
    /// instruction at `pc` this is one of the rest.
    #[cold]
    fn break_off(&mut self, (first, pc, end): (Pc, Pc, Pc), active: Active, left: Left) -> Stopped {
        let done = if matches!(left, Left::Lost) { pc } else { pc + 1 };
        self.slice += end - done;
        self.count_stretch(first, done, active);
        self.stop(pc, left)
    }

    #[inline(always)]
    fn stop(&mut self, pc: Pc, left: Left) -> Stopped {
        self.left = left;
        Stopped(pc)
    }

    #[inline(always)]
    fn count_stretch(&mut self, first: Pc, end: Pc, active: Active) {
        self.issued[first as usize].begin(1, active.count);
        self.issued[end as usize].end(1, active.count);
    }

    /// Instructions that the warp has issued in this turn, up to the one at `pc`, which is being carried out.
    pub(crate) fn since(&self, pc: Pc) -> u64 {
        u64::from(self.before - self.slice - (self.ends - pc - 1))
    }

    /// Counts an instruction that some lanes issue.
    #[inline(always)]
    fn count(&mut self, pc: Pc, active: Active) {
        self.slice -= 1;
        let issued = &mut self.issued[pc as usize];
        issued.count += 1;
        issued.lanes += active.count;
    }

    /// A branch that all lanes take, or none.
    #[inline(always)]
    fn branch(&mut self, (pc, target): (Pc, Pc), all: Active, active: u32) -> Result<Pc, Stopped> {
        if active != 0 && active != all.mask {
            self.count(pc, Active::new(active));
            return Err(self.stop(pc, Left::At(active)));
        }
        // Whoever evaluates a branch is active at it, whichever way it goes.
        self.count(pc, all);
        Ok(if active == 0 { pc + 1 } else { target })
    }

    /// A branch by which lanes skip a region, which the others carry out before all go on together.
    #[inline(always)]
    fn region(&mut self, (pc, target): (Pc, Pc), all: Active, active: u32) -> Result<Pc, Stopped> {
        let staying = all.mask & !active;
        // Who comes to the end of the slice inside parts from the others for good.
        if active == 0 || staying == 0 || self.slice <= target - pc {
            return self.branch((pc, target), all, active);
        }
        self.count(pc, all);
        self.issued[pc as usize].parted += 1;
        self.parted = true;
        self.runs(staying);
        if let Err(stopped) = self.run(pc + 1, target, staying) {
            self.regions.push(Skipped { branch: pc, end: target, lanes: active });
            return Err(stopped);
        }
        self.runs(all.mask);
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
    fn carry_out(&mut self, step: &Step, pc: Pc, active: Active) -> Result<(), Left> {
        let Active { mask, span, .. } = active;
        if step.is(Step::LINEAR)
            && let How::Linear(formula) = &step.how
        {
            let [x, y, z, _] = step.from;
            let sources = [self.lines[x as usize], self.lines[y as usize], self.lines[z as usize]];
            self.set(step, formula.compute(sources, span).ok_or(Left::Lost)?);
        } else if step.is(Step::MEMORY) {
            return self.touch(step, pc, active);
        } else if step.is(Step::COMPARE)
            && let How::Compare(linear) = step.how
        {
            let (a, b) = (self.lines[step.from[0] as usize], self.lines[step.from[1] as usize]);
            let holds = compare(linear, a, b, step.wide, span).ok_or(Left::Lost)?;
            self.set_predicate(pc, mask, holds);
        } else if step.is(Step::COLUMN) {
            let inst = &self.insts[pc as usize];
            let Op::Alu(run) = inst.op else { return Err(Left::Lost) };
            self.lanes.mask = if step.is_free { FULL_MASK } else { mask };
            run(&mut self.lanes, &inst.args);
        } else if step.is(Step::LOGIC)
            && let How::Logic(table) = step.how
        {
            let (a, b) = (self.lanes.preds[step.preds[0] as usize], self.lanes.preds[step.preds[1] as usize]);
            self.set_predicate(pc, mask, logic(table, a, b));
        } else {
            self.carry_out_rare(step, pc, mask)?;
        }
        Ok(())
    }

    /// Carries out an instruction of the less frequent kinds.
    fn carry_out_rare(&mut self, step: &Step, pc: Pc, mask: u32) -> Result<(), Left> {
        match step.how {
            How::Once(scalar) => {
                let value = scalar(&self.sources(step, mask));
                self.set(step, Line::uniform(value));
            }
            How::Test(scalar) => {
                let holds = scalar(&self.sources(step, mask)) != 0;
                self.set_predicate(pc, mask, if holds { FULL_MASK } else { 0 });
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
            How::Fence => {
                if let (Op::Fence(fence), Some(watch)) =
                    (&self.insts[pc as usize].op, &mut self.memories.watch)
                {
                    watch.fence(mask, *fence);
                }
            }
            How::Tell => {
                let since = self.since(pc);
                self.lanes.mask = mask;
                self.place.tell(&mut self.lanes, &self.insts[pc as usize], &self.frame, since);
            }
            How::Nothing => {}
            _ => unreachable!("the loop keeps what changes its way, and what is frequent"),
        }
        Ok(())
    }

    /// The sources of an instruction whose registers are the same in all active lanes.
    #[inline(always)]
    fn sources(&self, step: &Step, active: u32) -> [u64; 4] {
        // Not `map`, which is a call here.
        let value = |source: usize| self.lines[step.from[source] as usize].base;
        let mut values = [value(0), value(1), value(2), value(3)];
        if step.predicates != 0 {
            for (source, value) in values.iter_mut().enumerate() {
                if step.predicates >> source & 1 != 0 {
                    *value = u64::from(self.lanes.preds[step.preds[source] as usize] & active != 0);
                }
            }
        }
        values
    }

    /// Writes a line, and its column where somebody wants that.
    #[inline(always)]
    pub(crate) fn set(&mut self, step: &Step, line: Line) {
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
        let since = self.since(pc);
        let line = match what {
            Special::Tid(axis) => self.place.tid(axis),
            Special::LaneId => Line { base: 0, stride: 1 },
            uniform => Line::uniform(self.place.uniform(uniform, since)),
        };
        self.set(step, if step.wide { line } else { line.narrow() });
    }
}
