//! A launch from its first block to its last: who is resident, whose turn it is, and when nobody can go on.

use std::sync::Arc;

use super::cores::Counted;
use super::faults;
use super::findings::Findings;
use super::follow::{self, Follow};
use super::livelock::Probes;
use super::lookout::Lookout;
use super::program::{Code, Pc, Program};
use super::recurrence::Trials;
use super::schedule::Turns;
use super::separation;
use super::swift::{self, plan::Plan};
use super::watch::Watch;
use crate::fault::Fault;
use crate::launch::{Launch, Reconvergence, Report};
use crate::machine::block::{Block, Start, SwiftStart, Warp};
use crate::machine::global::Global;
use crate::machine::registers::WARP_SIZE;
use crate::observe::counters::{Counters, LineCounters};
use crate::observe::initialisation::Initialisation;
use crate::observe::trace::Tracer;
use crate::ptx::Error;

/// Why a launch stops before its end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The kernel was at fault.
    Fault(Box<Fault>),
    /// It came to an instruction that is not supported.
    Unsupported(Error),
    /// It runs on several cores, and came to what only one can do.
    NeedsOneCore,
    /// It runs in lock step, and came to what warps can only do each by itself.
    NotInLockStep,
}

/// How often an instruction was issued, and for how many lanes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Issued {
    /// Times.
    pub count: u64,
    /// Active lanes, summed.
    pub lanes: u64,
    /// Times that a branch parted its lanes.
    pub parted: u64,
    /// Stretches of instructions that begin here, less those that ended before: counted at their ends instead of one by
    /// one, modulo 2^64.
    begun: u64,
    /// The lanes of these.
    begun_lanes: u64,
}

impl Issued {
    /// A stretch of instructions begins here that so many warps issue, with so many lanes.
    #[inline(always)]
    pub fn begin(&mut self, warps: u64, lanes: u64) {
        self.begun = self.begun.wrapping_add(warps);
        self.begun_lanes = self.begun_lanes.wrapping_add(lanes);
    }

    /// One ended right before.
    #[inline(always)]
    pub fn end(&mut self, warps: u64, lanes: u64) {
        self.begun = self.begun.wrapping_sub(warps);
        self.begun_lanes = self.begun_lanes.wrapping_sub(lanes);
    }

    /// Counts the instructions of all stretches one by one.
    fn count_stretches(all: &mut [Issued]) {
        let (mut count, mut lanes) = (0_u64, 0_u64);
        for issued in all {
            count = count.wrapping_add(std::mem::take(&mut issued.begun));
            lanes = lanes.wrapping_add(std::mem::take(&mut issued.begun_lanes));
            issued.count += count;
            issued.lanes += lanes;
        }
    }
}

/// A launch that is running.
pub struct Run<'a> {
    /// The program.
    pub program: &'a Program,
    /// The kernel, by its number.
    pub kernel: u32,
    /// How it was launched.
    pub launch: &'a Launch,
    /// Global memory.
    pub global: &'a mut Global,
    /// The kernel's parameters.
    pub params: Vec<u8>,
    /// Shared memory of a block in bytes, static and dynamic.
    pub shared_bytes: u64,
    /// Whether lanes reconverge as they did before Volta.
    pub stack: bool,
    /// Whether lanes may come apart that no branch has parted ([`super::separation`]).
    pub(super) separates: bool,
    /// Warp instructions issued so far.
    pub steps: u64,
    /// Local memory that calls have added to the resident warps, in bytes.
    pub local_bytes: u64,
    /// By instruction: how often issued.
    pub issued: Vec<Issued>,
    /// By instruction: what it cost in memory.
    pub traffic: Vec<Counters>,
    /// What the kernel printed.
    pub output: String,
    /// Who watches for races, if anybody does.
    pub(super) watch: Option<Box<Watch>>,
    /// Who follows a byte, if anybody does.
    pub(super) follow: Option<Follow>,
    /// What checkers have found.
    pub(super) findings: Findings,
    /// Who is told of every instruction, if anybody asked.
    pub trace: Option<Tracer<'a>>,
    /// The lanes for which the instruction that is being carried out was taken back.
    pub(super) taken_back: u32,
    /// Who watches for reads of what nobody has written.
    pub(super) initialisation: Initialisation,
    /// By how much the clock is ahead of the steps.
    pub(super) late: u64,
    /// At which step it is looked next whether a block has stalled.
    pub(super) next_look: u64,
    /// Blocks that have not started yet.
    pub waiting_blocks: u64,
    /// How the kernel is carried out the fast way, if it is.
    pub(super) plan: Option<Arc<Plan>>,
    /// What is looked at beside the run.
    pub(super) lookout: Lookout,
    /// When it is looked whether anybody still gets on, for each block on the machine.
    pub(super) probes: Vec<Probes>,
    /// Whether this is a part of a launch that runs on several cores.
    pub(super) is_one_of_many: bool,
    /// The seed by which blocks are dealt out to cores, where it is not who has time that decides.
    pub deal: Option<u64>,
    pub(super) warps: u64,
    pub(super) divergent_warps: u64,
}

impl<'a> Run<'a> {
    /// A launch that is about to run. The request has been checked.
    pub fn new(
        program: &'a Program,
        kernel: u32,
        launch: &'a Launch,
        global: &'a mut Global,
        params: Vec<u8>,
    ) -> Run<'a> {
        let stack = match launch.reconvergence {
            Reconvergence::Auto => program.sm < 70,
            Reconvergence::Stack => true,
            Reconvergence::Its => false,
        };
        global.settle();
        let reports = launch.checks.initialisation;
        let is_on = reports || global.has_unwritten();
        let initialisation = Initialisation { is_on, reports, ..Initialisation::default() };
        Run {
            program,
            kernel,
            launch,
            global,
            params,
            shared_bytes: program.shared_bytes(&program.functions[kernel as usize], launch.shared_bytes),
            stack,
            separates: separation::is_possible(program, launch, stack),
            steps: 0,
            local_bytes: 0,
            issued: vec![Issued::default(); program.insts.len()],
            traffic: vec![Counters::default(); program.insts.len()],
            output: String::new(),
            watch: None,
            follow: launch.follow.map(Follow::new),
            findings: Findings::default(),
            trace: None,
            taken_back: 0,
            initialisation,
            late: 0,
            next_look: 0,
            waiting_blocks: launch.grid.count(),
            plan: swift::plan_for(program, kernel, launch),
            lookout: Lookout::new(),
            probes: Vec::new(),
            is_one_of_many: false,
            deal: None,
            warps: 0,
            divergent_warps: 0,
        }
    }

    /// Runs all blocks, and reports. An error is an instruction that is not supported.
    pub fn finish(mut self) -> Result<Report, Error> {
        let outcome = if self.blocks_on_cores() { Ok(()) } else { self.blocks() };
        let mut faults = match outcome {
            Ok(()) => Vec::new(),
            Err(Stop::Fault(fault)) => vec![*fault],
            Err(Stop::Unsupported(error)) => return Err(error),
            Err(Stop::NeedsOneCore | Stop::NotInLockStep) => unreachable!("this is the one core"),
        };
        let stale_reads = super::races::add(&mut self);
        faults.append(&mut std::mem::take(&mut self.findings).into_faults());
        Issued::count_stretches(&mut self.issued);
        faults.extend(self.unset_constants());
        let (counters, lines) = (self.counters(), self.lines());
        let last_store = follow::told(&self);
        Ok(Report { counters, lines, faults, stale_reads, last_store, output: self.output })
    }

    fn code(&self) -> &'a Code {
        &self.program.functions[self.kernel as usize]
    }

    /// How many blocks are on the machine at a time.
    pub(super) fn residents(&self) -> u64 {
        u64::from(self.launch.resident_blocks.max(1)).min(self.launch.grid.count())
    }

    /// Gives every resident block its turns until the grid is done.
    fn blocks(&mut self) -> Result<(), Stop> {
        let slot = |slot| Block { slot, ..Block::default() };
        let mut blocks: Vec<Block> = (0..self.residents() as usize).map(slot).collect();
        self.probes = vec![Probes::new(); blocks.len()];
        if self.launch.checks.races || self.launch.weak_memory {
            self.watch = Some(Box::new(Watch::new(blocks.len(), self.stack, self.launch)));
        }
        for block in &mut blocks {
            self.start_next(block);
        }
        let mut turns = Turns::new(self.launch.schedule, self.launch.seed);
        let mut trials = Trials::new(self.launch);
        while !blocks.is_empty() {
            if !self.round(&mut blocks, &mut turns, self.launch.max_steps)? {
                return Err(self.out_of_steps(&mut blocks));
            }
            self.look_for_stalled(&mut blocks)?;
            self.probe_when_due(&mut blocks)?;
            // A probe is a slice like any other, and the last thread of a block may have ended in it. A round in which
            // such a block takes no step is no deadlock.
            self.replace_finished(&mut blocks);
            self.try_when_due(&mut trials, &mut blocks)?;
        }
        Ok(())
    }

    /// A turn for every block, in the order that the policy says; `false` as soon as the launch has taken more than `most`
    /// steps.
    pub(super) fn round(
        &mut self,
        blocks: &mut Vec<Block>,
        turns: &mut Turns,
        most: u64,
    ) -> Result<bool, Stop> {
        let before = self.steps;
        let mut order = Vec::new();
        turns.next_round(blocks.len(), &mut order);
        for &index in &order {
            let already = self.steps;
            self.turn(&mut blocks[index], turns)?;
            self.probes[blocks[index].slot].count(self.steps - already);
            if self.steps > most {
                return Ok(false);
            }
        }
        if self.steps == before && !self.release_blocks(blocks) && !self.can_go_on(blocks) {
            return Err(faults::deadlock(self, blocks));
        }
        self.replace_finished(blocks);
        Ok(true)
    }

    /// Starts the next block of the grid in the place of another one.
    fn start_next(&mut self, block: &mut Block) {
        let number = self.launch.grid.count() - self.waiting_blocks;
        self.waiting_blocks -= 1;
        self.start(block, number);
    }

    /// Starts a block in the place of another one.
    pub(super) fn start(&mut self, block: &mut Block, number: u64) {
        let code = self.code();
        // What calls added to the warps of the block that was here before is given back.
        let added = |warp: &Warp| warp.local.lane_bytes().saturating_sub(code.frame_bytes) * WARP_SIZE as u64;
        self.local_bytes = self.local_bytes.saturating_sub(block.warps.iter().map(added).sum());
        let plan = self.plan.as_deref();
        let start = Start {
            pc: code.start,
            function: self.kernel,
            image: &code.image,
            frame_bytes: code.frame_bytes,
            swift: plan.map(|plan| SwiftStart { lines: &plan.image, first_read: &plan.first_read }),
        };
        let threads = self.launch.block.count() as u32;
        block.reset(number, self.launch.grid.nth(number), threads, self.shared_bytes, &start);
        if self.initialisation.reports {
            block.shared_written.restart(block.shared.len());
        }
        self.probes[block.slot] = Probes::new();
        if let Some(watch) = &mut self.watch {
            watch.start(block.slot, number, threads);
        }
    }

    fn replace_finished(&mut self, blocks: &mut Vec<Block>) {
        for block in blocks.iter_mut().filter(|block| block.live_threads == 0) {
            let divergent = block.warps.iter().filter(|warp| warp.diverged).count();
            self.count_warps(block.warps.len() as u64, divergent as u64);
            if self.waiting_blocks > 0 {
                self.start_next(block);
            } else {
                block.warps.clear();
            }
        }
        blocks.retain(|block| !block.warps.is_empty());
    }

    /// Counts the warps of a block that has ended, and those of them whose lanes parted.
    pub(super) fn count_warps(&mut self, warps: u64, divergent: u64) {
        self.warps += warps;
        self.divergent_warps += divergent;
    }

    /// Whether a checker has found something.
    pub(super) fn has_found(&self) -> bool {
        !self.findings.is_empty() || self.watch.as_ref().is_some_and(|watch| watch.has_found())
    }

    /// What was counted.
    pub(super) fn into_counted(mut self) -> Counted {
        Issued::count_stretches(&mut self.issued);
        let Run { steps, issued, traffic, warps, divergent_warps, .. } = self;
        Counted { steps, issued, traffic, warps, divergent_warps }
    }

    /// Adds what was counted on another core.
    pub(super) fn add(&mut self, counted: &Counted) {
        self.steps += counted.steps;
        self.warps += counted.warps;
        self.divergent_warps += counted.divergent_warps;
        for (issued, more) in self.issued.iter_mut().zip(&counted.issued) {
            issued.count += more.count;
            issued.lanes += more.lanes;
            issued.parted += more.parted;
        }
        for (traffic, more) in self.traffic.iter_mut().zip(&counted.traffic) {
            *traffic += more;
        }
    }

    /// One turn of a block: a slice for each of its warps.
    pub(super) fn turn(&mut self, block: &mut Block, turns: &mut Turns) -> Result<(), Stop> {
        for place in 0..turns.order_warps(block.warps.len()) {
            let warp = turns.warp(place);
            let slice = turns.slice();
            self.lookout.end_slice_after(slice.accesses);
            if !self.stack {
                // Every group gets its slice: the one that ran last goes to the end of the queue.
                let groups = &mut block.warps[warp].divergence.groups;
                if groups.len() > 1 {
                    groups.rotate_right(1);
                }
                if let Some(next) = turns.group(groups.len()) {
                    let next = groups.remove(next);
                    groups.push(next);
                }
            }
            if self.separates {
                self.separate(&mut block.warps[warp], turns);
            }
            self.run_warp(block, warp, slice.steps)?;
            if !self.stack {
                separation::let_go_at_barrier(&mut block.warps[warp].divergence, turns);
            }
        }
        Ok(())
    }

    /// Runs the groups of a warp until its slice is used up or none can run.
    fn run_warp(&mut self, block: &mut Block, warp: usize, mut slice: u32) -> Result<(), Stop> {
        while slice > 0 {
            self.run_together(block, warp, &mut slice)?;
            if slice == 0 {
                break;
            }
            let Some(group) = super::mechanism::runnable(&block.warps[warp].divergence, self.stack) else {
                break;
            };
            self.run_group(block, warp, group, &mut slice)?;
        }
        self.lookout.end_slice_after(None);
        if !self.stack {
            self.release_overdue(block, warp, slice > 0)?;
        }
        Ok(())
    }

    /// Lets lanes that wait at meetings go on where all blocks have come to a halt; whether there were any.
    /// The stack never does: it has lanes meet where they parted, or nowhere.
    pub(super) fn release_blocks(&self, blocks: &mut [Block]) -> bool {
        let mut warps = blocks.iter_mut().flat_map(|block| &mut block.warps);
        !self.stack && warps.by_ref().fold(false, |any, warp| warp.divergence.release(|_| true) | any)
    }

    /// Whether a warp can run although none has: its turn let lanes go on that waited at a meeting, and did nothing else.
    fn can_go_on(&self, blocks: &[Block]) -> bool {
        let mut warps = blocks.iter().flat_map(|block| &block.warps);
        warps.any(|warp| super::mechanism::runnable(&warp.divergence, self.stack).is_some())
    }

    fn counters(&self) -> Counters {
        let mut total =
            Counters { warps: self.warps, divergent_warps: self.divergent_warps, ..Counters::default() };
        for pc in 0..self.program.insts.len() {
            total += &self.at(pc as Pc);
        }
        total
    }

    /// What was counted at one instruction.
    fn at(&self, pc: Pc) -> Counters {
        let issued = self.issued[pc as usize];
        let op = self.program.insts[pc as usize].op;
        let is = |wanted: bool| if wanted { issued.count } else { 0 };
        Counters {
            ptx_instructions: issued.count,
            ptx_lanes: issued.lanes,
            ptx_branches: is(matches!(
                op,
                crate::isa::Op::Branch { .. } | crate::isa::Op::BranchIndexed { .. }
            )),
            ptx_divergent_branches: issued.parted,
            ptx_barriers: is(matches!(op, crate::isa::Op::Barrier(_))),
            ..self.traffic[pc as usize]
        }
    }

    fn lines(&self) -> Vec<LineCounters> {
        let mut lines = std::collections::BTreeMap::new();
        for pc in 0..self.program.insts.len() as Pc {
            if let Some(source) = self.program.source(pc) {
                *lines.entry(source).or_insert_with(Counters::default) += &self.at(pc);
            }
        }
        lines.into_iter().map(|(source, counters)| LineCounters { source, counters }).collect()
    }
}
