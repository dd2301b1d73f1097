//! Runs programs: control flow, reconvergence, memory, barriers and collectives, on one core or several.
//!
//! [`state`] is a launch that is running, and [`run`] gives its blocks and warps their turns. [`step`] is the plain
//! interpreter; [`warp`] and [`block`] are faster ways to run a warp and a block, which return what it returns.

mod atomics;
mod barrier;
mod block;
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
mod waits;
mod warp;
mod watched;
