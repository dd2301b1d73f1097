//! Chapter 2: one sum from many numbers.
//!
//! Which thread adds which elements decides how many lanes work, how many instructions a warp executes and
//! how much memory it moves. The sections begin on the host, go through the pairings of the note on reduction
//! and its mistakes, and end where the last warp needs no barrier of the block. Shuffles, and the kernel that
//! needs no host at the end, are left to chapter 4.

mod again;
mod barriers;
mod claims;
mod edges;
mod floats;
mod host;
mod in_place;
mod one_block;
mod pictures;
mod rounds;
mod steps;
mod sum;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 2: one sum from many numbers",
    example: "reduce_interleaved",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    host::recursive(lab)?;
    one_block::section(lab)?;
    in_place::section(lab)?;
    in_place::blocks(lab)?;
    edges::section(lab)?;
    edges::blocks_of_48(lab)?;
    barriers::section(lab)?;
    again::section(lab)?;
    host::block_sums(lab)?;
    floats::section(lab)?;
    steps::section(lab)
}
