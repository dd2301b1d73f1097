//! What observes a run: checkers, which are shown accesses; the caller's watcher, which is shown every instruction; and
//! the probe, which finds threads that never continue. They change no run, but for the weak memory, which is a part of
//! the memory model.

use crate::checkers::findings::{Finding, Findings};
use crate::checkers::initialisation::Initialisation;
use crate::checkers::last_writer::LastWriter;
use crate::checkers::memory_model::MemoryModel;
use crate::compile::program::Program;
use crate::exec::moment::Watcher;
use crate::exec::probe::Probe;
use crate::exec::probe_times::ProbeTimes;
use crate::launch::Launch;
use crate::machine::global::Global;
use crate::machine::kept::Kept;
use crate::order::clocks::WarpId;
use crate::report::counters::Counters;

/// What an instruction changes that the watcher is shown warp by warp.
#[derive(Default)]
pub(crate) struct Before {
    /// Registers that it writes.
    pub(crate) registers: Kept,
    /// What it cost in memory up to then, if it is a load.
    pub(crate) traffic: Counters,
}

/// All observers of a run.
#[derive(Default)]
pub(crate) struct Observers<'a> {
    /// The race checker and the weak memory, if the launch has one of them.
    pub(crate) memory_model: Option<Box<MemoryModel>>,
    /// The checker of reads of bytes that were never written.
    pub(crate) initialisation: Initialisation,
    /// The checker that follows a byte, if the launch asks for that.
    pub(crate) last_writer: Option<LastWriter>,
    /// What checkers have found.
    pub(crate) findings: Findings,
    /// The caller's watcher, if there is one.
    pub(crate) watcher: Option<&'a mut Watcher<'a>>,
    /// For the watcher: what was before the present instruction.
    pub(crate) before: Before,
    /// For the watcher: the lanes for which the instruction that is being carried out was taken back.
    pub(crate) taken_back: u32,
    /// The probe for threads that never continue.
    pub(crate) probe: Probe,
    /// For each block on the machine, when it is probed next.
    pub(crate) probe_times: Vec<ProbeTimes>,
    /// At which step it is checked next whether a block has stalled.
    pub(crate) next_stall_check: u64,
}

impl Observers<'_> {
    /// The checkers that a launch asks for, but for the memory model, which has to know how many blocks are resident.
    pub fn new(launch: &Launch, global: &Global) -> Self {
        let reports = launch.checks.initialisation;
        let is_on = reports || global.has_unwritten();
        let initialisation = Initialisation { is_on, reports, ..Initialisation::default() };
        let last_writer = launch.follow.map(LastWriter::new);
        Observers { initialisation, last_writer, ..Observers::default() }
    }

    /// Whether any checker is shown accesses to memory.
    pub fn check_accesses(&self) -> bool {
        self.memory_model.is_some() || self.initialisation.is_on || self.last_writer.is_some()
    }

    /// Whether a checker has found something.
    pub fn have_found(&self) -> bool {
        !self.findings.is_empty() || self.memory_model.as_ref().is_some_and(|model| model.has_found())
    }

    /// Lanes of a warp of this block are about to run together.
    #[inline(always)]
    pub fn run(&mut self, block: u64, id: WarpId, lanes: u32) {
        if let Some(model) = &mut self.memory_model {
            model.run(id, lanes);
        }
        if let Some(last_writer) = &mut self.last_writer {
            last_writer.run(block, id.warp);
        }
    }

    /// Adds what a warp has read that had not been written. Kept out of the inner loop, which is slower with it inside.
    #[cold]
    #[inline(never)]
    pub fn find_unwritten(&mut self, program: &Program, block: u64, warp: usize) {
        let found = self.initialisation.take(block, warp);
        found.for_each(|read| self.findings.add(program, Finding::Unwritten(read)));
    }
}
