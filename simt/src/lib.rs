//! An emulator of CUDA's PTX that sees every lane.
//!
//! PTX text in, memory, faults and counters out:
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let ptx = "";
//! let mut emulator = simt::Emulator::new(simt::Limits::default());
//! let module = emulator.load("saxpy.ptx", ptx)?;
//! let y = emulator.alloc("y", 4 * 1000)?;
//! let launch = simt::Launch::new(4, 256).arg(y.address()).arg(1000_u32);
//! let report = emulator.launch(&module, "fill", &launch)?;
//! assert!(report.faults.is_empty());
//! println!("{} sectors", report.counters.global_store_sectors);
//! # Ok(())
//! # }
//! ```
//!
//! A wrong kernel is a *result*: a [`Fault`] in the [`Report`]. An error means that the text cannot be read
//! or is not supported, or that a launch was asked for that no GPU could do. The crate does no I/O, reads no
//! clock and no environment, contains no `unsafe`, and gives the same result on every platform.

mod access;
mod checkers;
mod compile;
mod emulator;
mod exec;
pub mod isa;
pub mod launch;
mod machine;
mod order;
pub mod ptx;
mod report;
mod schedule;

pub use emulator::{Emulator, KernelInfo, Limits, Module, Param, Snapshot};
pub use launch::{Arg, Checks, Dim3, Launch, LaunchError, MemoryError, Reconvergence, Schedule};
pub use machine::global::Buffer;
pub use report::Report;
pub use report::counters::{Counters, LineCounters};
pub use report::fault::{Actor, Fault, FaultKind, Severity, Site, SourceLine, StaleRead};
pub use report::trace::TraceStep;
