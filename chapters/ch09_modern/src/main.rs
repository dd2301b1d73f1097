//! Chapter 9: the modern vocabulary.
//!
//! The messages and locks of chapter 5 again, with the orders and scopes of `cuda::atomic_ref` in place of fences;
//! handshakes inside a block with `cuda::barrier`; locks whose waiting threads sleep; and two instructions of newer
//! GPUs for a whole warp. Orders and scopes are judged by the checker of races and, in the `-weak` rows, by many seeds
//! of a weak memory. It leaves out what only a clock shows without a GPU, and asynchronous copies.

mod additions;
mod claims;
mod handshakes;
mod leaders;
mod locks;
mod messages;
mod progress;
mod shape;
mod sums;
mod waiting;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 9: the modern vocabulary: orders, scopes, barriers",
    example: "ref_message_relaxed",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    messages::flags(lab)?;
    messages::last_block(lab)?;
    locks::section(lab)?;
    progress::section(lab)?;
    additions::section(lab)?;
    waiting::section(lab)?;
    handshakes::section(lab)?;
    sums::section(lab)?;
    leaders::section(lab)
}
