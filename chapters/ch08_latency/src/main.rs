//! Chapter 8: how the time that a warp waits is hidden.
//!
//! It begins with the time of one load and of one addition that nothing hides, adds warps and independent work in each
//! thread, and ends with what limits the number of resident warps. It leaves out copies that need no register, and work
//! that overlaps between launches: the next chapter is about those.

mod blocks;
mod chains;
mod chase;
mod claims;
mod flight;
mod loads;
mod multiprocessor;
mod registers;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 8: what hides the time that a warp waits",
    example: "chase",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    chase::section(lab)?;
    chains::section(lab)?;
    loads::section(lab)?;
    blocks::by_size(lab)?;
    blocks::by_shared_memory(lab)?;
    registers::section(lab)
}
