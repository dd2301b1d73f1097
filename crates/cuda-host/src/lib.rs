//! Executes the host code of a CUDA program, and launches its kernels on the emulator.
//!
//! ```
//! let text = r#"
//!     __global__ void twice(int* x) { x[threadIdx.x] *= 2; }
//!     int main() {
//!         int h[4] = {1, 2, 3, 4}, *d;
//!         cudaMalloc(&d, sizeof(h));
//!         cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
//!         twice<<<1, 4>>>(d);
//!         cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
//!         printf("%d %d\n", h[0], h[3]);
//!         cudaFree(d);
//!     }"#;
//! let source = cudac::Source { name: "twice.cu", text };
//! let (output, program) = cudac::compile_program(&source, &cudac::Options::default()).unwrap();
//! let outcome = cuda_host::run(&program, "twice.cu", &output.ptx, &cuda_host::Given::default(), &cuda_host::Limits::default()).unwrap();
//! assert_eq!((outcome.status, &outcome.output[..]), (0, &b"2 8\n"[..]));
//! assert!(outcome.findings.is_empty());
//! ```
//!
//! cudac compiles the file once: the stages up to `check` see host code and kernels together, so a launch knows the types of its
//! kernel. The kernels become PTX, and the host code a tree in which every variable is an offset, every conversion is a node, and
//! nothing has a name but the runtime's functions. The tree is executed as it is (`machine`). It also says which objects end with
//! which statements, so their destructors are called whichever way a block is left.
//!
//! The program has an address space of its own (`memory`), in which each byte has a state: nobody's, allocated, written or
//! freed. So an access that is out of bounds, too early or too late is found at the byte. Addresses of the device are others, so
//! that confusing the two is found. Managed and pinned memory is memory of the emulator that host code may use too (`access`).
//!
//! Copies and kernels are carried out at once, in the order of the calls, and what a real program would have to wait for is
//! recorded (`order`). So every run finds a missing wait, although nothing is ever late; `unordered` says what streams may not
//! do to each other. Only what kernels print waits for the host, as it does on a GPU. An error that a call returns or a launch leaves behind has to be looked at before the next one. What stops
//! a launch stops the program; after a race, and after a read of bytes that nobody wrote, both go on.
//!
//! Of launches that repeat earlier ones not all need be checked for races ([`Limits::check_launches`], `repeats`).
//!
//! What would be right in another program is no finding, but it is kept as a *suspect*: `cudaMemset` with 1, for example, or a
//! copy of a part of a variable. If the program then says that its result is wrong, by its status or an `assert`, the first
//! suspect is the help (`kernel`).
//!
//! What host code may call is declared in `crates/cudac/src/headers/host/`. A function without a body there is carried out by
//! `runtime` or `cuda`; what neither knows is refused before anything runs. `cargo run -p cuda-host --example samples --
//! FOLDER` runs sixty public programs, compares what they print with what they printed on a GPU, and writes `SAMPLES.md`. Left
//! out: more than one thread, exceptions, and everything that would make two runs differ. Nothing is measured.
//!
//! Files are C's and C++'s (`stdio`, and the texts of `std::fstream` on top of it), and this crate does no I/O: it asks a
//! [`Files`] for what a program reads, keeps what it writes in memory, and returns it in [`Outcome::files`].
//!
//! Everything is bounded ([`Limits`], `bounds`). What reaches a bound is a finding with its line, and what was freed or
//! destroyed does not count, so a loop may allocate and free as often as it likes.
#![deny(missing_docs)]

mod access;
mod arithmetic;
mod bounds;
mod call;
mod copy;
mod cuda;
mod demangled;
mod device;
pub mod driver;
mod ending;
mod errors;
mod facts;
mod files;
mod finding;
mod function;
mod graph;
mod host_function;
mod kernel;
mod machine;
mod memory;
mod order;
mod pinned;
mod places;
mod print;
mod process;
mod quick;
mod random;
mod repeats;
mod resident;
mod runtime;
mod scan;
mod shared;
mod stdio;
mod stream;
mod tensor_map;
mod unordered;
mod words;
mod work;

use std::fmt;
use std::num::NonZeroU64;

use cudac::Line;

pub use demangled::{demangled, of_source};
pub use files::{Files, Nothing, Refusal, Used, Written};
pub use finding::{Finding, Kind};
pub use process::{Call, Ending, Gone, Process};
pub use repeats::Unchecked;
pub use shared::digest;
pub use simt::Severity;

/// What a program may use, and how its kernels are run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Memory in bytes: that of the device, twice that of the host, because each of its bytes has a state, and files. The stack
    /// of 256 mebibytes and the standard input do not count.
    pub memory_bytes: u64,
    /// Turns of loops, and calls, in host code.
    pub steps: u64,
    /// Calls in calls.
    pub calls: usize,
    /// How kernels are launched: seed, schedule, checkers, steps, cores. Sizes and arguments are the program's. If its pulse
    /// shall stop, the program does too.
    pub launch: simt::Launch,
    /// Of the launches of a kernel with the same shape and the same allocations, the first so many are checked for races, and
    /// then each whose number is a multiple; without a number, all are.
    pub check_launches: Option<NonZeroU64>,
    /// Bytes that are printed.
    pub output_bytes: usize,
}

/// Warp instructions of a launch, unless its caller says otherwise; then a large grid may take more.
pub const STEPS_OF_A_LAUNCH: u64 = 1_000_000_000;

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory_bytes: 4 << 30,
            steps: 1 << 31,
            calls: 1000,
            launch: simt::Launch {
                checks: simt::Checks::ALL,
                max_steps: STEPS_OF_A_LAUNCH,
                ..simt::Launch::new(1, 1)
            },
            check_launches: None,
            output_bytes: 16 << 20,
        }
    }
}

/// What a program did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it printed to its standard output.
    pub output: Vec<u8>,
    /// What it printed to its standard error.
    pub errors: Vec<u8>,
    /// What it returned, or gave to `exit`; 1 if a finding stopped it.
    pub status: i32,
    /// Whether it was stopped by a finding.
    pub was_stopped: bool,
    /// Whether the wish of the pulse ended it; then its status is 130, as after Ctrl-C.
    pub was_interrupted: bool,
    /// What is wrong with it, in the order in which it happened.
    pub findings: Vec<Finding>,
    /// How many kernels it launched.
    pub launches: u64,
    /// Kernels of which not all launches were checked for races.
    pub unchecked: Vec<Unchecked>,
    /// Whether it looked at a clock or recorded an event. What it prints about time is no measurement.
    pub asked_the_time: bool,
    /// What it did with files.
    pub files: Used,
}

/// Why a program cannot be executed, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where: `line 12`, or `line 12 of x.h`.
    pub place: Option<String>,
    /// What is not supported, or which limit was reached.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            None => write!(f, "{}", self.message),
            Some(place) => write!(f, "{place}: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}

/// The stack of the thread that executes host code, whose calls are calls of the executor.
const STACK_BYTES: usize = 256 << 20;

/// What a program gets.
#[derive(Clone, Copy, Debug)]
pub struct Given<'g> {
    /// The words that follow the name of the program in `argv`.
    pub arguments: &'g [String],
    /// Its standard input, and the files that it may read.
    pub files: &'g dyn Files,
}

impl Default for Given<'_> {
    fn default() -> Self {
        Given { arguments: &[], files: &Nothing }
    }
}

/// What happens while a program runs.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// It has printed this to its standard output; told before a finding.
    Output(&'e [u8]),
    /// Something is wrong with it.
    Finding(&'e Finding),
    /// Something cannot be emulated: what, and where. Only of a program that calls the driver, which goes on.
    Refused(&'e Error),
    /// It goes on: the turns of loops and the calls, and the launches so far, and the line. Told now and then.
    Alive {
        /// Turns of loops, and calls.
        turns: u64,
        /// Launches of kernels.
        launches: u64,
        /// The line of host code.
        line: Line,
    },
}

/// What is told of a program while it runs.
pub type Watch<'w> = &'w (dyn Fn(Event<'_>) + Sync);

/// Executes a program, whose kernels are in a module of PTX with a name.
///
/// # Errors
///
/// Something is not supported, or a limit was reached. What the program does wrong is a finding.
pub fn run(
    program: &cudac::host::Program,
    name: &str,
    ptx: &str,
    given: &Given<'_>,
    limits: &Limits,
) -> Result<Outcome, Error> {
    run_watched(program, name, ptx, given, limits, &|_| {})
}

/// Like [`run`], and tells what is found at once.
///
/// # Errors
///
/// As [`run`].
pub fn run_watched(
    program: &cudac::host::Program,
    name: &str,
    ptx: &str,
    given: &Given<'_>,
    limits: &Limits,
    watch: Watch<'_>,
) -> Result<Outcome, Error> {
    let words: Vec<&str> = std::iter::once(name).chain(given.arguments.iter().map(String::as_str)).collect();
    let execute = || {
        machine::Machine::new(program, name, ptx, given, None, limits, watch)
            .and_then(|machine| machine.run(&words))
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, execute);
        let failed = |message: &str| Error { place: None, message: message.to_owned() };
        let thread = thread.map_err(|_| failed("the thread of the program cannot be started"))?;
        thread.join().map_err(|_| failed("the executor failed: this is a mistake in it"))?
    })
}

/// Carries out what a process asks for that executes the host code of a program; its kernels are in a module of PTX with a name.
/// What the program gets, the process has got already.
///
/// # Errors
///
/// As [`run`].
pub fn serve(
    program: &cudac::host::Program,
    name: &str,
    ptx: &str,
    process: &dyn Process,
    limits: &Limits,
    watch: Watch<'_>,
) -> Result<Outcome, Error> {
    let given = Given::default();
    machine::Machine::new(program, name, ptx, &given, Some(process), limits, watch)
        .and_then(|machine| machine.serve(process))
}
