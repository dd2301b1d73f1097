//! The loop over instructions: what [`crate::exec::warp::run`] does for a warp, for all warps of a group.

use crate::compile::affine::{Affine, logic, turning_point};
use crate::compile::inst::Pc;
use crate::compile::plan::{How, Step};
use crate::exec::block::plane::{self, Holds, Plane};
use crate::exec::block::{Group, Lockstep, MAX_WARPS, Masks, NOBODY, Team};
use crate::exec::livelock::FIRST_PATIENCE;
use crate::exec::state::Stop;
use crate::isa::op::Op;
use crate::isa::special::{Axis, Special};
use crate::isa::value::{Linear, Scalar};
use crate::machine::line::Line;
use crate::machine::registers::{FULL_MASK, WARP_SIZE, lanes_of};

impl Lockstep<'_, '_> {
    /// Runs a group until it waits at a barrier, or all of it have ended.
    pub(crate) fn group(&mut self, mut group: Group) -> Result<(), Stop> {
        std::mem::swap(&mut self.planes, &mut group.planes);
        let plan = self.plan;
        let (mut pc, mut team) = (group.pc, group.team);
        loop {
            let Some(step) = plan.steps.get(pc.wrapping_sub(plan.start) as usize) else {
                return Err(Stop::NotInLockStep);
            };
            if step.straight != 0 {
                pc = self.stretch((pc, step.straight), &team)?;
                continue;
            }
            match step.how {
                How::Meet(number) => {
                    self.check_time()?;
                    self.count(pc, &team, team.threads);
                    std::mem::swap(&mut self.planes, &mut group.planes);
                    self.waiting.push((number, Group { pc, team, ..group }));
                    return Ok(());
                }
                How::Region(target) => {
                    self.region((pc, target), step, &team)?;
                    pc = target;
                }
                How::Branch(target) => {
                    self.check_time()?;
                    let Some((next, rest)) = self.branch((pc, target), step, &team)? else { break };
                    (pc, team) = (next, rest);
                }
                How::Control => {
                    let active = self.active(step, &team);
                    let Some(rest) = self.control(pc, team, &active)? else { break };
                    (pc, team) = (pc + 1, rest);
                }
                _ => {
                    let active = self.active(step, &team);
                    self.guarded((pc, step), &team, active)?;
                    pc += 1;
                }
            }
        }
        self.spare.push(group.planes);
        Ok(())
    }

    /// The lanes of a team that the guard of an instruction lets through.
    fn active(&self, step: &Step, team: &Team) -> Masks {
        let mut active = NOBODY;
        for (warp, mask) in team.each() {
            let guard = self.registers.preds[warp * self.shape.preds + usize::from(step.guard)];
            active[warp] = mask & (guard ^ step.flip);
        }
        active
    }

    /// Counts an instruction that all warps of a team issue, and so many of their threads.
    fn count(&mut self, pc: Pc, team: &Team, threads: u64) {
        self.run.steps += team.count();
        self.issued += 1;
        let issued = &mut self.run.issued[pc as usize];
        issued.count += team.count();
        issued.lanes += threads;
    }

    /// Carries out instructions that follow each other whatever happens; returns what comes next.
    fn stretch(&mut self, (first, length): (Pc, u32), team: &Team) -> Result<Pc, Stop> {
        let plan = self.plan;
        let end = first + length;
        let start = (first - plan.start) as usize;
        for (pc, step) in (first..end).zip(&plan.steps[start..]) {
            self.carry_out(step, pc, team)?;
        }
        self.run.steps += u64::from(length) * team.count();
        self.issued += u64::from(length);
        self.run.issued[first as usize].begin(team.count(), team.threads);
        self.run.issued[end as usize].end(team.count(), team.threads);
        Ok(end)
    }

    /// Carries out an instruction for the threads that its guard lets through.
    fn guarded(&mut self, (pc, step): (Pc, &Step), team: &Team, active: Masks) -> Result<(), Stop> {
        let active = Team::new(active);
        self.count(pc, team, active.map_or(0, |active| active.threads));
        match active {
            Some(active) => self.carry_out(step, pc, &active),
            None => Ok(()),
        }
    }

    /// A branch that some threads skip a region by; the others carry it out before all go on together.
    fn region(&mut self, (pc, target): (Pc, Pc), step: &Step, team: &Team) -> Result<(), Stop> {
        self.count(pc, team, team.threads);
        let active = self.active(step, team);
        let mut staying = NOBODY;
        for (warp, mask) in team.each() {
            staying[warp] = mask & !active[warp];
            if active[warp] != 0 && staying[warp] != 0 {
                self.part(pc, warp);
            }
        }
        self.come_to(pc + 1, target, staying)
    }

    /// Notes that the lanes of a warp parted at a branch.
    fn part(&mut self, pc: Pc, warp: usize) {
        self.run.issued[pc as usize].parted += 1;
        self.diverged |= 1 << warp;
    }

    /// A branch: where to go on, and with whom; the others are a group of their own from here on. `None` if nobody is left.
    fn branch(
        &mut self,
        (pc, target): (Pc, Pc),
        step: &Step,
        team: &Team,
    ) -> Result<Option<(Pc, Team)>, Stop> {
        let (mut taken, mut passed, parted) = self.sides(pc, step, team);
        if taken == NOBODY || passed == NOBODY {
            return Ok(Some((if taken == NOBODY { pc + 1 } else { target }, *team)));
        }
        if parted != 0 {
            if let Some(meet) = self.waits_at(pc, target) {
                let (from, going) = if meet == target { (pc + 1, passed) } else { (target, taken) };
                self.run_parted(from, meet, going)?;
                return Ok(Some((meet, *team)));
            }
            // Lanes that a branch sends straight to the end of the kernel end at it, if others of their warp go on.
            self.some_ended = true;
            let ending = match (self.run.is_end(target), self.run.is_end(pc + 1)) {
                (true, _) => &mut taken,
                (_, true) => &mut passed,
                _ => return Err(Stop::NotInLockStep),
            };
            lanes_of(parted).for_each(|warp| ending[warp] = 0);
        }
        let (taken, passed) = (Team::new(taken), Team::new(passed));
        if let (Some(team), Some(_)) = (taken, passed) {
            let planes = self.copy_of_planes();
            self.ready.push(Group { pc: target, team, planes });
        }
        Ok(passed.map(|team| (pc + 1, team)).or(taken.map(|team| (target, team))))
    }

    /// The threads that take a branch, those that do not, and the warps that have both.
    fn sides(&mut self, pc: Pc, step: &Step, team: &Team) -> (Masks, Masks, u32) {
        // Whoever evaluates a branch is active at it, whichever way it goes.
        self.count(pc, team, team.threads);
        let taken = self.active(step, team);
        let (mut passed, mut parted) = (NOBODY, 0);
        for (warp, mask) in team.each() {
            passed[warp] = mask & !taken[warp];
            if taken[warp] != 0 && passed[warp] != 0 {
                self.part(pc, warp);
                parted |= 1 << warp;
            }
        }
        (taken, passed, parted)
    }

    /// Where lanes that part at a branch meet again, if one side has nothing to do but to wait there.
    fn waits_at(&self, pc: Pc, target: Pc) -> Option<Pc> {
        let Op::Branch { meet, .. } = self.run.program.insts[pc as usize].op else { return None };
        let is_end = self.run.is_end(target) || self.run.is_end(pc + 1);
        (meet == target || meet == pc + 1).then_some(meet).filter(|_| !is_end)
    }

    /// Runs threads until all of them have come to where others of their warps wait: the rounds of a loop that some lanes
    /// have left. What is computed for all lanes on the way must not matter any more where they meet.
    fn run_parted(&mut self, pc: Pc, meet: Pc, threads: Masks) -> Result<(), Stop> {
        let before = self.copy_of_planes();
        let outer = self.parted_since;
        // Who waits for longest is who waits outermost.
        self.parted_since = outer.or(Some(self.issued));
        let outcome = self.come_to(pc, meet, threads);
        self.parted_since = outer;
        let kept = self.plan.kept.iter().zip(before.iter().zip(self.planes.iter()));
        let mut changed = kept.filter(|(_, (before, after))| before != after);
        let matters = changed.any(|(kept, _)| self.plan.live.at(meet, kept.register));
        self.spare.push(before);
        if matters { Err(Stop::NotInLockStep) } else { outcome }
    }

    /// Runs threads until all of them have come to an instruction where others wait.
    fn come_to(&mut self, mut pc: Pc, meet: Pc, threads: Masks) -> Result<(), Stop> {
        let plan = self.plan;
        let mut team = Team::new(threads);
        while let Some(all) = team.filter(|_| pc != meet) {
            let Some(step) = plan.steps.get(pc.wrapping_sub(plan.start) as usize) else {
                return Err(Stop::NotInLockStep);
            };
            let length = if meet > pc { step.straight.min(meet - pc) } else { step.straight };
            // Who waits for longer may be let go on without them.
            if self.parted_since.is_some_and(|since| self.issued - since > FIRST_PATIENCE) {
                return Err(Stop::NotInLockStep);
            }
            match step.how {
                _ if step.straight != 0 => pc = self.stretch((pc, length), &all)?,
                How::Region(target) => {
                    self.region((pc, target), step, &all)?;
                    pc = target;
                }
                How::Branch(target) => {
                    let (taken, passed, _) = self.sides(pc, step, &all);
                    (team, pc) = match (target == meet, pc + 1 == meet) {
                        _ if passed == NOBODY => (team, target),
                        _ if taken == NOBODY => (team, pc + 1),
                        // From here on some of them wait, too.
                        (true, _) => (Team::new(passed), pc + 1),
                        (_, true) => (Team::new(taken), target),
                        _ => {
                            let inner = self.waits_at(pc, target).ok_or(Stop::NotInLockStep)?;
                            let (from, going) =
                                if inner == target { (pc + 1, passed) } else { (target, taken) };
                            self.run_parted(from, inner, going)?;
                            (team, inner)
                        }
                    };
                }
                How::Meet(_) | How::Control => return Err(Stop::NotInLockStep),
                _ => {
                    let active = self.active(step, &all);
                    self.guarded((pc, step), &all, active)?;
                    pc += 1;
                }
            }
        }
        Ok(())
    }

    /// Carries out what changes who runs, or asks others, for the threads that its guard lets through; who goes on.
    fn control(&mut self, pc: Pc, team: Team, active: &Masks) -> Result<Option<Team>, Stop> {
        self.count(pc, &team, active.iter().map(|mask| u64::from(mask.count_ones())).sum());
        match self.run.program.insts[pc as usize].op {
            Op::Return | Op::Exit => {
                self.some_ended |= active.iter().any(|&mask| mask != 0);
                Ok(Team::new(std::array::from_fn(|warp| team.masks[warp] & !active[warp])))
            }
            Op::Collective(collective)
                if team.each().all(|(warp, mask)| [0, mask].contains(&active[warp])) =>
            {
                if let Some(active) = Team::new(*active) {
                    self.collective(pc, collective, &active)?;
                }
                Ok(Some(team))
            }
            _ => Err(Stop::NotInLockStep),
        }
    }

    /// Carries out an instruction for the threads of a team.
    #[inline(always)]
    fn carry_out(&mut self, step: &Step, pc: Pc, team: &Team) -> Result<(), Stop> {
        if step.is(Step::LINEAR)
            && let How::Linear(formula) = &step.how
        {
            let [x, y, z, _] = step.from;
            let sources = [self.planes[x as usize], self.planes[y as usize], self.planes[z as usize]];
            let plane = formula.compute(sources, team.extent).ok_or(Stop::NotInLockStep)?;
            self.set(step, plane, team);
        } else if step.is(Step::MEMORY) {
            return self.touch(step, pc, team);
        } else if step.is(Step::COMPARE)
            && let How::Compare(linear) = step.how
        {
            self.compare(step, pc, linear, team)?;
        } else if step.is(Step::COLUMN) {
            let inst = &self.run.program.insts[pc as usize];
            let Op::Alu(run) = inst.op else { return Err(Stop::NotInLockStep) };
            for (warp, mask) in team.each() {
                let mask = if step.is_free && self.parted_since.is_none() { FULL_MASK } else { mask };
                let mut lanes = self.registers.lanes(self.base(warp), mask);
                run(&mut lanes, &inst.args);
            }
        } else if step.is(Step::LOGIC)
            && let How::Logic(table) = step.how
        {
            let [a, b, ..] = step.preds.map(usize::from);
            self.set_predicate(pc, team, |preds, _| logic(table, preds[a], preds[b]));
        } else {
            self.carry_out_rare(step, pc, team)?;
        }
        Ok(())
    }

    fn carry_out_rare(&mut self, step: &Step, pc: Pc, team: &Team) -> Result<(), Stop> {
        match step.how {
            How::Once(scalar) => {
                let plane = self.once(step, scalar, team).ok_or(Stop::NotInLockStep)?;
                self.set(step, plane, team);
            }
            How::Test(scalar) => {
                let values = self.values(step, scalar, team);
                self.set_predicate(pc, team, |_, warp| if values[warp] != 0 { FULL_MASK } else { 0 });
            }
            How::Special => self.special(step, pc, team),
            How::Tell => {
                let inst = &self.run.program.insts[pc as usize];
                for (warp, mask) in team.each() {
                    self.place.warp = warp as u32;
                    let mut lanes = self.registers.lanes(self.base(warp), mask);
                    self.place.tell(&mut lanes, inst, &self.frame, 0);
                }
            }
            How::Fence | How::Nothing => {}
            _ => return Err(Stop::NotInLockStep),
        }
        Ok(())
    }

    /// The results of an instruction whose sources are the same in all active lanes of a warp, by warp.
    fn values(&self, step: &Step, scalar: Scalar, team: &Team) -> [u64; MAX_WARPS] {
        let mut values = [0; MAX_WARPS];
        for (warp, mask) in team.each() {
            let preds = &self.registers.preds[warp * self.shape.preds..];
            let source = |source: usize| match step.predicates >> source & 1 {
                0 => self.planes[usize::from(step.from[source])].of(warp as u32).base,
                _ => u64::from(preds[usize::from(step.preds[source])] & mask != 0),
            };
            values[warp] = scalar(&std::array::from_fn(source));
        }
        values
    }

    /// The result of such an instruction as a plane.
    fn once(&self, step: &Step, scalar: Scalar, team: &Team) -> Option<Plane> {
        let planes = step.from.map(|from| self.planes[usize::from(from)]);
        if step.predicates == 0 && planes.iter().all(|plane| plane.hop == 0) {
            return Some(Plane::uniform(scalar(&planes.map(|plane| plane.line.base))));
        }
        let values = self.values(step, scalar, team);
        through(&values, team)
    }

    fn compare(&mut self, step: &Step, pc: Pc, linear: Linear, team: &Team) -> Result<(), Stop> {
        let [a, b, ..] = step.from.map(|from| self.planes[usize::from(from)]);
        let holds = plane::compare(linear, a, b, step.wide, team.extent).ok_or(Stop::NotInLockStep)?;
        let Linear::Compare { less, equal, greater, .. } = linear else { return Err(Stop::NotInLockStep) };
        match holds {
            Holds::Everywhere(holds) => {
                self.set_predicate(pc, team, |_, _| if holds { FULL_MASK } else { 0 });
            }
            Holds::By { first, step, hop } => {
                let extent = team.extent;
                let across = step * i64::from(extent.span.high - extent.span.low);
                self.set_predicate(pc, team, |_, warp| {
                    let first = first + hop * (warp as i64 - i64::from(extent.first));
                    let last = first + across;
                    if first < 0 && last < 0 || first > 0 && last > 0 {
                        return if first < 0 && less || first > 0 && greater { FULL_MASK } else { 0 };
                    }
                    turning_point((first, step), (less, equal, greater), extent.span)
                });
            }
        }
        Ok(())
    }

    /// Reads a special register that is a line in each warp.
    fn special(&mut self, step: &Step, pc: Pc, team: &Team) {
        let Op::Special { what, .. } = self.run.program.insts[pc as usize].op else { return };
        let plane = match what {
            Special::Tid(Axis::X) => Plane { line: Line { base: 0, stride: 1 }, hop: WARP_SIZE as u64 },
            Special::Tid(_) => Plane::uniform(0),
            Special::LaneId => Plane { line: Line { base: 0, stride: 1 }, hop: 0 },
            Special::WarpId => Plane { line: Line::default(), hop: 1 },
            uniform => Plane::uniform(self.place.uniform(uniform, 0)),
        };
        self.set(step, if step.wide { plane } else { plane.narrow() }, team);
    }

    /// Writes a plane, and its columns where somebody wants them.
    #[inline(always)]
    pub(crate) fn set(&mut self, step: &Step, plane: Plane, team: &Team) {
        self.planes[usize::from(step.to)] = plane;
        let Some(slot) = step.column else { return };
        for (warp, _) in team.each() {
            let (base, line) = (self.base(warp), plane.of(warp as u32));
            if step.wide {
                line.write_wide(&mut self.registers.wide[base.wide + usize::from(slot)]);
            } else {
                line.write_narrow(&mut self.registers.narrow[base.narrow + usize::from(slot)]);
            }
        }
    }

    /// Writes a predicate for the threads of a team, from the predicates of their warp and its number.
    #[inline(always)]
    fn set_predicate(&mut self, pc: Pc, team: &Team, holds: impl Fn(&[u32], usize) -> u32) {
        let to = usize::from(self.run.program.insts[pc as usize].args.d);
        for (warp, mask) in team.each() {
            let preds = &mut self.registers.preds[warp * self.shape.preds..];
            preds[to] = preds[to] & !mask | holds(preds, warp) & mask;
        }
    }
}

/// The plane through the values of a team's warps, which must be all from the first to the last.
pub(crate) fn through(values: &[u64; MAX_WARPS], team: &Team) -> Option<Plane> {
    let (first, last) = (team.extent.first, team.extent.last);
    let are_all = last - first + 1 == team.warps.count_ones();
    Plane::through(&values[first as usize..=last as usize], first).filter(|_| are_all)
}
