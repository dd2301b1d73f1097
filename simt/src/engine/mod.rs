//! Runs programs: control flow, reconvergence, schedule, and the instructions that are more than arithmetic.
//!
//! [`lower`] makes a [`program`] of a module; [`run`] gives blocks and warps their turns; `step` is the inner loop,
//! `control`, `barrier` and `collective` what leaves it, `access`, `generic`, `atomics` and `mbarrier` what goes to
//! memory, `lookout`, `livelock` and `stalled` what finds out that nobody gets on, `cores` what runs blocks side by side, and `faults` and
//! `waits` what is said when something is wrong. `watch`, `races`, `initialisation` and `synchronisation` show a run to
//! the checkers and say what they found; `follow` knows who stored a byte last; `weak` is the weak memory at work.

mod access;
mod atomics;
mod barrier;
mod builtin;
mod collective;
mod control;
mod cores;
mod faults;
mod findings;
mod flow;
mod follow;
mod generic;
mod initialisation;
mod layout;
mod livelock;
mod lockstep;
mod lookout;
pub mod lower;
mod mbarrier;
mod mechanism;
pub mod program;
mod races;
mod recurrence;
pub mod run;
mod schedule;
mod separation;
mod shared;
mod stalled;
mod step;
mod swift;
mod synchronisation;
mod unused;
mod waits;
mod watch;
mod weak;
