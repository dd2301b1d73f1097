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
//! # What it cannot show
//!
//! It will never show cycles, because it counts work and has no clock.
//!
//! The race checker judges one run: two accesses that a flag happened to order in this run may race in another one, so run
//! several seeds. The weak memory returns older stores, but none that is carried out later (load buffering), and it takes the
//! order in which stores are carried out as the coherence order. A result that needs another coherence order does not appear,
//! and neither does one that needs a late release store, an access delayed past a fence of too small a scope, or a store between
//! the read and the write of an atomic.
//!
//! A livelock is proven if each group of lanes repeats a loop and changes nothing, or if the whole machine returns to the same
//! state while warps take turns in order. Endless loops that count, look at the clock or always write something new end at the
//! limit on steps, and with weak memory all endless loops do.
//!
//! Tensor copies move tiles only, no columns of images (`im2col`). Clusters of more than 8 blocks are not supported.
//!
//! # Versions
//!
//! A later version may add fields to [`Launch`], [`Checks`], [`Limits`] and [`Counters`]. End a literal of these with `..`, as
//! in the example. Where a type is marked as non-exhaustive, a later version may add fields or variants. Messages are for
//! people, and their words may change; programs read the fields.

// # For maintainers
//
// What others see is what is re-exported below. The feature `internals` also shows `isa`, `ptx`, `launch` and test hooks to the
// tools and tests of this repository; nobody else should use it, and any version may change what it shows.
//
// The layers. A folder may use only those above it, and a test of the repository checks that. The interface, `emulator.rs`, may
// use everything, and nothing uses it.
//
// - `ptx/`: from text to a tree, with a place in the text for every node and a CUDA line for every instruction. It knows the
//   grammar, and not a single instruction.
// - `schedule/`: which warp and which group of lanes runs next, and the numbers that are drawn from the seed.
// - `launch/`: how a kernel is launched: shape, arguments, and the choices that decide the run; why a launch or a request for
//   memory is refused (`error`); and how far a launch has come, for others to see and to stop it (`pulse`).
// - `report/`: what a launch did, as plain data: faults, the bytes that they are about (`location`), counters, a step of a trace;
//   and, for tests, how much was carried out warp by warp (`effort`).
// - `machine/`: the state: registers, memories, a fork of global memory for each core (`fork`), what a failed launch has to put
//   back (`journal`), snapshots, groups of lanes, and reconvergence points.
// - `order/`: what happens before what, and the older stores that the weak memory may return.
// - `isa/`: a file for each family of instructions, with the forms that it accepts, their decoding and their tests. What a
//   decoded instruction is and means for values is in `op/` and `value.rs`.
// - `access/`: which bytes an instruction touches in each lane, in which order lanes store, and what an access costs.
// - `compile/`: from the tree to a program; where branches reconverge, and which registers are temporaries.
// - `checkers/`: a module for each checker: its state, the hooks through which it sees the run, and the words for its findings.
// - `exec/`: runs a kernel. Its `mod.rs` says what its files do.
//
// From the text to the report, in one line each:
//
// - A PTX text: `ptx::parse` → `compile::lower` → `isa::decode` → a form in `isa/FAMILY.rs` → `compile::flow` →
//   `compile::program::Program`.
// - A load's address: `isa::memory` (the operand) → `isa::op::memory::Address` → `access::address` → `exec::memory` →
//   `machine::global`.
// - A race: `exec::step` → `checkers::memory_model` → `checkers::races` (with `order::clocks`) → `checkers::findings` →
//   `checkers::wording` → `report::fault`.
//
// Terms, beside those of the CUDA documentation, each with the module that explains it:
//
// - *column*, *bank*: the values of one register in all 32 lanes of a warp; the columns of one width (`machine::registers`)
// - *slot*, *frame*: the number of a column, counted from the frame of the running function (`isa::op::place`); the columns and
//   the local memory of one call (`machine::divergence`)
// - *affine*, *uniform*: a register that is a base plus fixed steps in the place of a thread; one whose steps are zero
//   (`machine::affine`)
// - *temporary*: a register that is written before it is read wherever control may arrive (`compile::temporaries`)
// - *form*, *family*: the opcodes that are decoded in the same way; the forms of a section of the PTX ISA (`isa::form`)
// - *slice*, *round*: how many steps a warp may take before it is another's turn; one slice for each (`schedule`)
// - *group*, *meeting*: lanes of a warp with one program counter and one call stack; where diverged lanes wait for each other
//   (`machine::divergence`)
// - *team*: the lanes of a block at the lowest program counter at which any can run (`exec::team`)
// - *region*, *fork*, *journal*: the addresses of one allocation (`machine::global`); a copy-on-write view of memory
//   (`machine::fork`); the undo log of a launch (`machine::journal`)
// - *lane order*: which of several lanes of one instruction stores last (`access::lane_order`)
// - *sector*, *bank conflict*: what accesses cost in global and in shared memory (`access::traffic`)
// - *clock*, *epoch*, *vector clock*: what threads know of each other (`order`)
// - *store history*, *delayed operation*, *stale read*: the weak memory (`order::store_history`,
//   `checkers::memory_model::delayed`)
// - *shadow memory*: the accesses that the race checker remembers, as *stretches*, *layers* or *cells*
//   (`checkers::races::shadow`)
// - *finding*, *fault*, *actor*: what a checker found, as data (`checkers::findings`); the same in words, and a thread that
//   took part (`report::fault`)
// - *checker*, *watcher*, *probe*: what checks accesses; the caller that is shown every instruction (`exec::moment`); and what
//   finds threads that never continue (`exec::livelock`)

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
pub use launch::{DEFAULT_MAX_STEPS, DEFAULT_PRINT_BYTES, DEFAULT_RESIDENT_BLOCKS};
pub use launch::{LaunchError, MemoryError, Pulse};
pub use launch::{MAX_BLOCK_THREADS, MAX_CLUSTER_BLOCKS, MAX_GRID, MAX_SHARED_BYTES};
pub use machine::global::Buffer;
pub use machine::tensor_map::{
    TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES, TensorMap, TensorMapError, TensorMapRequest,
};
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
