//! Runs programs: control flow, reconvergence, memory, barriers and collectives, on one core or several.
//!
//! [`state`] is a launch that is running, and [`launch`] gives its blocks and warps their turns. [`step`] is the plain
//! interpreter, and [`team`] the fast executor, which has the warps of a block execute an instruction together.

mod atomics;
mod barrier;
mod builtin;
mod collective;
mod control;
mod cores;
mod faults;
mod generic;
mod launch;
mod livelock;
mod lookout;
mod mbarrier;
mod mechanism;
mod memory;
pub mod moment;
mod probes;
mod recurrence;
mod separation;
mod stalled;
pub mod state;
mod step;
mod team;
mod waits;
mod watched;
