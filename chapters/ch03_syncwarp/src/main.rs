//! Chapter 3: lanes that run apart, and the barrier that brings them together.
//!
//! First it shows independent thread scheduling as a trace of one warp, and kernels that need it. Then it
//! takes `__syncwarp` in the last five rounds of a sum: what it saves, what goes wrong without it or with the
//! wrong mask, and how well such a mistake hides. The barrier of the block comes last. It leaves out votes
//! and shuffles, which have a chapter of their own.

mod claims;
mod common;
mod guard;
mod masks;
mod order;
mod picture;
mod progress;
mod saving;
mod seeds;
mod sum;
mod tile;
mod unguarded;
mod wait;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 3: lanes that run apart, and the barrier that brings them together",
    example: "tail_syncwarp_float",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    guard::section(lab)?;
    progress::section(lab)?;
    order::section(lab)?;
    sum::section(lab)?;
    saving::section(lab)?;
    unguarded::section(lab)?;
    masks::section(lab)?;
    seeds::section(lab)?;
    wait::section(lab)?;
    tile::section(lab)
}
