//! Runs programs: control flow, reconvergence, memory, barriers and collectives, on one core or several.
//!
//! - `state` is a launch that is running: what runs (`setup`), what observes it (`observers`), what is counted (`counts`), and
//!   the machine. `cursor` is the warp of a block at which it is at work; the other files add methods to these.
//! - `launch` and `mechanism` give blocks, warps and groups their turns, from the first block to the last.
//! - `step` is the plain interpreter: one group of lanes, instruction after instruction. `team` is the fast executor, which has
//!   the warps of a block execute an instruction together.
//! - `control`, `call`, `barrier`, `collective`, `matrix`, `warpgroup`, `copies`, `bulk`, `tensor_copy`, `memory`, `checked`, `generic`,
//!   `atomics`, `mbarrier`, `builtin` and `special` carry out everything that is not arithmetic; `fragments` follows the registers
//!   of the products of warpgroups.
//! - `cluster` reaches the shared memory of other blocks of a cluster, and has their threads wait for each other.
//! - `separation` decides which lanes are separated, or continue before the others of their warp.
//! - `probe`, `probe_times`, `livelock`, `recurrence` and `stalled` find threads that will never continue.
//! - `faults` and `waits` put what stopped a launch into words, and say which lanes wait for which.
//! - `nested` runs the grids that kernels launch, which `children` keeps until then, and `shape` refuses launches that no GPU could do.
//! - `moment` and `watched` show the caller's watcher the machine after every instruction. A trace is one such watcher.
//! - `cores` runs blocks side by side.

mod atomics;
mod barrier;
mod builtin;
mod bulk;
mod call;
mod checked;
#[cfg(not(target_family = "wasm"))]
mod children;
mod cluster;
mod collective;
mod control;
mod copies;
mod cores;
mod counts;
mod cursor;
mod faults;
mod fragments;
mod generic;
mod launch;
mod livelock;
mod matrix;
mod mbarrier;
mod mechanism;
mod memory;
pub mod moment;
#[cfg(not(target_family = "wasm"))]
mod nested;
mod observers;
mod printed;
mod probe;
mod probe_times;
mod recurrence;
mod separation;
mod setup;
pub mod shape;
mod special;
mod stalled;
pub mod state;
mod step;
mod team;
mod tensor_copy;
mod waits;
mod warpgroup;
mod watched;
