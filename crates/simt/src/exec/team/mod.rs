//! The default schedule at work: lanes that stand at the same instruction execute it together, in all warps of a block.
//!
//! A *team* is the groups of lanes that stand at the lowest program counter at which lanes of the block can run
//! ([`crate::schedule::round_robin`] says why it is these). The team executes an instruction for one warp after another and
//! then goes on to the next, for as long as it stays the lowest and no other lanes come to the same place. So an instruction
//! is looked up once for the block, arithmetic is one loop over the registers of all warps, and what the registers of all
//! warps have in common is computed once ([`crate::machine::registers`]).
//!
//! Most of what a kernel computes is the same for all threads of a block, or increases by the same amount from lane to lane and
//! from warp to warp: parameters, sizes, indices, addresses ([`crate::machine::affine`]). Such a result is computed once for the
//! block ([`compute`]), and a load or store at such addresses is carried out for all warps at once: as one range of bytes if the
//! elements are neighbours ([`stretch`]), otherwise row by row in the piece of memory that contains all of them ([`piece`]).
//!
//! Lanes that disagree about a branch go on the team's own reconvergence stack ([`stack`]), so the groups of the warps do not change.
//! The stack is written back before anything else may look at them, and at the end of the turn. In the next turn, lanes that
//! diverge again go on the stack as well, if others of their warp already wait where their branch reconverges.
//!
//! What is neither arithmetic nor one of the simple cases ([`control`], [`stretch`], [`piece`]) is executed warp by warp, by the
//! functions that execute it for a single group ([`crate::exec::step`]). With the test hook `plain`, arithmetic is executed so
//! too, and the team takes one step at a time. That is the reference that tests compare with: memory, counters and findings
//! must be the same.

pub(crate) mod addresses;
pub(crate) mod compute;
mod control;
mod memory;
mod piece;
mod rounds;
mod run;
pub(crate) mod stack;
mod stretch;

pub(crate) use self::run::leaves_team;
use crate::compile::inst::{AT_RETURN, Inst, NEVER, Pc};
use crate::compile::program::Program;
use crate::exec::state::{Run, Stop};
use crate::exec::team::rounds::Rounds;
use crate::exec::team::stack::{Lanes, Masks, Stack};
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Divergence, Frame, Group, Wait, position};
use crate::machine::registers::{FULL_MASK, MAX_WARPS, Shape};
use crate::order::clocks::WarpId;
use crate::schedule::round_robin::SLICE;

/// Groups of lanes, at most one of each warp, that stand at the same instruction in the same frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Team {
    pub(crate) pc: Pc,
    pub(crate) frame: Frame,
    /// Its lanes.
    pub(crate) lanes: Lanes,
    /// Those of them for which the guard of the present instruction is true.
    passing: Lanes,
    /// Which lanes the present instruction is carried out for.
    active: Active,
    /// Warps of the block.
    block_warps: usize,
    /// Threads of the block that have not ended.
    live_threads: u64,
    /// The lanes that took other ways since the team was gathered.
    stack: Stack,
    /// Instructions that it has executed since it last changed.
    pub(crate) done: u64,
    /// The lowest instruction at which lanes outside of the team can run.
    next: Pc,
    /// Where some of the lanes reconverge with lanes outside of the team.
    meetings: Vec<Pc>,
    /// Those of them at which, in some warp, no lanes have arrived yet. The first lanes to arrive decide since when that meeting waits,
    /// and they must not do so on the stack.
    unreached: Vec<Pc>,
    /// The lowest instruction at which lanes outside of the team may concern it.
    bound: Pc,
    /// Whether other lanes stand here in another frame, or are another group of one of the warps.
    has_company: bool,
    /// Whether it runs only as long as it has lanes that have waited for their turn.
    is_limited: bool,
    /// Whether the other lanes of the block need no temporaries (`compile::temporaries`).
    is_alone: bool,
    /// Whether it only waits.
    rounds: Rounds,
}

/// A warp of a team.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Its number in the block.
    pub(crate) w: usize,
    /// The lanes that it has in the team.
    pub(crate) mask: u32,
    /// Those of them for which the present instruction is carried out.
    pub(crate) active: u32,
}

/// Which lanes of a team an instruction is carried out for.
#[derive(Clone, Copy, Debug, Default)]
enum Active {
    /// All of them: it has no guard.
    #[default]
    All,
    /// Those for which its guard is true.
    Passing,
}

impl Team {
    fn key(&self) -> (Pc, usize, u64) {
        (self.pc, self.frame.base.narrow, self.frame.local)
    }

    /// Starts over with one group.
    fn restart(&mut self, pc: Pc, frame: Frame, warps: usize) {
        (self.pc, self.frame) = (pc, frame);
        (self.block_warps, self.has_company) = (warps, false);
        self.lanes.masks = [0; MAX_WARPS];
        self.meetings.clear();
        self.unreached.clear();
    }

    /// Finds the team among the lanes of `among` that can run; whether there is one.
    fn gather(&mut self, block: &Block, among: &Masks, stack: bool) -> bool {
        let mut found = false;
        self.next = NEVER;
        for (w, warp) in block.warps.iter().enumerate() {
            for group in runnable(warp, among[w], stack) {
                let group = &warp.divergence.groups[group];
                let key = (group.pc, group.frame.base.narrow, group.frame.local);
                if !found || key < self.key() {
                    if found && self.pc != group.pc {
                        self.next = self.next.min(self.pc);
                    }
                    let has_company = found && self.pc == group.pc;
                    self.restart(group.pc, group.frame, block.warps.len());
                    (self.has_company, found) = (has_company, true);
                } else if key != self.key() || self.lanes.masks[w] != 0 {
                    if group.pc == self.pc {
                        self.has_company = true;
                    } else {
                        self.next = self.next.min(group.pc);
                    }
                    continue;
                }
                self.add(w, &warp.divergence, group);
            }
        }
        let meetings = self.meetings.iter().copied();
        self.bound = if self.has_company { 0 } else { meetings.fold(self.next, Pc::min) };
        self.stack.clear();
        self.done = 0;
        self.is_limited = among.iter().any(|&lanes| lanes != FULL_MASK);
        self.lanes.count(block.warps.len());
        self.live_threads = u64::from(block.live_threads);
        found
    }

    fn add(&mut self, w: usize, divergence: &Divergence, group: &Group) {
        self.lanes.masks[w] = group.mask;
        if group.meeting.is_none() {
            return;
        }
        if let Some(meeting) = divergence.meeting_here(position(divergence, group.mask)) {
            note(&mut self.meetings, meeting.pc);
            if meeting.arrived == 0 {
                note(&mut self.unreached, meeting.pc);
            }
        }
    }

    /// Counts the steps of its warps since it last changed.
    fn count_steps(&mut self, block: &mut Block) {
        if self.done != 0 {
            for (warp, &mask) in block.warps.iter_mut().zip(&self.lanes.masks) {
                warp.steps += if mask != 0 { self.done } else { 0 };
            }
            self.done = 0;
        }
    }

    /// Whether its lanes are all threads of the block that have not ended.
    #[inline(always)]
    pub fn is_whole(&self) -> bool {
        self.lanes.threads == self.live_threads
    }

    /// Lets it arrive where its branch reconverges, and goes on with the lanes that are next; whether it could.
    fn arrive(&mut self, block: &mut Block) -> bool {
        self.count_steps(block);
        let Some(pc) = self.stack.arrive(self.pc, &mut self.lanes, &block.warps) else { return false };
        self.pc = pc;
        true
    }

    /// Writes the groups of its warps: it changes, or something else is to look at them.
    pub fn leave(&mut self, block: &mut Block) {
        self.count_steps(block);
        self.stack.write_back(block, self.pc, &self.lanes);
    }

    /// Whether its lanes run the kernel itself and no function that it calls.
    pub fn is_kernel(&self, block: &Block) -> bool {
        let first = self.lanes.masks.iter().position(|&mask| mask != 0).unwrap_or(0);
        block.warps[first].divergence.groups[0].callers.is_empty()
    }

    /// Finds out whether the other lanes of the block need no temporaries of the kernel: they stand at starts of segments.
    fn look_around(&mut self, block: &Block, program: &Program) {
        let is_at_start = |pc: Pc| program.insts.get(pc as usize).is_none_or(|inst| inst.starts_segment);
        let is_in_kernel = self.frame.base == Shape::default();
        self.is_alone = is_in_kernel
            && (self.is_whole()
                || block.warps.iter().zip(&self.lanes.masks).all(|(warp, &mask)| {
                    warp.divergence.groups.iter().all(|group| group.mask == mask || is_at_start(group.pc))
                }));
    }

    /// Whether it may change at this instruction, because other lanes stand here or further up.
    #[inline(always)]
    fn may_change(&self) -> bool {
        self.pc >= self.bound.min(self.stack.lowest())
    }

    /// Whether it has to be gathered again at this instruction.
    fn ends(&self) -> bool {
        let is_passed = self.pc >= self.next || self.pc > self.stack.lowest();
        self.done != 0 && self.has_company || is_passed || self.meetings.contains(&self.pc)
    }

    /// The same, after it has executed an instruction that it does not count.
    pub fn ends_after_step(&self) -> bool {
        self.may_change() && (self.has_company || self.ends())
    }

    /// The warps of the team.
    pub fn members(&self) -> impl Iterator<Item = Member> + '_ {
        let all = self.lanes.masks.iter().zip(self.active()).enumerate();
        all.map(|(w, (&mask, &active))| Member { w, mask, active }).filter(|member| member.mask != 0)
    }

    /// The lanes of each warp for which the present instruction is carried out.
    #[inline(always)]
    pub fn active(&self) -> &[u32] {
        let lanes = match self.active {
            Active::All => &self.lanes,
            Active::Passing => &self.passing,
        };
        &lanes.masks[..self.block_warps]
    }

    /// Finds which lanes an instruction is carried out for; how many they are.
    #[inline(always)]
    pub fn find_active(&mut self, block: &mut Block, inst: &Inst) -> u64 {
        if inst.guarded {
            self.active = Active::Passing;
            self.find_passing(block, inst)
        } else {
            self.active = Active::All;
            self.lanes.threads
        }
    }

    fn find_passing(&mut self, block: &mut Block, inst: &Inst) -> u64 {
        let slot = self.frame.base.preds + inst.guard as usize;
        let count = self.block_warps;
        if let Some(value) = block.registers.preds.uniform(slot) {
            if value as u32 ^ inst.flip != 0 {
                self.passing.copy(&self.lanes, count);
            } else {
                (self.passing.threads, self.passing.warps) = (0, 0);
                self.passing.masks[..count].fill(0);
            }
            return self.passing.threads;
        }
        let holds = block.registers.preds.of_all(slot);
        let passing = self.passing.masks.iter_mut().zip(&self.lanes.masks).zip(holds);
        passing.for_each(|((passing, mask), holds)| *passing = mask & (holds ^ inst.flip));
        self.passing.count(count);
        self.passing.threads
    }
}

/// Adds a place to a list of places, if it is not in it.
fn note(places: &mut Vec<Pc>, place: Pc) {
    if !places.contains(&place) {
        places.push(place);
    }
}

/// The groups of a warp with lanes of `among` that can run.
fn runnable(warp: &Warp, among: u32, stack: bool) -> impl Iterator<Item = usize> + '_ {
    let groups = &warp.divergence.groups;
    let first = if stack { groups.len().saturating_sub(1) } else { 0 };
    (first..groups.len()).filter(move |&group| {
        let group = &groups[group];
        group.wait == Wait::Nothing && group.mask & among != 0
    })
}

impl Run<'_> {
    /// A turn of a block whose warps take it together.
    pub fn turn_in_step(&mut self, block: &mut Block) -> Result<(), Stop> {
        let mut team = std::mem::take(&mut self.team);
        let outcome = self.turn_of(block, &mut team);
        self.team = team;
        outcome
    }

    /// Lets some lanes of a block take so many steps, as long as they can and the launch may.
    pub fn turn_of_some(&mut self, block: &mut Block, among: &Masks, mut steps: u64) -> Result<(), Stop> {
        let mut team = std::mem::take(&mut self.team);
        let mut outcome = Ok(());
        while outcome.is_ok() && steps != 0 && self.counts.steps < self.setup.launch.max_steps {
            let (slice, before) = (steps.min(u64::from(SLICE)), self.counts.steps);
            outcome = self.run_lanes(block, &mut team, among, slice as u32);
            steps = if self.counts.steps == before { 0 } else { steps - slice };
        }
        self.team = team;
        outcome
    }

    fn turn_of(&mut self, block: &mut Block, team: &mut Team) -> Result<(), Stop> {
        while block.warps.iter().any(|warp| warp.starved != 0) {
            let mut among = [0; MAX_WARPS];
            among.iter_mut().zip(&block.warps).for_each(|(among, warp)| *among = warp.starved);
            let found = team.gather(block, &among, self.setup.stack);
            for (w, warp) in block.warps.iter_mut().enumerate() {
                warp.starved = if found { warp.starved & !team.lanes.masks[w] } else { 0 };
            }
            if found {
                let first = team.lanes.masks;
                self.run_lanes(block, team, &first, SLICE)?;
            }
        }
        self.run_lanes(block, team, &[FULL_MASK; MAX_WARPS], SLICE)?;
        for w in 0..block.warps.len() {
            let warp = &mut block.warps[w];
            let can_run = runnable(warp, FULL_MASK, self.setup.stack)
                .fold(0, |lanes, group| lanes | warp.divergence.groups[group].mask);
            warp.starved = can_run & !std::mem::take(&mut warp.ran);
            if !self.setup.stack {
                warp.divergence.sort();
                self.at(block, w).release_overdue(can_run == 0)?;
            }
        }
        Ok(())
    }

    /// Runs lanes of a block for so many steps, those at the lowest instruction first. No group is left where it reconverges:
    /// which lanes can run must not depend on whether the last step or one before it brought them there.
    fn run_lanes(
        &mut self,
        block: &mut Block,
        team: &mut Team,
        among: &Masks,
        steps: u32,
    ) -> Result<(), Stop> {
        let is_apart = self.setup.launch.hooks.plain
            || self.setup.launch.weak_memory
            || self.setup.has_products
            || self.observers.watcher.is_some() && self.needs_each_instruction();
        if is_apart {
            block.registers.expand_all();
        }
        let (mut left, mut among, mut waiting) = (steps, *among, [0; MAX_WARPS]);
        team.rounds = Rounds::default();
        while left > 0 {
            self.settle_groups(block, &among);
            if !team.gather(block, &among, self.setup.stack) {
                self.sleep(block, &waiting, left);
                return Ok(());
            }
            self.counts.effort.gathered += 1;
            team.look_around(block, self.setup.program);
            for (warp, mask) in block.warps.iter_mut().zip(&team.lanes.masks) {
                warp.ran |= mask;
            }
            if let Some(model) =
                self.observers.memory_model.as_mut().filter(|model| model.clocks.is_lockstep())
            {
                for (w, &mask) in team.lanes.masks.iter().enumerate().filter(|(_, mask)| **mask != 0) {
                    model.run(WarpId { slot: block.slot, warp: w }, mask);
                }
            }
            if is_apart {
                self.run_apart(block, team, &mut left)?;
            } else if self.observers.watcher.is_some() {
                self.run_shown(block, team, &mut left)?;
            } else {
                self.run_team(block, team, &mut left)?;
            }
            if team.rounds.take_waits() {
                for ((among, waiting), mask) in among.iter_mut().zip(&mut waiting).zip(&team.lanes.masks) {
                    *among &= !mask;
                    *waiting |= mask;
                }
            }
        }
        self.settle_groups(block, &among);
        Ok(())
    }

    /// Lets groups that have come to where they reconverge, or to the end of a function, arrive there.
    fn settle_groups(&mut self, block: &mut Block, among: &Masks) {
        for (w, &among) in among.iter().enumerate().take(block.warps.len()) {
            while let Some((group, returns)) = self.arriving(&block.warps[w], among) {
                if returns {
                    self.at(block, w).return_from_function(group);
                } else {
                    block.warps[w].arrive(group);
                }
            }
        }
    }

    /// A group that has come to where it reconverges, or to the end of a function, which is the other case.
    fn arriving(&self, warp: &Warp, among: u32) -> Option<(usize, bool)> {
        let divergence = &warp.divergence;
        let mut groups = runnable(warp, among, self.setup.stack);
        groups.find_map(|group| {
            let returns = divergence.groups[group].pc == AT_RETURN;
            (returns || divergence.has_arrived(group)).then(|| (group, !divergence.has_arrived(group)))
        })
    }

    /// [`Run::run_team`] with each group executing its instructions by itself.
    fn run_apart(&mut self, block: &mut Block, team: &mut Team, left: &mut u32) -> Result<(), Stop> {
        // Each warp counts its steps as it takes them; `done` stands for the present instruction only.
        team.done = 1;
        loop {
            let next = self.step_apart(block, team)?;
            *left -= 1;
            let Some(pc) = next else { return Ok(()) };
            let waits = self.go_to(block, team, pc);
            if waits || *left == 0 || self.needs_each_instruction() || team.ends_after_step() {
                return Ok(());
            }
        }
    }

    /// Has each warp of a team execute an instruction by itself; where they go, if they remain one.
    fn step_apart(&mut self, block: &mut Block, team: &Team) -> Result<Option<Pc>, Stop> {
        let (mut is_team, mut next) = (true, None);
        for w in 0..block.warps.len() {
            if team.lanes.masks[w] == 0 {
                continue;
            }
            let group = position(&block.warps[w].divergence, team.lanes.masks[w]);
            let goes_straight_on = self.at(block, w).run_settled(group, &mut 1)?;
            is_team &= goes_straight_on;
            if is_team {
                let pc = block.warps[w].divergence.groups[group].pc;
                is_team = *next.get_or_insert(pc) == pc;
            }
        }
        Ok(next.filter(|_| is_team))
    }
}
