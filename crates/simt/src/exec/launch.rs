//! A launch from its first block to its last: which blocks are resident, whose turn it is, and when no thread can go on.

use crate::checkers::initialisation;
use crate::checkers::last_writer;
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::memory_model::wording;
use crate::compile::inst::Pc;
use crate::exec::cursor::Cursor;
use crate::exec::probe_times::ProbeTimes;
use crate::exec::state::{Run, Stop};
use crate::exec::{mechanism, recurrence, separation, waits};
use crate::launch::Dim3;
use crate::machine::block::{Block, Start, Warp};
use crate::machine::divergence::{Frame, Group};
use crate::machine::registers::WARP_SIZE;
use crate::ptx::Error;
use crate::report::Report;
use crate::report::fault::{Actor, Fault};
use crate::schedule::Turns;

impl Run<'_> {
    /// Runs all blocks and what they launch, and reports. An error is an instruction that is not supported.
    pub fn finish(mut self) -> Result<Report, Error> {
        let mut was_stopped = false;
        let mut faults = match self.all_blocks() {
            Ok(()) => Vec::new(),
            Err(Stop::Fault(fault)) => vec![Fault { step: self.counts.steps.saturating_sub(1), ..*fault }],
            Err(Stop::Watcher) => {
                was_stopped = true;
                Vec::new()
            }
            Err(Stop::Unsupported(error)) => return Err(error),
            Err(Stop::NeedsOneCore) => unreachable!("this is the one core"),
        };
        self.word_findings();
        faults.append(&mut self.worded.faults);
        if self.observers.initialisation.reports {
            let was_issued = |pc: Pc| self.counts.issued[pc as usize].count != 0;
            faults.extend(initialisation::wording::unset_constants(&self.context(), was_issued));
        }
        faults.extend(self.printed.fault());
        let (counters, lines) =
            (self.counts.total(self.setup.program), self.counts.lines(self.setup.program));
        let (last_store, stale_reads) = (self.last_store(), self.worded.stale_reads);
        let (output, effort) = (self.printed.text(), self.counts.effort);
        Ok(Report { counters, lines, faults, stale_reads, last_store, was_stopped, output, effort })
    }

    /// Runs all blocks, and then the grids that they have launched.
    pub fn all_blocks(&mut self) -> Result<(), Stop> {
        let outcome = match self.blocks_on_cores() {
            Some(true) => Ok(()),
            Some(false) => Err(Stop::Watcher),
            None => self.blocks(),
        };
        #[cfg(not(target_family = "wasm"))]
        let outcome = self.run_children(outcome);
        outcome
    }

    /// Puts into words what the checkers have found.
    pub fn word_findings(&mut self) {
        if let Some(model) = self.observers.memory_model.take() {
            let mut stale = self.find(|context, findings| wording::add(context, *model, findings));
            stale.append(&mut self.worded.stale_reads);
            self.worded.stale_reads = stale;
        }
        let findings = std::mem::take(&mut self.observers.findings);
        let mut faults = crate::checkers::wording::faults(&self.context(), findings);
        // Those of grids that this one has launched come after its own.
        faults.append(&mut self.worded.faults);
        self.worded.faults = faults;
        #[cfg(not(target_family = "wasm"))]
        self.worded.faults.extend(self.children.take_failures());
    }

    /// The thread that was the last to write the byte that is followed.
    pub fn last_store(&mut self) -> Option<Actor> {
        let last = self.observers.last_writer.as_ref();
        self.worded.last_store.take().or_else(|| last_writer::actor(last?, &self.context()))
    }

    /// Gives every resident block its turns until the grid is done.
    fn blocks(&mut self) -> Result<(), Stop> {
        let slot = |slot| Block { slot, ..Block::default() };
        let mut blocks: Vec<Block> = (0..self.setup.residents() as usize).map(slot).collect();
        self.observers.probe_times = vec![ProbeTimes::of_block(1); blocks.len()];
        if self.setup.launch.checks.races || self.setup.launch.weak_memory {
            self.observers.memory_model =
                Some(Box::new(MemoryModel::new(blocks.len(), self.setup.stack, self.setup.launch)));
        }
        for block in &mut blocks {
            self.start_next(block);
        }
        let mut turns = Turns::new(self.setup.launch.schedule, self.setup.launch.seed);
        let (mut next_trial, mut told) = (recurrence::first_trial(self.setup.launch), [0; 2]);
        while !blocks.is_empty() {
            let outcome = self.round(&mut blocks, &mut turns, self.setup.launch.max_steps);
            self.report_progress(&mut told, &blocks);
            if !outcome? {
                return Err(self.out_of_steps(&mut blocks));
            }
            if self.setup.launch.pulse.as_ref().is_some_and(|pulse| pulse.is_stopping()) {
                return Err(Stop::Watcher);
            }
            self.check_for_stalled(&mut blocks)?;
            let outcome = self.probe_when_due(&mut blocks);
            self.report_progress(&mut told, &blocks);
            outcome?;
            // A probe is a slice like any other, and the last thread of a block may have ended in it. A round in which
            // such a block takes no step is no deadlock.
            self.replace_finished(&mut blocks);
            self.try_when_due(&mut next_trial, &blocks)?;
        }
        Ok(())
    }

    /// Tells the caller of the steps that were taken and the blocks that have ended since it was told last.
    fn report_progress(&self, told: &mut [u64; 2], blocks: &[Block]) {
        let running = blocks.iter().filter(|block| block.live_threads != 0).count() as u64;
        let ended = self.setup.launch.grid.count() - self.waiting_blocks - running;
        if let Some(pulse) = &self.setup.launch.pulse {
            pulse.add(self.counts.steps - told[0], ended - told[1]);
        }
        *told = [self.counts.steps, ended];
    }

    /// A turn for every block, in the order that the policy says; `false` as soon as the launch has taken more than `most`
    /// steps.
    pub fn round(&mut self, blocks: &mut Vec<Block>, turns: &mut Turns, most: u64) -> Result<bool, Stop> {
        let before = self.counts.steps;
        let (mut order, mut is_released) = (Vec::new(), false);
        turns.next_round(blocks.len(), &mut order);
        for &index in &order {
            let already = self.counts.steps;
            is_released |= self.with_peers(blocks, index, |run, block| run.turn_in_cluster(block, turns))?;
            is_released |= self.counts.steps == already && self.release_halted(&mut blocks[index]);
            self.observers.probe_times[blocks[index].slot].steps += self.counts.steps - already;
            if self.counts.steps > most {
                return Ok(false);
            }
        }
        if self.counts.steps == before
            && !is_released
            && !self.can_go_on(blocks)
            && !self.hasten_bulk(blocks)?
        {
            return Err(waits::deadlock(self, blocks));
        }
        self.replace_finished(blocks);
        Ok(true)
    }

    /// A turn of a block whose cluster may have come to its barrier in the meantime; whether lanes were let go on there.
    fn turn_in_cluster(&mut self, block: &mut Block, turns: &mut Turns) -> Result<bool, Stop> {
        let awaits = block.has_peers || block.awaits_cluster;
        let is_released = awaits && self.release_at_cluster(block);
        self.turn(block, turns)?;
        Ok(is_released)
    }

    /// Starts the next block of the grid in the place of another one.
    fn start_next(&mut self, block: &mut Block) {
        let number = self.setup.launch.grid.count() - self.waiting_blocks;
        self.waiting_blocks -= 1;
        self.start(block, number);
    }

    /// Starts a block in the place of another one.
    pub fn start(&mut self, block: &mut Block, number: u64) {
        let code = self.setup.code();
        // What calls added to the warps of the block that was here before is given back.
        let added = |warp: &Warp| warp.local.lane_bytes().saturating_sub(code.frame_bytes) * WARP_SIZE as u64;
        self.local_bytes = self.local_bytes.saturating_sub(block.warps.iter().map(added).sum());
        let start = Start {
            group: &Group::new(code.start, Frame { function: self.setup.kernel, ..Frame::default() }),
            registers: &self.setup.registers,
            frame_bytes: code.frame_bytes,
            columns: columns(self.setup.launch.block),
            has_products: self.setup.has_products,
        };
        let threads = self.setup.launch.block.count() as u32;
        block.reset(number, self.setup.launch.block_at(number), threads, self.setup.shared_bytes, &start);
        if self.observers.initialisation.reports {
            block.shared_written.restart(block.shared.len());
        }
        self.start_in_cluster(block);
        self.observers.probe_times[block.slot] = ProbeTimes::of_block(block.warps.len());
        if let Some(model) = &mut self.observers.memory_model {
            model.start(block.slot, number, threads);
        }
    }

    fn replace_finished(&mut self, blocks: &mut Vec<Block>) {
        // The blocks of a cluster stand side by side, and end together.
        for blocks in blocks.chunks_mut(self.setup.cluster()) {
            if blocks.iter().any(|block| block.live_threads != 0) {
                continue;
            }
            for block in blocks {
                self.counts.count_warps(block);
                if self.waiting_blocks > 0 {
                    self.start_next(block);
                } else {
                    block.warps.clear();
                }
            }
        }
        blocks.retain(|block| !block.warps.is_empty());
    }

    /// One turn of a block: all of its warps together, or a slice for each of them.
    pub fn turn(&mut self, block: &mut Block, turns: &mut Turns) -> Result<(), Stop> {
        if turns.are_in_step() {
            return self.turn_in_step(block);
        }
        for place in 0..turns.order_warps(block.warps.len()) {
            let warp = turns.warp(place);
            let slice = turns.slice();
            self.observers.probe.end_slice_after(slice.accesses);
            if !self.setup.stack {
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
            if self.setup.separates {
                self.separate(&mut block.warps[warp], turns);
            }
            self.at(block, warp).run_warp(slice.steps)?;
            if !self.setup.stack {
                separation::let_go_at_barrier(&mut block.warps[warp].divergence, turns);
            }
        }
        Ok(())
    }

    /// Where a whole block has halted, lets the lanes go on that wait to reconverge; returns whether there were any. The lanes
    /// they wait for may themselves wait at a block barrier that only they can complete, whatever other blocks do. The stack
    /// never does this: there, lanes meet where they diverged, or nowhere.
    fn release_halted(&self, block: &mut Block) -> bool {
        if self.setup.stack
            || block.warps.iter().any(|warp| mechanism::runnable(&warp.divergence, false).is_some())
        {
            return false;
        }
        block.warps.iter_mut().fold(false, |any, warp| warp.divergence.release(|_| true) | any)
    }

    /// Whether a warp can run although none has: its turn let lanes go on that waited at a meeting, and did nothing else.
    fn can_go_on(&self, blocks: &[Block]) -> bool {
        let mut warps = blocks.iter().flat_map(|block| &block.warps);
        warps.any(|warp| mechanism::runnable(&warp.divergence, self.setup.stack).is_some())
    }
}

impl Cursor<'_, '_> {
    /// Runs the groups of a warp until its slice is used up or none can run.
    fn run_warp(&mut self, mut slice: u32) -> Result<(), Stop> {
        let stack = self.run.setup.stack;
        while slice > 0 {
            let Some(group) = mechanism::runnable(&self.warp().divergence, stack) else { break };
            self.run_group(group, &mut slice)?;
        }
        self.run.observers.probe.end_slice_after(None);
        if !stack {
            self.release_overdue(slice > 0)?;
        }
        Ok(())
    }
}

/// Lanes in a row of a warp: as wide as the block where its rows fit a warp, the whole warp otherwise.
fn columns(block: Dim3) -> u32 {
    let lanes = WARP_SIZE as u32;
    if lanes.is_multiple_of(block.x) && block.count() > u64::from(block.x) { block.x } else { lanes }
}
