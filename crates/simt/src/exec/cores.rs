//! How the blocks of a launch share the cores of the computer.
//!
//! Whether blocks communicate cannot be read off a kernel. So they are run side by side as if they did not, each core
//! on a fork of global memory that keeps which bytes a block read and wrote ([`crate::machine::fork`]), and one block
//! after the other on each core. If no block wrote a byte that another one touched, each of them has done what it would
//! have done beside the others: which turns a block's warps get, in which order lanes store, and when a block is probed
//! depends on the block alone. Then the forks are joined, counters are added, and that is the launch.
//!
//! If a block wrote to what its fork or another one had taken for an input, of which reads are not recorded, the blocks are
//! run side by side once more, with all reads recorded. If blocks share a byte, and reductions whose order matters were put off,
//! they are run side by side once more without that: a block that reads its own sums has them then.
//!
//! Whatever else happens, the forks are thrown away, and the launch is run on one core as if nothing had been: a byte
//! that two blocks share, a fault, something found by a checker, a word printed, a block that cannot go on by itself,
//! steps beyond the bound. So the report of a launch never depends on how many cores there were, and nothing here has
//! to know how to tell what went wrong. Left out from the start is what would not be the same: a watcher, a byte that is
//! followed, kernels that look at the clock, which all blocks share, turns drawn from the seed, and weak memory. A caller that
//! repeats such a launch with several seeds can run the seeds side by side instead.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Builder};

use crate::checkers::memory_model::MemoryModel;
use crate::compile::program::Program;
use crate::exec::counts::Counts;
use crate::exec::probe_times::ProbeTimes;
use crate::exec::state::{Run, Stop};
use crate::isa::op::Op;
use crate::isa::special::Special;
use crate::launch::{Launch, Schedule};
use crate::machine::block::Block;
use crate::machine::fork::{Conflict, Keeps};
use crate::machine::global::Global;
use crate::machine::registers::WARP_SIZE;
use crate::schedule::Turns;
use crate::schedule::numbers::Random;

/// Warps of a launch that is worth a thread: fewer have run before it is there.
const FEWEST_WARPS: u64 = 512;
/// Blocks of such a launch.
const FEWEST_BLOCKS: u64 = 4;
/// In how many pieces each core gets its blocks: many, for blocks may be of unequal length.
const PIECES: u64 = 16;
/// Steps after which a block is given up if the caller wants the launch to end; a shorter one comes to its own end.
const LONGEST_DELAY: u64 = 1 << 22;
/// Blocks of a piece at most.
const LONGEST_PIECE: u64 = 64;

/// What the cores share.
struct Shared<'r> {
    program: &'r Program,
    kernel: u32,
    launch: &'r Launch,
    params: &'r [u8],
    /// The first block that nobody has taken.
    next: AtomicU64,
    /// Blocks in a piece.
    piece: u64,
    cores: u64,
    /// The seed by which blocks are dealt out to the cores before anybody runs them, so that a test comes to the same each
    /// time. The cores then run one after the other.
    deal: Option<u64>,
    /// Whether somebody has found out that one core has to do it all.
    is_over: AtomicBool,
    /// Whether that is because a block wrote to what counted as input.
    wrote_input: AtomicBool,
    /// Whether it may be because a reduction was put off.
    put_off: AtomicBool,
    /// The steps and blocks that the caller has been told of.
    told: [AtomicU64; 2],
}

impl Run<'_> {
    /// Runs all blocks each by itself, on several cores if there are any; whether these are all blocks, or the caller has
    /// stopped the launch before. If it is `None`, it did not go well, and nothing has happened.
    pub fn blocks_on_cores(&mut self) -> Option<bool> {
        let launch = self.setup.launch;
        if self.observers.watcher.is_some() || launch.follow.is_some() || self.reads_the_clock() {
            return None;
        }
        let cores = self.cores_worth_it();
        let is_alone = self.setup.cluster() == 1;
        let is_plain = launch.schedule == Schedule::RoundRobin && !launch.weak_memory && is_alone;
        let keeps = Keeps { all_reads: false, log: self.may_issue(puts_off_in_order) };
        if is_plain && cores > 1 { self.each_by_itself(cores, keeps) } else { None }
    }

    /// [`Run::blocks_on_cores`] on so many.
    fn each_by_itself(&mut self, cores: u64, keeps: Keeps) -> Option<bool> {
        let launch = self.setup.launch;
        let blocks = launch.grid.count();
        let mut forks = self.global.fork(cores as usize, keeps);
        let shared = Shared {
            program: self.setup.program,
            kernel: self.setup.kernel,
            launch: self.setup.launch,
            params: &self.setup.params,
            next: AtomicU64::new(0),
            piece: (blocks / (cores * PIECES)).clamp(1, LONGEST_PIECE),
            cores,
            deal: self.setup.deal,
            is_over: AtomicBool::new(false),
            wrote_input: AtomicBool::new(false),
            put_off: AtomicBool::new(false),
            told: [AtomicU64::new(0), AtomicU64::new(0)],
        };
        let done = all_done(&shared, &mut forks);
        drop(forks);
        let [steps, ended] = shared.told.map(AtomicU64::into_inner);
        let steps_done =
            |done: &Vec<(Global, Counts)>| done.iter().map(|(_, counted)| counted.steps).sum::<u64>();
        let done = done.filter(|done| steps_done(done) <= launch.max_steps);
        let went_well = done.is_some();
        let (forks, counted): (Vec<_>, Vec<_>) = done.unwrap_or_default().into_iter().unzip();
        let outcome = self.global.join(forks, self.setup.residents(), hands);
        if outcome.is_err() || !went_well {
            launch.pulse.iter().for_each(|pulse| pulse.take_back(steps, ended));
            let wrote_input = shared.wrote_input.into_inner() || outcome == Err(Conflict::Input);
            let put_off = shared.put_off.into_inner() || outcome == Err(Conflict::PutOff);
            let next = Keeps {
                all_reads: keeps.all_reads || wrote_input,
                log: keeps.log && (wrote_input || !put_off),
            };
            return if next == keeps { None } else { self.each_by_itself(cores, next) };
        }
        for counted in &counted {
            self.counts.add(counted);
        }
        Some(launch.pulse.is_none() || ended == blocks)
    }

    /// How many cores to use: one where more would not help.
    fn cores_worth_it(&self) -> u64 {
        let blocks = self.setup.launch.grid.count();
        let warps = self.setup.launch.block.count().div_ceil(WARP_SIZE as u64).saturating_mul(blocks);
        let is_worth_it = blocks >= FEWEST_BLOCKS && warps >= FEWEST_WARPS || self.setup.deal.is_some();
        if is_worth_it { u64::from(self.setup.launch.cores).clamp(1, blocks) } else { 1 }
    }

    /// Whether the kernel, or any function that it might call, has an instruction that reads the clock.
    pub fn reads_the_clock(&self) -> bool {
        self.may_issue(|op| matches!(op, Op::Special { what: Special::Clock | Special::ClockHigh, .. }))
    }

    /// Whether the kernel, or any function that it might call, has such an instruction.
    fn may_issue(&self, is_such: impl Fn(&Op) -> bool) -> bool {
        let functions = self.setup.program.functions.iter().enumerate();
        let reachable =
            functions.filter(|(number, code)| !code.is_entry || *number == self.setup.kernel as usize);
        let mut insts =
            reachable.flat_map(|(_, code)| &self.setup.program.insts[code.start as usize..code.end as usize]);
        insts.any(|inst| is_such(&inst.op))
    }

    /// Runs a block from its start to its end, without any other, unless all is over before.
    fn whole_block(
        &mut self,
        block: &mut Block,
        number: u64,
        turns: &mut Turns,
        shared: &Shared<'_>,
    ) -> Result<(), Stop> {
        self.start(block, number);
        let (start, mut moment) = (self.counts.steps, 0);
        while block.live_threads != 0 {
            let before = self.counts.steps;
            moment += 2;
            self.global.set_now(number, moment);
            self.turn(block, turns)?;
            // A block that has come to a halt may be let go on by what others do.
            let has_stopped = self.counts.steps == before || self.counts.steps > self.setup.launch.max_steps;
            let is_cut = shared.is_stopping() && self.counts.steps - start > LONGEST_DELAY;
            if has_stopped || is_cut || shared.is_over.load(Ordering::Relaxed) {
                return Err(Stop::NeedsOneCore);
            }
            self.observers.probe_times[block.slot].steps += self.counts.steps - before;
            if block.live_threads != 0 {
                self.global.set_now(number, moment + 1);
                self.probe_when_due(std::slice::from_mut(block))?;
            }
            shared.report_progress(self.counts.steps - before, u64::from(block.live_threads == 0));
        }
        self.counts.count_warps(block);
        let outcome = self.global.end_block();
        shared.wrote_input.fetch_or(outcome == Err(Conflict::Input), Ordering::Relaxed);
        shared.put_off.fetch_or(outcome == Err(Conflict::PutOff), Ordering::Relaxed);
        if outcome.is_ok() && !self.observers.have_found() { Ok(()) } else { Err(Stop::NeedsOneCore) }
    }
}

/// Whether an instruction is a reduction that can be put off, and the order of such reductions matters.
fn puts_off_in_order(op: &Op) -> bool {
    matches!(op, Op::Atomic(atomic) if !atomic.is_read && atomic.put_off.is_some_and(|put_off| put_off.in_order))
}

/// Has so many threads at most do some work, which they share out among themselves.
fn hands(count: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        for _ in 1..count {
            // Where the computer has no thread left, the others do it all.
            drop(Builder::new().spawn_scoped(scope, work));
        }
        work();
    });
}

/// Runs all blocks, the last fork's on this thread: what each core has done.
fn all_done(shared: &Shared<'_>, forks: &mut Vec<Global>) -> Option<Vec<(Global, Counts)>> {
    if shared.deal.is_some() {
        return forks.drain(..).map(|fork| shared.work(fork)).collect();
    }
    let own = forks.pop()?;
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for fork in forks.drain(..) {
            // Where the computer has no thread left, the others take the blocks.
            threads.extend(Builder::new().spawn_scoped(scope, || shared.work(fork)));
        }
        let own = shared.work(own);
        let others = threads.into_iter().map(|thread| thread.join().expect("it has not panicked"));
        others.chain([own]).collect()
    })
}

impl Shared<'_> {
    /// Runs blocks for as long as there are any: what they have done to a fork, and what was counted.
    fn work(&self, mut fork: Global) -> Option<(Global, Counts)> {
        let mut run = Run::new(self.program, self.kernel, self.launch, &mut fork, self.params.to_vec());
        run.setup.is_one_of_many = true;
        if self.in_turns(&mut run).is_err() {
            self.is_over.store(true, Ordering::Relaxed);
            return None;
        }
        let counted = run.counts;
        Some((fork, counted))
    }

    fn in_turns(&self, run: &mut Run<'_>) -> Result<(), Stop> {
        run.observers.probe_times = vec![ProbeTimes::of_block(1)];
        if self.launch.checks.races {
            run.observers.memory_model = Some(Box::new(MemoryModel::new(1, run.setup.stack, self.launch)));
        }
        let mut turns = Turns::new(self.launch.schedule, self.launch.seed);
        let mut block = Block::default();
        while let Some(mut numbers) = self.next_piece() {
            numbers.try_for_each(|number| {
                if self.is_stopping() {
                    Ok(())
                } else {
                    run.whole_block(&mut block, number, &mut turns, self)
                }
            })?;
            if self.is_stopping() {
                break;
            }
        }
        Ok(())
    }

    /// Whether the caller wants the launch to end.
    fn is_stopping(&self) -> bool {
        self.launch.pulse.as_ref().is_some_and(|pulse| pulse.is_stopping())
    }

    /// Tells the caller how far the launch has come.
    fn report_progress(&self, steps: u64, blocks: u64) {
        let Some(pulse) = &self.launch.pulse else { return };
        pulse.add(steps, blocks);
        self.told[0].fetch_add(steps, Ordering::Relaxed);
        self.told[1].fetch_add(blocks, Ordering::Relaxed);
    }

    /// The next blocks for a core, or none for the end of its turn.
    fn next_piece(&self) -> Option<Range<u64>> {
        let count = self.launch.grid.count();
        let Some(seed) = self.deal else {
            let first = self.next.fetch_add(self.piece, Ordering::Relaxed);
            return (first < count).then(|| first..(first + self.piece).min(count));
        };
        // Each core counts on through the blocks of the grid, and one more.
        let from = self.next.load(Ordering::Relaxed);
        let (core, from) = (from / (count + 1), from % (count + 1));
        let is_own = |&block: &u64| Random::new(seed ^ block << 32).below(self.cores) == core;
        let found = (from..count).find(is_own);
        self.next.store(core * (count + 1) + found.map_or(count + 1, |block| block + 1), Ordering::Relaxed);
        found.map(|block| block..block + 1)
    }
}

#[cfg(test)]
mod tests;
