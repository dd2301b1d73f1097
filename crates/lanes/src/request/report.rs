//! Where to run, and what to show of a run.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use spec::launch::steps;
use thirty_two_lanes::cores;

use super::buffers::{Picture, Print, Save};
use super::words::{bytes, folder};

/// The options of the machine.
#[derive(Args, Debug)]
pub struct Machine {
    /// Where to run: sim (the emulator), gpu (the emulator first, then the GPU if that is safe)
    #[arg(long, value_enum, default_value = "sim", value_name = "MACHINE", hide_possible_values = true)]
    pub device: Device,
    /// How many cores of this computer the emulator uses; results do not depend on it [default: all]
    #[arg(long, value_name = "CORES", value_parser = cores::parse, allow_negative_numbers = true)]
    pub cores: Option<u32>,
    /// How much memory the kernels or the program may use, as in 512M: the device's, twice the host's, and files [default:
    /// half of what is free, and for a program at least 4G]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub memory: Option<u64>,
    /// Who executes the host code of a program: interpret (the interpreter, which checks every access), clang (compiled by
    /// clang, which has to be installed, and run natively, with your rights), auto (clang for what the interpreter cannot
    /// read)
    #[arg(long, value_enum, default_value = "auto", value_name = "HOST", hide_possible_values = true)]
    pub host: Host,
    /// Let a program write the files of this folder; without it, what a program writes stays in memory, and is named
    #[arg(long = "write", value_name = "FOLDER", value_parser = folder)]
    pub writes: Vec<PathBuf>,
}

/// Where to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    Sim,
    Gpu,
}

/// Who executes host code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Host {
    Auto,
    Interpret,
    Clang,
}

/// How many steps of a trace are written by default: some 200 megabytes, more than a reader needs, and less than fills a
/// disk.
const MOST_STEPS: u64 = 1_000_000;

/// The options of the report.
#[derive(Args, Debug)]
pub struct Output {
    /// Show a buffer after the run, or some of its elements; ARG is the name of a buffer or an argument, counted from
    /// 0, and element B is not included
    #[arg(
        long = "print",
        value_name = "ARG[:COUNT|:A..B]",
        value_parser = Print::parse,
        allow_negative_numbers = true
    )]
    pub prints: Vec<Print>,
    /// Write the bytes of a buffer to a file after the run, as --arg buf:...:file= reads them
    #[arg(long = "save", value_name = "ARG=FILE", value_parser = Save::parse)]
    pub saves: Vec<Save>,
    /// Draw a buffer after the run, in rows of WIDTH elements, on the terminal or into a PNG file: the smallest number
    /// black, the largest white
    #[arg(long = "picture", value_name = "ARG:WIDTH[=FILE]", value_parser = Picture::parse)]
    pub pictures: Vec<Picture>,
    /// Write every instruction to a file, one JSON object per line (docs/trace.md)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The most steps that the file may have, of some 200 bytes each; the kernel itself is not cut short
    #[arg(
        long,
        default_value_t = MOST_STEPS,
        value_name = "STEPS",
        value_parser = steps,
        requires = "trace",
        allow_negative_numbers = true
    )]
    pub trace_steps: u64,
    /// Print one JSON object with everything that was found
    #[arg(long)]
    pub json: bool,
}
