//! The command line of `lanes`.
//!
//! Everything that can be checked without the file is checked here: shapes, names, and combinations of options that
//! make no sense, because no option is silently ignored. What it leaves out: checks that depend on the kernel, which
//! are in [`arguments`](super::arguments), and the syntax of an argument, which is in [`spec`](super::spec).

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand, ValueEnum};
use cudac::toolchain::Choice;
use simt::DEFAULT_RESIDENT_BLOCKS;
use simt::{Dim3, Launch, Reconvergence, Schedule};

use super::given::{Expectation, Given, Written};
use super::launches::Asked;
use super::picture::Picture;
use super::print::Print;
use super::save::Save;
use super::seeds::Seeds;
use super::source::How;
use super::trace;
use super::words::{self, Watch};
use thirty_two_lanes::cores;

const EXAMPLES: &str = "\
Examples:
  lanes list saxpy.cu
  lanes run saxpy.cu --grid 4 --block 256 --print 2:8 --arg f32:2 \\
      --arg buf:f32:1024:iota --arg buf:f32:1024:zeros --arg i32:1024
  lanes explain race";

/// Runs the kernels of a CUDA or PTX file on an emulator that sees every lane
#[derive(Debug, Parser)]
#[command(name = "lanes", version, after_help = EXAMPLES, arg_required_else_help = false)]
pub(super) struct Options {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run a kernel, and report its cost, its output and its faults; or a whole program, if the file has a `main`
    #[command(after_help = ARGUMENTS)]
    Run(Box<RunOptions>),
    /// Say what the lines of a launch cost, and what they could cost: sectors, bank conflicts, idle lanes, barriers
    #[command(after_help = ADVISE)]
    Advise(Box<RunOptions>),
    /// Write a launch into one HTML file, in which it can be played step by step
    #[command(after_help = PLAY)]
    Play(Box<PlayOptions>),
    /// Run the tests of scenario files: launches in a row, with what they have to leave in memory, to cost and to find
    #[command(after_help = TEST)]
    Test(TestOptions),
    /// Show what is in a file: its kernels, their parameters, and what is not supported
    List(ListOptions),
    /// Explain what a kind of fault or of advice means, why it matters, and how to fix it; without a kind, list all of them
    Explain {
        /// The kind, as a report calls it: race, out-of-bounds, bank-conflicts, ...
        #[arg(value_parser = words::topic)]
        topic: Option<super::explain::Topic>,
    },
}

/// What to list.
#[derive(Args, Debug)]
pub(super) struct ListOptions {
    /// The CUDA (.cu) or PTX file
    pub file: PathBuf,
    /// Compile a .cu file for this architecture, as in 80 [default: 70]
    #[arg(long, value_name = "ARCH", value_parser = words::arch)]
    pub arch: Option<u32>,
    /// Compile a .cu file with this compiler [default: NVIDIA's (nvrtc) if it is installed, otherwise cudac, which is built in]
    #[arg(long, value_name = "cudac|nvrtc", value_parser = words::compiler)]
    pub compiler: Option<Choice>,
    /// Define a macro before a .cu file is compiled; without a value, as 1
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = words::define)]
    pub defines: Vec<(String, String)>,
    /// Make a kernel of a template, as in "scale<float, 4>"
    #[arg(long = "instantiate", value_name = "KERNEL", value_parser = words::instance)]
    pub instances: Vec<String>,
    /// The version of C++: c++11, c++14, c++17 or c++20 [default: c++17]
    #[arg(long, value_name = "VERSION", value_parser = words::standard)]
    pub std: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

const TEST: &str = "\
A scenario file names a CUDA or PTX file, and has any number of tests (docs/scenarios.md):
  file = \"sum.cu\"

  [[test]]
  name = \"a sum of 2048 numbers\"
  seeds = \"0..4\"
  buffers = { x = \"f32:2048:iota\", sum = \"f32:1:zeros\" }
  expect = { sum = { is = \"fill=2096128\", tolerance = 1e-6 } }

  [[test.launch]]
  kernel = \"sum\"
  grid = 8
  block = 256
  args = [\"x\", \"sum\", \"i32:2048\"]
  counters = { shared_bank_conflicts = \"<= 0\" }

Exit status: 0 all tests passed, 1 a test failed, 2 a file is wrong or could not be run";

/// Tests to run.
#[derive(Args, Debug)]
pub(super) struct TestOptions {
    /// The scenario files (.toml)
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Run only the tests whose name contains this
    #[arg(long, value_name = "WORDS")]
    pub only: Option<String>,
    /// What to print: text, junit (XML for CI systems), sarif (findings with their lines), json
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    /// Compile .cu files with this compiler [default: NVIDIA's (nvrtc) if it is installed, otherwise cudac, which is built in]
    #[arg(long, value_name = "cudac|nvrtc", value_parser = words::compiler)]
    pub compiler: Option<Choice>,
}

/// How results of tests are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Junit,
    Sarif,
    Json,
}

const ADVISE: &str = "\
The options that decide a run are those of `lanes run`. The launch is run and watched; what
can be tried mechanically (a longer row, a barrier that is left out) is tried, and only what
was counted is said.

Example:
  lanes advise transpose.cu --grid 4,4 --block 32,8 --arg buf:f32:16384:iota \\
      --arg buf:f32:16384:zeros --arg i32:128";

const PLAY: &str = "\
The options that decide a run are those of `lanes run`. The file needs nothing besides a browser.

Example:
  lanes play saxpy.cu --grid 2 --arg f32:2 --arg buf:f32:64:iota --arg buf:f32:64:zeros --arg i32:64";

/// A launch that is written into a page.
#[derive(Args, Debug)]
pub(super) struct PlayOptions {
    #[command(flatten)]
    pub run: RunOptions,
    /// The file to write [default: the name of FILE with the ending .html, in this folder]
    #[arg(long, value_name = "HTML", help_heading = MACHINE)]
    pub out: Option<PathBuf>,
}

const ARGUMENTS: &str = "\
Arguments, one --arg for each parameter, in order:
  i32:5  f32:1.5  u64:0x10   a number: i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64
  buf:f32:1024:zeros         a buffer of 1024 zeros; messages call argument 0 `arg0`
  buf:i32:64:iota            0, 1, 2 and so on
  buf:f32:64:fill=1.5        all elements the same
  buf:f32:64:rand            random: floats in [0,1), integers over their whole range;
                             rand=7 for another seed
  buf:i32:64:rand=7,-5..5    random whole numbers from -5 to 4
  buf:i32:3:list=7,8,9       these values
  buf:f32:64:file=x.bin      the bytes of a file, little-endian
  buf:f32:64:uninitialized   never written; reading it is reported as a fault
  {f32:2, {i32:5, x}}        a structure by value, from its fields; @16 after the last brace
                             aligns it to 16 bytes, as float4 is
  x                          the buffer that --buffer x=f32:1024:zeros makes

Several kernels on the same buffers, one after the other:
  lanes run sum.cu --buffer x=f32:2048:iota --buffer part=f32:8:zeros --buffer y=f32:1:zeros \\
      --launch 'sum<<<8, 256>>>(x, part, i32:2048)' --launch 'sum<<<1, 8>>>(part, y, i32:8)' \\
      --expect y=fill=2096128 --tolerance 1e-6

Checkers: races (race), initialisation (init), synchronisation (sync). Accesses outside
every buffer are always reported, because the emulator cannot carry them out, and so are
deadlocks. `--check memory` switches the three checkers off.

Examples:
  lanes run sum.cu --kernel sum --grid 8 --block 256 --print 1:1 \\
      --arg buf:f32:2048:rand --arg buf:f32:1:zeros --arg i32:2048
  lanes run sum.cu --seeds 0..100 --check races ...     look for a schedule that fails
  lanes run sum.cu --seeds 0..100 --check memory --print 1 ...     compare the results

A .cu file with a function `main` is run as a whole, host code included, unless --kernel
or --arg is given: what it prints comes first, and then what is wrong with it. Clocks
and events return stated values, because nothing is measured.

A long run shows how far it is. Ctrl-C ends it, and what is known until then is printed; a
second one ends it at once.

Exit status: 0 no error, 1 the kernel has an error, or the seeds left different results
in a buffer that is printed, or a buffer is not as --expect says, or something is wrong with
the program, 2 the kernel or the program could not be run, 130 Ctrl-C ended a run in which
nothing had been found";

const LAUNCH: &str = "Launch";
const CHANCE: &str = "Scheduling";
const CHECKS: &str = "Checks";
const MACHINE: &str = "Machine and report";

/// The default limit on warp instructions: this many for a launch, and a thousand more for each warp.
const STEPS_OF_A_LAUNCH: u64 = 50_000_000;
const STEPS_OF_A_WARP: u64 = 1000;

/// A launch, from the command line.
#[derive(Args, Debug)]
pub(super) struct RunOptions {
    /// The CUDA (.cu) or PTX file
    pub file: PathBuf,
    /// The kernel, one of a template with its arguments as in "scale<float, 4>"; may be omitted if there is only one
    #[arg(long, value_name = "NAME", help_heading = LAUNCH)]
    pub kernel: Option<String>,
    /// Blocks in the grid
    #[arg(long, default_value = "1", value_name = "X[,Y[,Z]]", value_parser = words::grid, allow_negative_numbers = true, help_heading = LAUNCH)]
    pub grid: Dim3,
    /// Threads in a block
    #[arg(long, default_value = "32", value_name = "X[,Y[,Z]]", value_parser = words::block, allow_negative_numbers = true, help_heading = LAUNCH)]
    pub block: Dim3,
    /// Dynamic shared memory per block
    #[arg(long, default_value_t = 0, value_name = "BYTES", allow_negative_numbers = true, help_heading = LAUNCH)]
    pub shared_bytes: u32,
    /// The next argument of the kernel (see below)
    #[arg(long = "arg", value_name = "SPEC", value_parser = Given::parse, allow_negative_numbers = true, help_heading = LAUNCH)]
    pub args: Vec<Given>,
    /// A buffer with a name, for arguments
    #[arg(long = "buffer", value_name = "NAME=TYPE:COUNT:FILL", value_parser = words::named_buffer, help_heading = LAUNCH)]
    pub buffers: Vec<(String, String)>,
    /// What a `__constant__` or `__device__` variable contains at first: numbers as in a buffer, one number, or a structure
    #[arg(long = "symbol", value_name = "NAME=SPEC", value_parser = words::named_value, help_heading = LAUNCH)]
    pub symbols: Vec<(String, String)>,
    /// The next of several launches on the same buffers, in place of --kernel, --grid, --block, --shared-bytes and --arg
    #[arg(long = "launch", value_name = "KERNEL<<<GRID, BLOCK>>>(ARGS)", value_parser = Written::parse, conflicts_with_all = ["kernel", "grid", "block", "shared_bytes", "args"], help_heading = LAUNCH)]
    pub launches: Vec<Written>,
    /// Compile a .cu file for this architecture, as in 80 [default: 70]
    #[arg(long, value_name = "ARCH", value_parser = words::arch, help_heading = LAUNCH)]
    pub arch: Option<u32>,
    /// Compile a .cu file with this compiler [default: NVIDIA's (nvrtc) if it is installed, otherwise cudac, which is built in]
    #[arg(long, value_name = "cudac|nvrtc", value_parser = words::compiler, help_heading = LAUNCH)]
    pub compiler: Option<Choice>,
    /// Define a macro before a .cu file is compiled; without a value, as 1
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = words::define, help_heading = LAUNCH)]
    pub defines: Vec<(String, String)>,
    /// Make a kernel of a template, as in "scale<float, 4>"; not needed for a kernel that is launched by this name
    #[arg(long = "instantiate", value_name = "KERNEL", value_parser = words::instance, help_heading = LAUNCH)]
    pub instances: Vec<String>,
    /// The version of C++: c++11, c++14, c++17 or c++20 [default: c++17]
    #[arg(long, value_name = "VERSION", value_parser = words::standard, help_heading = LAUNCH)]
    pub std: Option<u32>,

    /// Seed of the random choices: what the specification leaves open, and the order of warps [default: 0]
    #[arg(long, allow_negative_numbers = true, help_heading = CHANCE)]
    pub seed: Option<u64>,
    /// Run seeds A to B-1 until one finds an error, and compare the buffers that --print shows; warps run in random order, unless --schedule says otherwise
    #[arg(long, value_name = "A..B", value_parser = Seeds::parse, allow_hyphen_values = true, help_heading = CHANCE)]
    pub seeds: Option<Seeds>,
    /// How warps take turns: round-robin, random, or hunt (random, switches after accesses and separates lanes that nothing keeps together) [default: round-robin]
    #[arg(long, value_name = "POLICY", value_parser = words::schedule, help_heading = CHANCE)]
    pub schedule: Option<Schedule>,
    /// How lanes reconverge: stack (before Volta), its (independent thread scheduling, since Volta), auto (as the target does) [default: auto]
    #[arg(long, value_name = "MECHANISM", value_parser = words::reconvergence, help_heading = CHANCE)]
    pub reconvergence: Option<Reconvergence>,
    /// How many blocks are resident at the same time [default: 16]
    #[arg(long, value_name = "BLOCKS", value_parser = words::residents, allow_negative_numbers = true, help_heading = CHANCE)]
    pub resident_blocks: Option<u32>,
    /// Let loads return older values and stores take effect late where the memory model of PTX allows it, and report where this happened
    #[arg(long, help_heading = CHANCE)]
    pub weak_memory: bool,

    /// Which checkers are on: all, none, or a list of races, initialisation, synchronisation, memory [default: all]
    #[arg(long, value_name = "LIST", value_parser = words::checks, help_heading = CHECKS)]
    pub check: Option<Watch>,
    /// What a buffer has to contain in the end: WHAT is as a buffer is filled, or like=BUFFER, which a kernel for reference may have filled
    #[arg(long = "expect", value_name = "ARG[:A..B]=WHAT", value_parser = Expectation::parse, help_heading = CHECKS)]
    pub expectations: Vec<Expectation>,
    /// By how much floats may differ from --expect, relative to the expected number, or to 1 if that is nearer to zero
    #[arg(long, value_name = "NUMBER", value_parser = words::tolerance, requires = "expectations", allow_negative_numbers = true, help_heading = CHECKS)]
    pub tolerance: Option<f64>,
    /// Count warnings, notes and differences from the GPU as errors
    #[arg(long, help_heading = CHECKS)]
    pub strict: bool,
    /// After how many warp instructions to stop the kernel; lanes that wait to reconverge continue without the others after an eighth of them at the latest [default: 50 million, and 1000 for each warp; 1000 million for each launch of a program]
    #[arg(long, value_name = "STEPS", value_parser = words::steps, allow_negative_numbers = true, help_heading = CHECKS)]
    pub max_steps: Option<u64>,

    /// Where to run: sim (the emulator), gpu (the emulator first, then the GPU if that is safe)
    #[arg(long, value_enum, default_value = "sim", value_name = "MACHINE", hide_possible_values = true, help_heading = MACHINE)]
    pub device: Device,
    /// How many cores of this computer the emulator uses; results do not depend on it [default: all]
    #[arg(long, value_name = "CORES", value_parser = cores::parse, allow_negative_numbers = true, help_heading = MACHINE)]
    pub cores: Option<u32>,
    /// Show a buffer after the run, or some of its elements; ARG is the name of a buffer or an argument, counted from 0, and element B is not included
    #[arg(long = "print", value_name = "ARG[:COUNT|:A..B]", value_parser = Print::parse, allow_negative_numbers = true, help_heading = MACHINE)]
    pub prints: Vec<Print>,
    /// Write the bytes of a buffer to a file after the run, as --arg buf:...:file= reads them
    #[arg(long = "save", value_name = "ARG=FILE", value_parser = Save::parse, help_heading = MACHINE)]
    pub saves: Vec<Save>,
    /// Draw a buffer after the run, in rows of WIDTH elements, on the terminal or into a PNG file: the smallest number black, the largest white
    #[arg(long = "picture", value_name = "ARG:WIDTH[=FILE]", value_parser = Picture::parse, help_heading = MACHINE)]
    pub pictures: Vec<Picture>,
    /// Write every instruction to a file, one JSON object per line (docs/trace.md)
    #[arg(long, value_name = "FILE", help_heading = MACHINE)]
    pub trace: Option<PathBuf>,
    /// The most steps that the file may have, of some 200 bytes each; the kernel itself is not cut short
    #[arg(long, default_value_t = trace::MOST_STEPS, value_name = "STEPS", value_parser = words::steps, requires = "trace", allow_negative_numbers = true, help_heading = MACHINE)]
    pub trace_steps: u64,
    /// Print one JSON object with everything that was found
    #[arg(long, help_heading = MACHINE)]
    pub json: bool,
    /// What a program with a `main` finds in `argv`, after `--`
    #[arg(last = true, value_name = "WORD")]
    pub words: Vec<String>,
}

/// Where to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Device {
    Sim,
    Gpu,
}

/// A limit on warp instructions that is enough for any launch of this size. It takes some seconds, after which a
/// reader wants a result.
fn usual_steps(grid: Dim3, block: Dim3) -> u64 {
    let warps = grid.count().saturating_mul(block.count().div_ceil(32));
    warps.saturating_mul(STEPS_OF_A_WARP).saturating_add(STEPS_OF_A_LAUNCH)
}

impl ListOptions {
    /// How to compile the file.
    pub fn how(&self) -> How<'_> {
        let ListOptions { arch, compiler: choice, defines, instances, std, .. } = self;
        How { arch: *arch, choice: *choice, defines, instances: instances.clone(), std: *std }
    }
}

impl RunOptions {
    /// How to compile the file.
    pub fn how(&self) -> How<'_> {
        let RunOptions { arch, compiler: choice, defines, instances, std, .. } = self;
        let launched = self.launches.iter().filter_map(|launch| launch.kernel.as_ref()).chain(&self.kernel);
        let launched = launched.filter(|name| name.contains('<')).cloned();
        let instances = instances.iter().cloned().chain(launched).collect();
        How { arch: *arch, choice: *choice, defines, instances, std: *std }
    }

    /// Options that only launches of kernels have, by name, and whether they were given.
    pub fn for_kernels(&self) -> [(&'static str, bool); 8] {
        [
            ("--buffer", !self.buffers.is_empty()),
            ("--symbol", !self.symbols.is_empty()),
            ("--instantiate", !self.instances.is_empty()),
            ("--std", self.std.is_some()),
            ("--expect", !self.expectations.is_empty()),
            ("--save", !self.saves.is_empty()),
            ("--picture", !self.pictures.is_empty()),
            ("--print", !self.prints.is_empty()),
        ]
    }

    /// The launches as they are written, with the first seed and still without arguments.
    pub fn launches(&self) -> Vec<Asked<'_>> {
        let written =
            self.launches.iter().map(|Written { kernel, grid, block, shared_bytes, args, .. }| {
                let launch = Launch { shared_bytes: *shared_bytes, ..self.launch(*grid, *block) };
                Asked { kernel: kernel.as_deref(), args: args.clone(), launch }
            });
        if self.launches.is_empty() {
            let arg = |(index, given): (usize, &Given)| given.name(index);
            let args = self.args.iter().enumerate().map(arg).collect();
            let launch = Launch { shared_bytes: self.shared_bytes, ..self.launch(self.grid, self.block) };
            return vec![Asked { kernel: self.kernel.as_deref(), args, launch }];
        }
        written.collect()
    }

    /// A launch of this shape, with the first seed and still without arguments.
    fn launch(&self, grid: Dim3, block: Dim3) -> Launch {
        let by_default = if self.seeds.is_some() { Schedule::Random } else { Schedule::RoundRobin };
        Launch {
            seed: self.seeds.map_or(self.seed.unwrap_or(0), |seeds| seeds.start),
            schedule: self.schedule.unwrap_or(by_default),
            reconvergence: self.reconvergence.unwrap_or_default(),
            checks: self.watch().checks(),
            weak_memory: self.weak_memory,
            resident_blocks: self.resident_blocks.unwrap_or(DEFAULT_RESIDENT_BLOCKS),
            max_steps: self.max_steps.unwrap_or_else(|| usual_steps(grid, block)),
            cores: self.cores.unwrap_or_else(cores::available),
            ..Launch::new(grid, block)
        }
    }

    /// Which checkers are on.
    pub fn watch(&self) -> Watch {
        self.check.unwrap_or(Watch::ALL)
    }

    /// Whether the emulator runs the kernel. It does not for a GPU without any check.
    pub fn emulates(&self) -> bool {
        self.device == Device::Sim || self.watch() != Watch::NONE
    }

    /// Refuses options that contradict each other, or of which one would have no effect.
    pub fn check_together(&self) -> Result<()> {
        if self.seeds.is_some() && self.seed.is_some() {
            bail!("`--seed` is for one run and `--seeds` for many: give only one of them");
        }
        if self.launches.len() > 1 && self.trace.is_some() {
            bail!("`--trace` records one launch: give `--launch` once");
        }
        if self.launches.len() > 1 && self.device == Device::Gpu {
            bail!("several launches run on the emulator only: omit `--device gpu`, or give `--launch` once");
        }
        if !self.symbols.is_empty() && self.device == Device::Gpu {
            bail!("variables can be set on the emulator only: omit `--device gpu`, or `--symbol`");
        }
        if self.seeds.is_some() && self.trace.is_some() {
            bail!("`--trace` records one run: find the seed with `--seeds`, then give it with `--seed`");
        }
        if self.emulates() {
            return Ok(());
        }
        let given = [
            ("--seed", self.seed.is_some()),
            ("--seeds", self.seeds.is_some()),
            ("--schedule", self.schedule.is_some()),
            ("--reconvergence", self.reconvergence.is_some()),
            ("--resident-blocks", self.resident_blocks.is_some()),
            ("--weak-memory", self.weak_memory),
            ("--strict", self.strict),
            ("--max-steps", self.max_steps.is_some()),
            ("--trace", self.trace.is_some()),
            ("--cores", self.cores.is_some()),
            ("--expect", !self.expectations.is_empty()),
        ];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            bail!(
                "`{option}` is for the emulator, which does not run with `--device gpu --check none`: use `--check memory`, \
                 or omit `{option}`"
            );
        }
        Ok(())
    }
}
