//! The command line of `lanes`: the commands, and which groups of options each of them has.
//!
//! A group has a file of its own. What it leaves out: combinations of options that make no sense, which are in
//! [`together`](super::together).

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use spec::launch::{FIELDS, Field, Group};

use super::checks::Checks;
use super::compile::{Compile, Compiler};
use super::exec::ExecOptions;
use super::given::Written;
use super::help;
use super::launch::LaunchOptions;
use super::report::{Machine, Output};
use super::topic::Topic;
use super::words;

/// Runs the kernels of a CUDA or PTX file on an emulator that sees every lane
#[derive(Debug, Parser)]
#[command(name = "lanes", version, after_help = help::EXAMPLES, arg_required_else_help = false)]
pub struct Options {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a kernel, and report its cost, its output and its faults; or a whole program, if the file has a `main`
    #[command(after_help = help::ARGUMENTS)]
    Run(Box<RunOptions>),
    /// Say what the lines of a launch cost, and what they could cost: sectors, bank conflicts, idle lanes, barriers
    #[command(after_help = help::ADVISE)]
    Advise(Box<RunOptions>),
    /// Write a launch into one HTML file, in which it can be played step by step
    #[command(after_help = help::PLAY)]
    Play(Box<PlayOptions>),
    /// Run another program's CUDA without a GPU, and check it: any command that loads NVIDIA's driver and brings PTX
    #[command(after_help = help::EXEC)]
    Exec(Box<ExecOptions>),
    /// Run the tests of scenario files: launches in a row, with what they have to leave in memory, to cost and to find
    #[command(after_help = help::TEST)]
    Test(TestOptions),
    /// Show what is in a file: its kernels, their parameters, and what is not supported
    List(ListOptions),
    /// Explain what a kind of fault or of advice means, why it matters, and how to fix it; without a kind, list all of
    /// them
    Explain {
        /// The kind, as a report calls it: race, out-of-bounds, bank-conflicts, ...
        #[arg(value_parser = Topic::parse)]
        topic: Option<Topic>,
    },
}

/// What to list.
#[derive(Args, Debug)]
#[command(mut_arg("instances", |arg| arg.help("Make a kernel of a template, as in \"scale<float, 4>\"")))]
pub struct ListOptions {
    /// The CUDA (.cu) or PTX file
    pub file: PathBuf,
    /// More sources of the same program (.cu, .cpp, .c)
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub compile: Compile,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Tests to run.
#[derive(Args, Debug)]
pub struct TestOptions {
    /// The scenario files (.toml)
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Run only the tests whose name contains this
    #[arg(long, value_name = "WORDS")]
    pub only: Option<String>,
    /// What to print: text, junit (XML for CI systems), sarif (findings with their lines), json
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    /// Compile .cu files with this compiler [default: NVIDIA's (nvrtc) if it is installed, otherwise cudac, which is
    /// built in]
    #[arg(long, value_name = "cudac|nvrtc|clang", value_parser = words::compiler)]
    pub compiler: Option<Compiler>,
}

/// How results of tests are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Junit,
    Sarif,
    Json,
}

/// A launch that is written into a page.
#[derive(Args, Debug)]
pub struct PlayOptions {
    #[command(flatten)]
    pub run: RunOptions,
    /// The file to write [default: the name of FILE with the ending .html, in this folder]
    #[arg(long, value_name = "HTML", help_heading = MACHINE)]
    pub out: Option<PathBuf>,
}

const LAUNCH: &str = "Launch";
const MACHINE: &str = "Machine and report";

/// A launch, from the command line.
#[derive(Args, Debug)]
pub struct RunOptions {
    /// The CUDA (.cu) or PTX file
    pub file: PathBuf,
    /// More sources of the same program (.cu, .cpp, .c)
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// What a program with a `main` finds in `argv`, after `--`
    #[arg(last = true, value_name = "WORD")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub launch: LaunchOptions,
    /// The next of several launches on the same buffers, in place of --kernel, --grid, --block, --shared-bytes and
    /// --arg
    #[arg(
        long = "launch",
        value_name = "KERNEL<<<GRID, BLOCK>>>(ARGS)",
        value_parser = Written::parse,
        help_heading = LAUNCH,
        conflicts_with_all = FIELDS.iter().filter(|field| field.group == Group::Launch).map(Field::name)
    )]
    pub launches: Vec<Written>,
    // The heading of a group is also that of the arguments after it, so these come first.
    #[command(flatten, next_help_heading = LAUNCH)]
    pub compile: Compile,
    #[command(flatten, next_help_heading = "Checks")]
    pub checks: Checks,
    #[command(flatten, next_help_heading = MACHINE)]
    pub machine: Machine,
    #[command(flatten, next_help_heading = MACHINE)]
    pub output: Output,
}
