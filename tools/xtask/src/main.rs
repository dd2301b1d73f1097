//! The project's chores: `cargo xtask help` lists them.
//!
//! Most chores make files that are committed. Whatever can be checked without a chore is a test, so a contributor finds
//! out that a file is stale without knowing the chores. Only checks that would take too long as tests are a chore,
//! `thorough`.

mod bless;
mod chore;
mod claims;
mod compare;
mod compilers;
mod exercises;
mod facts;
mod figures;
mod isa;
mod page;
mod picture;
mod profile;
mod ptx;
mod record;
mod thorough;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use chore::Outcome;

/// The chores of Thirty-Two Lanes.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Write what the chapters print on the emulator into their recorded outputs, and what the exercises show.
    Bless {
        /// Of these chapters only, `ch08_latency`, and not what the exercises show
        chapters: Vec<String>,
    },
    /// Decide every claim of the notes by running the chapters, and print the verdicts and their evidence.
    Claims,
    /// Write the starters and compiled versions of the exercises, and print the grader's verdict on each.
    Exercises(exercises::Arguments),
    /// Compare two baselines of the benchmarks, and fail if anything got slower.
    Compare(compare::Arguments),
    /// Put the times of cudac's kernels on a GPU next to those of NVIDIA's compiler, from `tools/benchmarks/gpu/compilers.sh`.
    Compilers(compilers::Arguments),
    /// Collect what the book's pages show of runs into `book/facts`.
    Facts,
    /// Draw the book's figures into `book/figures`.
    Figures(figures::Arguments),
    /// Write the chapters' records of a GPU from the output of `tools/benchmarks/gpu/record.sh`.
    Record(record::Arguments),
    /// Print the metrics that those records contain, for the profiler's command line.
    Metrics,
    /// Write the table of supported PTX, `crates/simt/SUPPORTED.md`.
    Isa(isa::Arguments),
    /// Build the WebAssembly module of the book's pages into `book/src/assets/module.js`.
    Page(page::Arguments),
    /// Compile every kernel into `kernels/ptx` with the pinned compiler.
    Ptx(ptx::Arguments),
    /// Run what takes too long for `cargo test`, with fresh seeds.
    Thorough(thorough::Arguments),
}

/// The status is 0 if nothing is wrong, 1 if a check found something, and 2 if the chore could not be carried out.
fn main() -> ExitCode {
    let outcome = match Arguments::parse().chore {
        Chore::Bless { chapters } => bless::run(&chapters),
        Chore::Claims => claims::run(),
        Chore::Exercises(arguments) => exercises::run(&arguments),
        Chore::Compare(arguments) => compare::run(&arguments),
        Chore::Compilers(arguments) => compilers::run(&arguments),
        Chore::Facts => facts::run(),
        Chore::Figures(arguments) => figures::run(&arguments),
        Chore::Record(arguments) => record::run(&arguments),
        Chore::Metrics => Ok(record::print_metrics()),
        Chore::Isa(arguments) => isa::run(&arguments),
        Chore::Page(arguments) => page::run(&arguments),
        Chore::Ptx(arguments) => ptx::run(&arguments),
        Chore::Thorough(arguments) => thorough::run(&arguments),
    };
    exit_code(&outcome)
}

fn exit_code(outcome: &Result<Outcome>) -> ExitCode {
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Stale) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
