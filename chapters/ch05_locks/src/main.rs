//! Chapter 5: many threads, one place.
//!
//! The chapter begins with a counter that loses updates, and leads by way of the atomic operations to locks,
//! and to the fences that locks and messages need. It keeps three things apart: what the emulator runs, with
//! a memory that always returns the last store; what the memory model allows, which the `-weak` rows search
//! seed by seed; and what a GPU does, if there is one. It leaves out barriers of the block and of the warp,
//! which have their own chapters.

mod claims;
mod contention;
mod count;
mod doubles;
mod messages;
mod operations;
mod rounds;
mod table;
mod warp;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 5: many threads, one place: atomics, locks and fences",
    example: "rounds_no_fence",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    count::section(lab)?;
    table::section(lab)?;
    operations::section(lab)?;
    contention::section(lab)?;
    warp::section(lab)?;
    rounds::section(lab)?;
    doubles::section(lab)?;
    messages::flags(lab)?;
    messages::last_block(lab)
}
