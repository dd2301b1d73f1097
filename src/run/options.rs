//! The command line of `lanes`.
//!
//! What can be said of an option without the file is said here: shapes, names, and how an argument is written. What
//! it leaves out: what depends on the kernel, which [`arguments`](super::arguments) checks.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use simt::launch::{DEFAULT_MAX_STEPS, DEFAULT_RESIDENT_BLOCKS};
use simt::{Dim3, Launch, Reconvergence, Schedule};

use super::spec::{Print, Spec};

const EXAMPLES: &str = "\
Examples:
  lanes list saxpy.ptx
  lanes run saxpy.ptx --grid 4 --block 256 --print 2:8 --arg f32:2 \\
      --arg buf:f32:1024:iota --arg buf:f32:1024:zeros --arg i32:1024";

/// Runs the kernels of a PTX file on an emulator that sees every lane
#[derive(Debug, Parser)]
#[command(name = "lanes", after_help = EXAMPLES, arg_required_else_help = false)]
pub(super) struct Options {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Say what is in a PTX file: its kernels, their parameters, and what is not supported
    List {
        /// The PTX file
        file: PathBuf,
    },
    /// Run a kernel, and say what it cost, printed and did wrong
    #[command(after_help = ARGUMENTS)]
    Run(RunOptions),
}

const ARGUMENTS: &str = "\
Arguments, one for each parameter, in order:
  i32:5  f32:1.5  u64:0x10  a number: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64
  buf:f32:1024:zeros        a buffer of 1024; faults call argument 0 `arg0`
  buf:i32:64:iota           0, 1, 2 and so on
  buf:f32:64:fill=1.5       all the same
  buf:i32:3:list=7,8,9      these

Exit status: 0 no fault, 1 the kernel was at fault, 2 it could not be run";

/// A launch, from the command line.
#[derive(Args, Debug)]
pub(super) struct RunOptions {
    /// The PTX file
    pub file: PathBuf,
    /// The kernel; may be left out where there is only one
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Blocks in the grid
    #[arg(long, default_value = "1", value_name = "X[,Y[,Z]]", value_parser = grid, allow_negative_numbers = true)]
    pub grid: Dim3,
    /// Threads in a block
    #[arg(long, default_value = "32", value_name = "X[,Y[,Z]]", value_parser = block, allow_negative_numbers = true)]
    pub block: Dim3,
    /// Dynamic shared memory of a block
    #[arg(long, default_value_t = 0, value_name = "BYTES", allow_negative_numbers = true)]
    pub shared_bytes: u32,
    /// The next argument of the kernel
    #[arg(long = "arg", value_name = "SPEC", value_parser = Spec::parse, allow_negative_numbers = true)]
    pub args: Vec<Spec>,
    /// Show a buffer afterwards, or its first elements; arguments count from 0
    #[arg(long = "print", value_name = "ARG[:COUNT]", value_parser = Print::parse, allow_negative_numbers = true)]
    pub prints: Vec<Print>,
    /// Decides what the hardware leaves open
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// Whose turn it is: round-robin, random, hunt (random, and changing over after accesses)
    #[arg(long, default_value = "round-robin", value_name = "POLICY", value_parser = schedule)]
    pub schedule: Schedule,
    /// How lanes meet again: stack (before Volta), its (since), auto (by the file's target)
    #[arg(long, default_value = "auto", value_name = "MECHANISM", value_parser = reconvergence)]
    pub reconvergence: Reconvergence,
    /// How many blocks run side by side
    #[arg(long, default_value_t = DEFAULT_RESIDENT_BLOCKS, value_name = "BLOCKS", value_parser = residents, allow_negative_numbers = true)]
    pub resident_blocks: u32,
    /// After how many warp instructions to stop the kernel
    #[arg(long, default_value_t = DEFAULT_MAX_STEPS, value_name = "STEPS", value_parser = steps, allow_negative_numbers = true)]
    pub max_steps: u64,
}

impl RunOptions {
    /// The launch, still without arguments.
    pub fn launch(&self) -> Launch {
        Launch {
            shared_bytes: self.shared_bytes,
            seed: self.seed,
            schedule: self.schedule,
            reconvergence: self.reconvergence,
            resident_blocks: self.resident_blocks,
            max_steps: self.max_steps,
            ..Launch::new(self.grid, self.block)
        }
    }
}

fn grid(text: &str) -> Result<Dim3, String> {
    shape(text).ok_or_else(|| "a grid is one to three whole numbers from 1, as in `4` or `4,2`".to_owned())
}

fn block(text: &str) -> Result<Dim3, String> {
    shape(text).filter(|block| block.count() <= 1024 && block.z <= 64).ok_or_else(|| {
        "a block has 1 to 1024 threads, and at most 64 in z, as in `256` or `16,16`".to_owned()
    })
}

fn shape(text: &str) -> Option<Dim3> {
    let sizes: Option<Vec<u32>> = text.split(',').map(|size| size.parse().ok().filter(|&n| n > 0)).collect();
    match sizes?[..] {
        [x] => Some(Dim3::new(x, 1, 1)),
        [x, y] => Some(Dim3::new(x, y, 1)),
        [x, y, z] => Some(Dim3::new(x, y, z)),
        _ => None,
    }
}

fn schedule(text: &str) -> Result<Schedule, String> {
    match text {
        "round-robin" => Ok(Schedule::RoundRobin),
        "random" => Ok(Schedule::Random),
        "hunt" => Ok(Schedule::Hunt),
        _ => Err("choose `round-robin`, `random` or `hunt`".to_owned()),
    }
}

fn reconvergence(text: &str) -> Result<Reconvergence, String> {
    match text {
        "auto" => Ok(Reconvergence::Auto),
        "stack" => Ok(Reconvergence::Stack),
        "its" => Ok(Reconvergence::Its),
        _ => Err("choose `auto`, `stack` or `its`".to_owned()),
    }
}

/// Each resident block has its registers and its shared memory, so their number is bounded.
const MAX_RESIDENT_BLOCKS: u32 = 1024;

fn residents(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|blocks| (1..=MAX_RESIDENT_BLOCKS).contains(blocks));
    number.ok_or_else(|| format!("1 to {MAX_RESIDENT_BLOCKS} blocks can run side by side"))
}

fn steps(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&steps| steps > 0);
    number.ok_or_else(|| "a number of steps is a whole number from 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_up_to_three_sizes() {
        assert_eq!(shape("4"), Some(Dim3::new(4, 1, 1)));
        assert_eq!(shape("4,2,3"), Some(Dim3::new(4, 2, 3)));
        for wrong in ["", "0", "4,", "4,0", "1,1,1,1", "-1", "x", "4294967296"] {
            assert_eq!(shape(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_block_that_no_gpu_has_is_refused() {
        assert!(block("32,32").is_ok() && block("1,1,64").is_ok());
        for wrong in ["1025", "33,32", "1,1,65", "2147483648,2147483648,4"] {
            assert!(block(wrong).is_err(), "{wrong}");
        }
    }
}
