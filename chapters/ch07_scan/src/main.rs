//! Chapter 7: scan and compaction, in which each element needs something of all elements before it.
//!
//! It begins with a scan of the 32 lanes of a warp and leads by way of a block to a whole array, scanned in
//! one launch in which blocks wait for each other. In between it uses the same sums to give each element that
//! is kept a place, and at the end it sorts by one bit with them. It leaves out longer keys, and operations other than
//! addition.

mod array;
mod block;
mod claims;
mod compaction;
mod keys;
mod look_back;
mod numbers;
mod split;
mod start;
mod warp;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 7: scan and compaction",
    example: "scan_warp",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    warp::section(lab)?;
    block::section(lab)?;
    block::many(lab)?;
    compaction::section(lab)?;
    keys::section(lab)?;
    array::section(lab)?;
    look_back::section(lab)?;
    start::section(lab)?;
    look_back::weakly(lab)?;
    split::section(lab)
}
