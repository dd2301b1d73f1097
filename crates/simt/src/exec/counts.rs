//! What is counted: steps, how often each instruction was issued, and what it cost in memory.

use std::collections::BTreeMap;

use crate::compile::inst::Pc;
use crate::compile::program::Program;
use crate::isa::op::Op;
use crate::machine::block::Block;
use crate::report::counters::{Counters, LineCounters};
use crate::report::effort::Effort;
use crate::report::fault::SourceLine;

/// How often an instruction was issued, and for how many lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Issued {
    /// Times.
    pub(crate) count: u64,
    /// Active lanes, summed.
    pub(crate) lanes: u64,
    /// Times that a branch parted its lanes.
    pub(crate) parted: u64,
}

/// What was counted on one core.
#[derive(Default)]
pub(crate) struct Counts {
    /// Warp instructions issued so far.
    pub(crate) steps: u64,
    /// By instruction: how often issued.
    pub(crate) issued: Vec<Issued>,
    /// By instruction: what it cost in memory.
    pub(crate) traffic: Vec<Counters>,
    /// Atomics that have changed memory.
    pub(crate) changes: u64,
    /// Warps of the blocks that have ended.
    pub(crate) warps: u64,
    /// Those of them that diverged.
    pub(crate) divergent_warps: u64,
    /// How the launch was carried out.
    pub(crate) effort: Effort,
}

impl Counts {
    /// Nothing, for a program of so many instructions.
    pub fn new(insts: usize) -> Counts {
        let (issued, traffic) = (vec![Issued::default(); insts], vec![Counters::default(); insts]);
        Counts { issued, traffic, ..Counts::default() }
    }

    /// Counts the warps of a block that has ended.
    pub fn count_warps(&mut self, block: &Block) {
        self.warps += block.warps.len() as u64;
        self.divergent_warps += block.warps.iter().filter(|warp| warp.diverged).count() as u64;
    }

    /// Adds what was counted on another core.
    pub fn add(&mut self, other: &Counts) {
        self.steps += other.steps;
        self.warps += other.warps;
        self.divergent_warps += other.divergent_warps;
        self.effort += other.effort;
        for (issued, more) in self.issued.iter_mut().zip(&other.issued) {
            issued.count += more.count;
            issued.lanes += more.lanes;
            issued.parted += more.parted;
        }
        for (traffic, more) in self.traffic.iter_mut().zip(&other.traffic) {
            *traffic += more;
        }
    }

    /// What was counted in all.
    pub fn total(&self, program: &Program) -> Counters {
        let mut total =
            Counters { warps: self.warps, divergent_warps: self.divergent_warps, ..Counters::default() };
        for pc in 0..program.insts.len() {
            total += &self.at(program, pc as Pc);
        }
        total
    }

    /// What was counted by CUDA line.
    pub fn lines(&self, program: &Program) -> Vec<LineCounters> {
        let mut lines: BTreeMap<SourceLine, (Counters, Vec<SourceLine>)> = BTreeMap::new();
        for pc in 0..program.insts.len() as Pc {
            let mut around = program.source_lines(pc);
            let Some(source) = around.next() else { continue };
            let (counters, calls) = lines.entry(source).or_default();
            *counters += &self.at(program, pc);
            // Those of other kernels are not known to call it here.
            let call = around.last().filter(|_| self.issued[pc as usize].count != 0);
            if let Some(call) = call
                && let Err(place) = calls.binary_search(&call)
            {
                calls.insert(place, call);
            }
        }
        let line = |(source, (counters, calls))| LineCounters { source, calls, counters };
        lines.into_iter().map(line).collect()
    }

    /// What was counted at one instruction.
    fn at(&self, program: &Program, pc: Pc) -> Counters {
        let issued = self.issued[pc as usize];
        let op = program.insts[pc as usize].op;
        let is = |wanted: bool| if wanted { issued.count } else { 0 };
        Counters {
            ptx_instructions: issued.count,
            ptx_lanes: issued.lanes,
            ptx_branches: is(matches!(op, Op::Branch { .. } | Op::BranchIndexed { .. })),
            ptx_divergent_branches: issued.parted,
            ptx_barriers: is(matches!(op, Op::Barrier(_))),
            ..self.traffic[pc as usize]
        }
    }
}
