//! Proves that nobody will ever get on: every group that can run goes round in a loop that changes nothing.
//!
//! A probe runs one group of lanes at a time, which is a legal slice of the schedule, so there is nothing to roll back:
//! what a probe did, the launch did. It takes a snapshot of the warp (program counters, frames, registers, local
//! memory, meetings) and runs on until the warp stands there again; where the snapshot was taken before the loop was
//! entered, a later one, taken after twice as many steps, is not (Brent's cycle detection). If nothing that others can
//! see has changed on the way ([`crate::exec::probe`]), the lanes that ran will go round like this for as long as nobody else
//! changes memory. When that holds for every group that can run, of every warp of every resident block, it holds for
//! ever, in whatever order they run: none of them does anything that another one depends on.
//! A block is probed after a number of steps for each of its warps, and the other blocks only if no thread of this one makes
//! progress. So the turns of a block that makes progress do not depend on the blocks beside it. After a probe, the other warps of the
//! block together take as many steps as the one that ran alone, so that warps which do the same can continue together.
//!
//! What ends a probe without a proof: a change of memory, a thread that ends, a barrier of the block, a word printed, a
//! bound on steps. Loops that write, and warps that go round together through a barrier of the block, are left to
//! [`crate::exec::recurrence`], which looks at the whole machine and its memory. Loops that count, look at the clock, or write
//! something new each time are never proven, and end at the launch's bound on steps.
//! With weak memory on nothing is proven: there a load may return something new although nothing was stored.
//!
//! Under independent thread scheduling lanes that wait at a meeting may be the ones that are waited for, so a warp whose
//! other lanes only spin lets them go on at once. That needs no proof, for letting them go is legal at any time; it is
//! done as well for lanes that look as if they spin, which poll memory and count how often, or for how long.

use std::cell::OnceCell;

use crate::exec::cursor::Cursor;
use crate::exec::mechanism;
use crate::exec::probe::{Spin, lanes_that_spin};
use crate::exec::probe_times::FIRST_PROBE;
use crate::exec::recurrence::MOST_STEPS_OF_A_TRIAL;
use crate::exec::state::{Run, Stop};
use crate::exec::waits;
use crate::launch::Schedule;
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Divergence, Group, Wait};
use crate::machine::local::Local;
use crate::machine::registers::{Bank, FULL_MASK, Image, MAX_WARPS};

/// The longest interval between two probes of a block in which each probe finds progress: steps for each of its warps, divided by
/// the number of resident blocks.
const LONGEST_INTERVAL: u64 = 1 << 20;
/// The same where a probe found neither that nor a proof: longer loops need longer probes.
const LONGEST_PAUSE: u64 = 1 << 24;
/// The group in a probe takes this part of the steps of a warp between two probes: one in so many.
const SHARE: u64 = 32;
/// The shortest bound of a probe, in steps of one group.
const SHORTEST_PROBE: u64 = 1 << 10;
/// Steps after which a probe takes its second snapshot; the third comes after twice as many.
const FIRST_WINDOW: u64 = 64;

/// How many steps of its warp lanes wait at a meeting before a probe finds out whether the others only spin. Long enough
/// for loops of unequal length, which meet by themselves.
pub(crate) const FIRST_PATIENCE: u64 = 1 << 11;
/// The same in a warp where looking has paid.
const SHORTEST_PATIENCE: u64 = 1 << 7;
/// How many steps of its warp a group waits at a meeting before it goes on alone, whatever the others do. Long enough
/// for the longest loop that ends by itself in the chapters.
const PATIENCE: u64 = 1 << 18;
/// And never for more than one part in so many of the steps that the launch may take: lanes that are waited for by one
/// that writes to memory meanwhile must have time to do what is waited for.
const SHARE_OF_STEPS: u64 = 8;
/// Lanes that poll at least once in so many steps, and few places, look as if they spin.
const STEPS_PER_POLL: u64 = 64;

/// What a probe found of a block, of a warp or of one of its groups.
enum Verdict {
    /// Every group that can run spins, and this is proven; none where no group can run.
    Spins(Vec<Spin>),
    /// Every group that can run spins or seems to: these lanes.
    Polls(u32),
    /// Somebody did something.
    Moves,
    /// Nobody did anything yet.
    Unknown,
}

/// A warp as it stood.
struct Snapshot {
    registers: Image,
    local: Local,
    divergence: Divergence,
    /// Columns that hold nothing which anybody reads: whether lanes that do not run have something there depends on whether
    /// their warp ran alone.
    unread: OnceCell<Vec<(Bank, usize)>>,
}

impl Snapshot {
    fn of(at: &Cursor<'_, '_>) -> Snapshot {
        let registers = at.block.registers.of_warp(at.w);
        let Warp { local, divergence, .. } = at.warp();
        let (local, divergence) = (local.clone(), divergence.clone());
        Snapshot { registers, local, divergence, unread: OnceCell::new() }
    }

    fn is(&self, at: &Cursor<'_, '_>) -> bool {
        // Local memory comes last, for it may be large, and in a loop that counts it is the same every time.
        self.divergence.stands_like(&at.warp().divergence) && self.holds(at) && self.local == at.warp().local
    }

    fn holds(&self, at: &Cursor<'_, '_>) -> bool {
        at.block.registers.holds(at.w, &self.registers) || {
            let unread = self.unread.get_or_init(|| unread(at));
            !unread.is_empty() && at.block.registers.holds_but(at.w, &self.registers, unread)
        }
    }
}

/// The temporaries ([`crate::compile::temporaries`]) of the function in which all lanes of a warp are, if each stands where a
/// segment starts: nobody reads them from there.
fn unread(at: &Cursor<'_, '_>) -> Vec<(Bank, usize)> {
    let (program, divergence) = (at.run.setup.program, &at.warp().divergence);
    let [first, others @ ..] = divergence.groups.as_slice() else { return Vec::new() };
    let starts = |group: &Group| program.insts.get(group.pc as usize).is_some_and(|inst| inst.starts_segment);
    let is_like = |group: &Group| group.frame == first.frame && group.callers.is_empty();
    if !divergence.groups.iter().all(starts) || !is_like(first) || !others.iter().all(is_like) {
        return Vec::new();
    }
    let code = &program.functions[first.frame.function as usize];
    let temporaries = program.insts[code.start as usize..code.end as usize].iter();
    let temporaries = temporaries.filter(|inst| inst.is_temporary).flat_map(|inst| program.writes(inst));
    let mut unread: Vec<_> = temporaries
        .map(|result| (result.bank, first.frame.base.of(result.bank) + usize::from(result.slot)))
        .collect();
    unread.sort_unstable();
    unread.dedup();
    unread
}

impl Run<'_> {
    /// Probes every block for which it is time: an error if nobody will ever get on.
    pub fn probe_when_due(&mut self, blocks: &mut [Block]) -> Result<(), Stop> {
        for index in 0..blocks.len() {
            let probes = &self.observers.probe_times[blocks[index].slot];
            if probes.steps >= probes.next && !self.setup.launch.weak_memory {
                let before: Vec<u64> = blocks[index].warps.iter().map(|warp| warp.steps).collect();
                self.probe(blocks, index)?;
                self.with_peers(blocks, index, |run, block| run.catch_up(block, &before))?;
            }
        }
        Ok(())
    }

    /// Probes a block, and where nobody in it gets on, the others: an error if nobody there does either.
    fn probe(&mut self, blocks: &mut [Block], index: usize) -> Result<(), Stop> {
        let slot = blocks[index].slot;
        let (before, warps) = (self.counts.steps, self.observers.probe_times[slot].warps);
        let bound = (self.observers.probe_times[slot].interval / (SHARE * warps)).max(SHORTEST_PROBE);
        let mut verdict = self.with_peers(blocks, index, |run, block| run.probe_block(block, bound))?;
        self.observers.probe_times[slot].steps += self.counts.steps - before;
        let gets_on = match &verdict {
            Verdict::Spins(spins) => spins.is_empty(),
            // Who only seems to spin may wait for a block that runs on another core.
            Verdict::Polls(_) => !self.setup.is_one_of_many,
            Verdict::Moves | Verdict::Unknown => true,
        };
        if !gets_on && self.setup.is_one_of_many {
            return Err(Stop::NeedsOneCore);
        }
        if !gets_on {
            verdict = self.probe_all(blocks, bound)?;
        }
        let most = match verdict {
            Verdict::Spins(spins)
                if !spins.is_empty()
                    && !self.release_waiting(blocks, &spins)
                    && !self.hasten_bulk(blocks)? =>
            {
                return Err(waits::livelock(self, blocks, &spins));
            }
            // Those who were let go will soon have shown whether they were waited for.
            Verdict::Spins(_) => FIRST_PROBE,
            Verdict::Moves => LONGEST_INTERVAL / self.setup.residents(),
            Verdict::Polls(_) | Verdict::Unknown => LONGEST_PAUSE / self.setup.residents(),
        };
        let steps = self.counts.steps - before;
        let probes = &mut self.observers.probe_times[slot];
        probes.interval = (probes.interval * 2).min(most * warps).max(FIRST_PROBE * warps);
        probes.next = probes.steps + probes.interval.max(steps * SHARE);
        Ok(())
    }

    /// After a probe, which ran some warps alone: gives the others as many steps, which they take together, and finds the
    /// registers that are affine again. A block whose warps do the same for long executes it together again.
    fn catch_up(&mut self, block: &mut Block, before: &[u64]) -> Result<(), Stop> {
        let taken = |(warp, before): (&Warp, &u64)| warp.steps - before;
        let most = block.warps.iter().zip(before).map(taken).max().unwrap_or(0);
        if self.setup.launch.schedule != Schedule::RoundRobin || most == 0 {
            return Ok(());
        }
        let mut among = [0; MAX_WARPS];
        for ((among, warp), before) in among.iter_mut().zip(&block.warps).zip(before) {
            *among = if warp.steps == *before { FULL_MASK } else { 0 };
        }
        self.turn_of_some(block, &among, most)?;
        block.registers.find_affine();
        Ok(())
    }

    /// The launch has used up its steps: the last chance for a proof.
    pub fn out_of_steps(&mut self, blocks: &mut [Block]) -> Stop {
        if !self.setup.launch.weak_memory {
            match self.probe_all(blocks, FIRST_PROBE) {
                Ok(Verdict::Spins(spins)) if !spins.is_empty() && !self.release_waiting(blocks, &spins) => {
                    return waits::livelock(self, blocks, &spins);
                }
                Err(stop) => return stop,
                Ok(_) => {}
            }
            if let Some(stop) = self.goes_round(blocks, MOST_STEPS_OF_A_TRIAL) {
                return stop;
            }
        }
        waits::step_limit(self, blocks)
    }

    /// Lets all lanes that wait at meetings go on, besides those that are known to spin; whether there were any. The
    /// stack never does: it has lanes meet where they parted, or nowhere.
    fn release_waiting(&self, blocks: &mut [Block], spins: &[Spin]) -> bool {
        let mut released = false;
        for block in blocks.iter_mut().filter(|_| !self.setup.stack) {
            for (w, warp) in block.warps.iter_mut().enumerate() {
                let lanes = lanes_that_spin(spins, block.number, w);
                released |= release_others(&mut warp.divergence, lanes);
            }
        }
        released
    }

    /// Probes one block after the other, until one is found in which somebody gets on.
    fn probe_all(&mut self, blocks: &mut [Block], bound: u64) -> Result<Verdict, Stop> {
        let mut all = Vec::new();
        let size = self.setup.cluster();
        for index in 0..blocks.len() {
            if blocks[index].live_threads == 0 {
                // It ended in a probe of its own just now, and the block that takes its place may be waited for.
                let first = index - index % size;
                if blocks[first..first + size].iter().all(|block| block.live_threads == 0) {
                    return Ok(Verdict::Moves);
                }
                continue;
            }
            match self.with_peers(blocks, index, |run, block| run.probe_block(block, bound))? {
                Verdict::Spins(mut spins) => all.append(&mut spins),
                verdict => return Ok(verdict),
            }
        }
        all.sort_by_key(|spin| (spin.block, spin.warp, spin.lanes.trailing_zeros()));
        Ok(Verdict::Spins(all))
    }

    /// Probes one warp of a block after the other, until one is found to get on.
    fn probe_block(&mut self, block: &mut Block, bound: u64) -> Result<Verdict, Stop> {
        let (count, first) = (block.warps.len(), self.observers.probe_times[block.slot].first);
        let mut all = Vec::new();
        for w in (0..count).map(|place| (first + place) % count) {
            match self.at(block, w).probe_warp(bound)? {
                Verdict::Spins(mut spins) => all.append(&mut spins),
                verdict => {
                    self.observers.probe_times[block.slot].first = w;
                    return Ok(verdict);
                }
            }
        }
        Ok(Verdict::Spins(all))
    }

    /// The group that a probe runs next: the newest that can run and holds no lane of `done`.
    fn next_group(&self, warp: &Warp, done: u32) -> Option<usize> {
        let groups = &warp.divergence.groups;
        let next = if self.setup.stack {
            mechanism::runnable(&warp.divergence, true)?
        } else {
            groups.iter().rposition(|group| group.wait == Wait::Nothing && group.mask & done == 0)?
        };
        (groups[next].mask & done == 0).then_some(next)
    }

    /// What a probe says of lanes that have gone on since step `start` without a proof.
    fn by_looks(&self, ran: u32, start: u64) -> Verdict {
        let probe = &self.observers.probe;
        let polls = probe.strong_reads * STEPS_PER_POLL > self.counts.steps - start;
        if polls && !probe.many_polls { Verdict::Polls(ran) } else { Verdict::Unknown }
    }
}

impl Cursor<'_, '_> {
    /// Lets lanes of a warp that wait at a meeting go on without the others, when these only spin or take too long, or
    /// when they have all stopped at a collective: they may be waiting for the very lanes that wait here.
    pub fn release_overdue(&mut self, has_stopped: bool) -> Result<(), Stop> {
        let warp = self.warp();
        let Some(since) = warp.divergence.waiting().map(|meeting| meeting.since).min() else { return Ok(()) };
        let at_collective =
            has_stopped && warp.divergence.groups.iter().any(|group| group.wait == Wait::Collective);
        let max_steps = self.run.setup.launch.max_steps;
        let most = (max_steps / SHARE_OF_STEPS).clamp(SHORTEST_PATIENCE, PATIENCE);
        let patience = warp.patience.unwrap_or(FIRST_PATIENCE);
        if !at_collective && warp.steps - since.max(warp.probed_at) > patience {
            let spinning = match self.probe_warp(patience.max(SHORTEST_PROBE))? {
                Verdict::Spins(spins) => Some(lanes_that_spin(&spins, self.block.number, self.w)),
                Verdict::Polls(lanes) => Some(lanes),
                Verdict::Moves | Verdict::Unknown => None,
            };
            let warp = self.warp_mut();
            let released = spinning.is_some_and(|lanes| release_others(&mut warp.divergence, lanes));
            warp.probed_at = warp.steps;
            warp.patience =
                Some(if released { (patience / 2).max(SHORTEST_PATIENCE) } else { (patience * 2).min(most) });
        }
        let warp = self.warp_mut();
        let now = warp.steps;
        warp.divergence.release(|meeting| at_collective || now - meeting.since > most);
        Ok(())
    }

    fn probe_warp(&mut self, bound: u64) -> Result<Verdict, Stop> {
        let verdict = self.groups_spin(bound);
        self.run.observers.probe.end();
        verdict
    }

    /// Probes one group of a warp after the other; those found to spin stand still while the others are probed.
    fn groups_spin(&mut self, bound: u64) -> Result<Verdict, Stop> {
        let (mut spins, mut done, mut all_proven) = (Vec::new(), 0, true);
        loop {
            match self.cycle(done, bound)? {
                None if all_proven => return Ok(Verdict::Spins(spins)),
                None => return Ok(Verdict::Polls(done)),
                Some(Verdict::Spins(found)) => {
                    done |= found.iter().fold(0, |lanes, spin| lanes | spin.lanes);
                    spins.extend(found);
                }
                Some(Verdict::Polls(lanes)) => {
                    done |= lanes;
                    all_proven = false;
                }
                Some(verdict) => return Ok(verdict),
            }
        }
    }

    /// Runs groups of a warp, without the lanes of `done`, until it stands where it stood before. `None` if none of them can
    /// run any more.
    fn cycle(&mut self, done: u32, bound: u64) -> Result<Option<Verdict>, Stop> {
        let end = self.run.counts.steps + bound;
        let mut window = FIRST_WINDOW;
        loop {
            let Some(g) = self.run.next_group(self.warp(), done) else { return Ok(None) };
            let Group { pc, mask, .. } = *self.group(g);
            let snapshot = Snapshot::of(self);
            self.run.observers.probe.begin(pc);
            let (start, mut ran) = (self.run.counts.steps, 0);
            while self.run.counts.steps < start + window {
                let Some(g) = self.run.next_group(self.warp(), done) else { return Ok(None) };
                ran |= self.group(g).mask;
                if self.step_moves(g, start + window)? {
                    return Ok(Some(Verdict::Moves));
                }
                if snapshot.is(self) {
                    // Who runs together is the schedule's choice once lanes have parted.
                    let probe = &self.run.observers.probe;
                    let sure = self.run.setup.stack || !probe.asked_company || ran == mask;
                    let is_proven = sure && probe.clock_reads == 0;
                    return Ok(Some(if is_proven {
                        Verdict::Spins(vec![self.spin(ran, pc)])
                    } else {
                        self.run.by_looks(ran, start)
                    }));
                }
            }
            window *= 2;
            if self.run.counts.steps >= end {
                return Ok(Some(self.run.by_looks(ran, start)));
            }
        }
    }

    /// Runs a group to the stop of the probe, or up to step `end`, and says whether it did something that others can see.
    fn step_moves(&mut self, g: usize, end: u64) -> Result<bool, Stop> {
        let (live, printed) = (self.block.live_threads, self.run.printed.count);
        let mut slice = (end - self.run.counts.steps) as u32;
        self.run_group(g, &mut slice)?;
        let has_printed = self.run.printed.count != printed;
        Ok(self.run.observers.probe.moved || self.block.live_threads != live || has_printed)
    }

    fn spin(&self, lanes: u32, pc: u32) -> Spin {
        let probe = &self.run.observers.probe;
        let mut polls = probe.polls.clone();
        polls.sort_by_key(|poll| (poll.region.is_none(), poll.region, poll.offset));
        // Where it polls says more than where the probe happened to start.
        let pc = polls.iter().map(|poll| poll.pc).min().unwrap_or(pc);
        Spin { block: self.block.number, warp: self.w, lanes, pc, polls, many_polls: probe.many_polls }
    }
}

/// Lets lanes that wait at meetings go on, besides those that spin: these wait for one another only, and go on by
/// themselves in every turn of their loop. Whether there were any.
fn release_others(divergence: &mut Divergence, spinning: u32) -> bool {
    divergence.release(|meeting| meeting.arrived & !spinning != 0)
}
