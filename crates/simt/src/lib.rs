//! An emulator of CUDA's PTX that sees every lane.
//!
//! It takes PTX as text, and returns memory, faults and counters. It needs neither a GPU nor CUDA.
//!
//! ```
//! use simt::{Checks, Emulator, FaultKind, Launch, Limits};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // out[i] = i, by a kernel that has forgotten to compare i with the length.
//! let ptx = "
//!     .version 8.0
//!     .target sm_70
//!     .visible .entry iota(.param .u64 out) {
//!         .reg .b32 %r<5>;
//!         .reg .b64 %rd<4>;
//!         ld.param.u64 %rd1, [out];
//!         mov.u32 %r1, %ctaid.x;
//!         mov.u32 %r2, %ntid.x;
//!         mov.u32 %r3, %tid.x;
//!         mad.lo.u32 %r4, %r1, %r2, %r3;
//!         mul.wide.u32 %rd2, %r4, 4;
//!         add.s64 %rd3, %rd1, %rd2;
//!         st.global.u32 [%rd3], %r4;
//!         ret;
//!     }";
//! let mut emulator = Emulator::new(Limits::default());
//! let module = emulator.load("iota.ptx", ptx)?;
//! let out = emulator.alloc("out", 4 * 1000)?;
//!
//! let launch = Launch { checks: Checks::ALL, ..Launch::new(10, 100) };
//! let report = emulator.launch(&module, "iota", &launch.arg(out.address()))?;
//! assert!(report.faults.is_empty());
//! assert_eq!(report.counters.global_store_requests, 10 * 4);
//! assert_eq!(emulator.read(out)?[4 * 999..], 999_u32.to_le_bytes());
//!
//! // Eleven blocks are one too many for 1000 elements.
//! let report = emulator.launch(&module, "iota", &Launch::new(11, 100).arg(out.address()))?;
//! let fault = &report.faults[0];
//! assert_eq!(fault.kind, FaultKind::OutOfBounds);
//! assert_eq!(fault.location.as_ref().and_then(|location| location.element()), Some(1000));
//! assert_eq!((fault.actors[0].block.x, fault.actors[0].thread.x), (10, 0));
//! println!("{fault}");
//! # Ok(())
//! # }
//! ```
//!
//! # Results and errors
//!
//! What a kernel does wrong is a *result*: a [`Fault`] in the [`Report`]. An error means that the text cannot be read
//! ([`PtxError`]), that a launch cannot be carried out ([`LaunchError`]), or that memory was requested which is not there
//! ([`MemoryError`]). A launch that ends in an error leaves memory as it was.
//!
//! # Repeatable runs
//!
//! The hardware leaves some choices open: in which order warps take turns, for example. The seed of a [`Launch`] decides all of
//! them, so the same module, input and launch give the same report and the same bytes, on every platform and with any number
//! of cores. To try other choices, run other seeds, from a [`Snapshot`] of the memory.
//!
//! The crate does no input or output, reads no clock and no environment, and contains no `unsafe`. It also works as WebAssembly.
//!
//! # Versions
//!
//! A later version may add fields to [`Launch`], [`Checks`], [`Limits`] and [`Counters`]. End a literal of these with `..`, as
//! in the example. Where a type is marked as non-exhaustive, a later version may add fields or variants. Messages are for
//! people, and their words may change; programs read the fields.

// What only the tools and tests use, with `internals`, is dead without.
#![cfg_attr(not(feature = "internals"), allow(dead_code, unused_imports))]

mod access;
mod checkers;
mod compile;
mod emulator;
mod exec;
#[cfg(not(feature = "internals"))]
mod isa;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod isa;
#[cfg(not(feature = "internals"))]
mod launch;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod launch;
mod machine;
mod order;
#[cfg(not(feature = "internals"))]
mod ptx;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod ptx;
mod report;
mod schedule;

pub use emulator::{Emulator, KernelInfo, Limits, Module, Param, Snapshot};
pub use exec::moment::{Access, LaneGroup, Moment, Register, Waiting, Watcher};
pub use launch::{Arg, Checks, Dim3, Launch, Reconvergence, Schedule};
pub use launch::{DEFAULT_MAX_STEPS, DEFAULT_RESIDENT_BLOCKS, MAX_BLOCK_THREADS, MAX_GRID, MAX_SHARED_BYTES};
pub use launch::{LaunchError, MemoryError, Pulse};
pub use machine::global::Buffer;
pub use ptx::Error as PtxError;
pub use report::Report;
pub use report::counters::{Counters, LineCounters};
pub use report::fault::{Actor, Fault, FaultKind, Severity, Site, SourceLine, StaleRead};
pub use report::location::{AccessKind, Allocation, Location, Space};
pub use report::trace::TraceStep;

/// The example of the README is tested like those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
