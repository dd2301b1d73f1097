//! What a launch reports: faults, counters, and the steps of a trace. Plain data, from which every wording is made once.

pub mod counters;
pub mod fault;
pub mod location;
pub mod trace;

use counters::{Counters, LineCounters};
use fault::{Actor, Fault, StaleRead};

/// What a launch did: [`Emulator::launch`](crate::Emulator::launch) returns it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// What was counted, over the whole launch.
    pub counters: Counters,
    /// The same by CUDA line, in the order of files and lines; code without a line is left out.
    pub lines: Vec<LineCounters>,
    /// What was wrong; empty for a clean run. What stopped the launch comes first, the rest in the order in which it was
    /// found.
    pub faults: Vec<Fault>,
    /// Where the weak memory returned older stores, in the order in which it did so first.
    pub stale_reads: Vec<StaleRead>,
    /// The thread whose store or atomic was the last to reach the byte at [`Launch::follow`](crate::Launch::follow), and what it did, ``wrote
    /// bytes 68 to 71 of `out` `` say. `None` where nobody stored there, or nothing was followed. A `cas` that fails
    /// stores nothing; of several lanes of one store it is the one whose value stays.
    pub last_store: Option<Actor>,
    /// Whether a watcher stopped the launch before its end ([`Emulator::launch_watched`](crate::Emulator::launch_watched)).
    pub was_stopped: bool,
    /// What the kernel printed.
    pub output: String,
}
