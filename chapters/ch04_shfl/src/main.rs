//! Chapter 4: how the lanes of a warp exchange values without memory.
//!
//! It begins with votes and shuffles, and continues with sums made of them and with groups, which are objects for
//! the lanes that work together. It leaves out barriers of the warp and fences between blocks: the chapters
//! before and after this one are about those.

mod atomics;
mod block_sums;
mod claims;
mod clock;
mod finished;
mod groups;
mod lane_id;
mod lane_sums;
mod last_rounds;
mod picture;
mod precision;
mod shuffles;
mod sums;
mod two_pass;
mod votes;
mod widths;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 4: what the lanes of a warp tell each other",
    example: "shuffle_down",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    votes::section(lab)?;
    shuffles::section(lab)?;
    widths::section(lab)?;
    lane_id::section(lab)?;
    shuffles::order(lab)?;
    lane_sums::section(lab)?;
    groups::section(lab)?;
    atomics::section(lab)?;
    block_sums::section(lab)?;
    clock::section(lab)?;
    last_rounds::section(lab)?;
    two_pass::section(lab)?;
    finished::section(lab)?;
    precision::section(lab)
}
