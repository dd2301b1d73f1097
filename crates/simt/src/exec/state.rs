//! A launch that is running: its program, its memory, what it has counted and found.
//!
//! The state that everything in [`crate::exec`] works on. What it does with it is in the other files, each of which adds
//! methods of its own; [`super::launch`] is the one that runs a launch from its first block to its last.

use crate::checkers::context::Context;
use crate::checkers::findings::{Finding, Findings};
use crate::checkers::initialisation::Initialisation;
use crate::checkers::last_writer::LastWriter;
use crate::checkers::memory_model::MemoryModel;
use crate::compile::inst::Pc;
use crate::compile::program::{Code, Program};
use crate::exec::lookout::Lookout;
use crate::exec::moment::Watcher;
use crate::exec::probes::Probes;
use crate::exec::team::Team;
use crate::isa::op::Op;
use crate::launch::{Launch, Reconvergence, Schedule};
use crate::machine::global::Global;
use crate::machine::kept::Kept;
use crate::machine::registers::Registers;
use crate::ptx::Error;
use crate::report::counters::{Counters, LineCounters};
use crate::report::effort::Effort;
use crate::report::fault::Fault;

/// The first target whose threads are scheduled independently.
const FIRST_INDEPENDENT_TARGET: u32 = 70;

/// Why a launch stops before its end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The kernel was at fault.
    Fault(Box<Fault>),
    /// It came to an instruction that is not supported.
    Unsupported(Error),
    /// Its watcher has seen enough.
    Watcher,
    /// It runs on several cores, and came to what only one can do.
    NeedsOneCore,
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
}

/// What was counted on one core.
pub(crate) struct Counted {
    pub(crate) steps: u64,
    pub(crate) issued: Vec<Issued>,
    pub(crate) traffic: Vec<Counters>,
    pub(crate) warps: u64,
    pub(crate) divergent_warps: u64,
    pub(crate) effort: Effort,
}

/// What an instruction changes that a watcher sees warp by warp.
#[derive(Default)]
pub(crate) struct Before {
    /// Registers that it writes.
    pub(crate) registers: Kept,
    /// What it cost in memory up to then, if it is a load.
    pub(crate) traffic: Counters,
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
    /// Whether lanes may be separated that no branch made diverge (`exec::separation`).
    pub(crate) separates: bool,
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
    /// The checker of races, which is also the weak memory, if the launch has one.
    pub(crate) watch: Option<Box<MemoryModel>>,
    /// What follows a byte, if the launch asks for that.
    pub(crate) follow: Option<LastWriter>,
    /// What checkers have found.
    pub(crate) findings: Findings,
    /// The caller's watcher, which sees every instruction, if there is one.
    pub watcher: Option<&'a mut Watcher<'a>>,
    /// For the watcher: what was before the present instruction.
    pub(crate) before: Before,
    /// The lanes for which the instruction that is being carried out was taken back.
    pub(crate) taken_back: u32,
    /// The registers with which a warp starts.
    pub(crate) registers: Registers,
    /// The checker of reads of bytes that were never written.
    pub(crate) initialisation: Initialisation,
    /// By how much the clock is ahead of the steps.
    pub(crate) late: u64,
    /// At which step it is looked next whether a block has stalled.
    pub(crate) next_look: u64,
    /// Blocks that have not started yet.
    pub waiting_blocks: u64,
    /// The team that runs, kept for its memory.
    pub(crate) team: Team,
    /// What is looked at beside the run.
    pub(crate) lookout: Lookout,
    /// For each block on the machine, when it is probed next for threads that will never continue.
    pub(crate) probes: Vec<Probes>,
    /// Whether this is a part of a launch that runs on several cores.
    pub(crate) is_one_of_many: bool,
    /// The seed by which blocks are dealt out to cores, where it is not who has time that decides.
    pub deal: Option<u64>,
    pub(crate) warps: u64,
    pub(crate) divergent_warps: u64,
    /// How it was carried out.
    pub(crate) effort: Effort,
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
            separates: launch.schedule == Schedule::Hunt && !stack && program.sm >= FIRST_INDEPENDENT_TARGET,
            steps: 0,
            local_bytes: 0,
            issued: vec![Issued::default(); program.insts.len()],
            traffic: vec![Counters::default(); program.insts.len()],
            output: String::new(),
            watch: None,
            follow: launch.follow.map(LastWriter::new),
            findings: Findings::default(),
            watcher: None,
            registers: Registers::of_one_warp(&program.functions[kernel as usize].image),
            before: Before::default(),
            taken_back: 0,
            initialisation,
            late: 0,
            next_look: 0,
            waiting_blocks: launch.grid.count(),
            team: Team::default(),
            lookout: Lookout::default(),
            probes: Vec::new(),
            is_one_of_many: false,
            deal: None,
            warps: 0,
            divergent_warps: 0,
            effort: Effort::default(),
        }
    }

    /// What it takes to word a finding.
    pub(crate) fn context(&self) -> Context<'_> {
        Context {
            program: self.program,
            kernel: self.kernel,
            launch: self.launch,
            global: self.global,
            step: self.steps.saturating_sub(1),
        }
    }

    /// Lets a checker add to the findings.
    pub(crate) fn find<T>(&mut self, add: impl FnOnce(&Context<'_>, &mut Findings) -> T) -> T {
        let mut findings = std::mem::take(&mut self.findings);
        let result = add(&self.context(), &mut findings);
        self.findings = findings;
        result
    }

    /// Adds what a warp has read that had not been written. Kept out of the inner loop, which is slower with it inside.
    #[cold]
    #[inline(never)]
    pub(crate) fn find_unwritten(&mut self, block: u64, warp: usize) {
        let found = self.initialisation.take(block, warp);
        found.for_each(|read| self.findings.add(self.program, Finding::Unwritten(read)));
    }

    pub(crate) fn code(&self) -> &'a Code {
        &self.program.functions[self.kernel as usize]
    }

    /// How many blocks are on the machine at a time.
    pub(crate) fn residents(&self) -> u64 {
        u64::from(self.launch.resident_blocks.max(1)).min(self.launch.grid.count())
    }

    /// Counts the warps of a block that has ended, and those of them that diverged.
    pub(crate) fn count_warps(&mut self, warps: u64, divergent: u64) {
        self.warps += warps;
        self.divergent_warps += divergent;
    }

    /// Whether a checker has found something.
    pub(crate) fn has_found(&self) -> bool {
        !self.findings.is_empty() || self.watch.as_ref().is_some_and(|watch| watch.has_found())
    }

    /// What was counted.
    pub(crate) fn into_counted(self) -> Counted {
        let Run { steps, issued, traffic, warps, divergent_warps, effort, .. } = self;
        Counted { steps, issued, traffic, warps, divergent_warps, effort }
    }

    /// Adds what was counted on another core.
    pub(crate) fn add(&mut self, counted: &Counted) {
        self.steps += counted.steps;
        self.warps += counted.warps;
        self.divergent_warps += counted.divergent_warps;
        self.effort += counted.effort;
        for (issued, more) in self.issued.iter_mut().zip(&counted.issued) {
            issued.count += more.count;
            issued.lanes += more.lanes;
            issued.parted += more.parted;
        }
        for (traffic, more) in self.traffic.iter_mut().zip(&counted.traffic) {
            *traffic += more;
        }
    }

    /// What was counted in all.
    pub(crate) fn counters(&self) -> Counters {
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
            ptx_branches: is(matches!(op, Op::Branch { .. } | Op::BranchIndexed { .. })),
            ptx_divergent_branches: issued.parted,
            ptx_barriers: is(matches!(op, Op::Barrier(_))),
            ..self.traffic[pc as usize]
        }
    }

    /// What was counted by CUDA line.
    pub(crate) fn lines(&self) -> Vec<LineCounters> {
        let mut lines = std::collections::BTreeMap::new();
        for pc in 0..self.program.insts.len() as Pc {
            if let Some(source) = self.program.source(pc) {
                *lines.entry(source).or_insert_with(Counters::default) += &self.at(pc);
            }
        }
        lines.into_iter().map(|(source, counters)| LineCounters { source, counters }).collect()
    }
}
