//! A launch that is running: what runs, what observes it, what has been counted, and the machine that it runs on.
//!
//! The state that everything in [`crate::exec`] works on. What it does with it is in the other files, each of which adds
//! methods of its own; [`super::launch`] is the one that runs a launch from its first block to its last.

use crate::checkers::context::Context;
use crate::checkers::findings::Findings;
use crate::compile::program::Program;
#[cfg(not(target_family = "wasm"))]
use crate::exec::children::Children;
use crate::exec::counts::Counts;
use crate::exec::observers::Observers;
use crate::exec::printed::Printed;
use crate::exec::setup::Setup;
use crate::exec::team::Team;
use crate::launch::Launch;
use crate::machine::block::Peer;
use crate::machine::cluster::ClusterState;
use crate::machine::global::Global;
use crate::ptx::Error;
use crate::report::fault::{Actor, Fault, StaleRead};

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

/// What has been put into words so far.
#[derive(Default)]
pub(crate) struct Worded {
    /// What was found.
    pub(crate) faults: Vec<Fault>,
    /// Loads for which the weak memory returned older stores.
    pub(crate) stale_reads: Vec<StaleRead>,
    /// The last to write the byte that is followed.
    pub(crate) last_store: Option<Actor>,
}

/// A launch that is running.
pub struct Run<'a> {
    /// What runs.
    pub(crate) setup: Setup<'a>,
    /// What observes it.
    pub(crate) observers: Observers<'a>,
    /// What is counted.
    pub(crate) counts: Counts,
    /// Global memory.
    pub(crate) global: &'a mut Global,
    /// Local memory that calls have added to the resident warps, in bytes.
    pub(crate) local_bytes: u64,
    /// What the kernel printed.
    pub(crate) printed: Printed,
    /// By how much the clock is ahead of the steps.
    pub(crate) late: u64,
    /// Blocks that have not started yet.
    pub(crate) waiting_blocks: u64,
    /// The shared memory of the cluster, by rank, while one of its blocks has its turn; empty in a launch without clusters.
    pub(crate) peers: Vec<Peer>,
    /// The barriers of the resident clusters.
    pub(crate) clusters: Vec<ClusterState>,
    /// The team that runs, kept for its memory.
    pub(crate) team: Team,
    /// What has been put into words, for grids that kernels have launched before their own end.
    pub(crate) worded: Worded,
    /// The grids that its blocks launch.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) children: Children,
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
        global.settle();
        let setup = Setup::new(program, kernel, launch, params);
        let peers = if setup.is_cluster() { setup.cluster() } else { 0 };
        Run {
            setup,
            observers: Observers::new(launch, global),
            counts: Counts::new(program.insts.len()),
            global,
            local_bytes: 0,
            printed: Printed::new(launch.print_bytes),
            late: 0,
            waiting_blocks: launch.grid.count(),
            peers: std::iter::repeat_with(Peer::default).take(peers).collect(),
            clusters: Vec::new(),
            team: Team::default(),
            worded: Worded::default(),
            #[cfg(not(target_family = "wasm"))]
            children: Children::default(),
        }
    }

    /// What it takes to word a finding.
    pub fn context(&self) -> Context<'_> {
        Context {
            program: self.setup.program,
            kernel: self.setup.kernel,
            launch: self.setup.launch,
            global: self.global,
            step: self.counts.steps.saturating_sub(1),
        }
    }

    /// Lets a checker add to the findings.
    pub fn find<T>(&mut self, add: impl FnOnce(&Context<'_>, &mut Findings) -> T) -> T {
        let mut findings = std::mem::take(&mut self.observers.findings);
        let result = add(&self.context(), &mut findings);
        self.observers.findings = findings;
        result
    }
}
