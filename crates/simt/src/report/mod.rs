//! What a launch reports: faults, counters, and the steps of a trace. All of it is plain data.

pub mod counters;
pub mod effort;
pub mod fault;
pub mod location;
pub mod trace;

use counters::{Counters, LineCounters};
use effort::Effort;
use fault::{Actor, Fault, StaleRead};

/// What a launch did. [`Emulator::launch`](crate::Emulator::launch) returns it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The counters of the whole launch.
    pub counters: Counters,
    /// The counters of each CUDA line, ordered by file and line. Code without a line is left out.
    pub lines: Vec<LineCounters>,
    /// What was wrong; empty if nothing was. A fault that stopped the launch comes first, the others follow in the
    /// order in which they were found.
    pub faults: Vec<Fault>,
    /// The loads for which the weak memory returned older stores, in the order in which that happened first.
    pub stale_reads: Vec<StaleRead>,
    /// The thread whose store or atomic was the last to write the byte at [`Launch::follow`](crate::Launch::follow),
    /// and what it did, such as ``wrote bytes 68 to 71 of `out` ``. `None` if no thread stored there, or if `follow` is
    /// not set. A `cas` that fails stores nothing. If several lanes of one store write the byte, it is the lane whose
    /// value stays.
    pub last_store: Option<Actor>,
    /// Whether the launch was stopped before its end: by a watcher
    /// ([`Emulator::launch_watched`](crate::Emulator::launch_watched)), or by its [`Pulse`](crate::Pulse).
    pub was_stopped: bool,
    /// What the kernel printed, as far as its buffer holds it ([`Launch::print_bytes`](crate::Launch::print_bytes)).
    pub output: String,
    /// For the emulator's own tests.
    #[doc(hidden)]
    pub effort: Effort,
}
