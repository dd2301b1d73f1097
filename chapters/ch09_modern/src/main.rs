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
mod sums;
mod waiting;

use std::process::ExitCode;

use anyhow::Result;
use lanes::Lab;
use lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 9: the modern vocabulary: orders, scopes, barriers",
    example: "ref_message_relaxed",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

/// The default number of elements: one thread for each, and one block with a lock for some thousands of them.
const SIZE: usize = 16_384;
/// An element in two arrays, on the machine and on the host, and in the reference.
const ELEMENT_BYTES: u64 = 2 * 4 + 2 * 4 + 8;

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

/// The shape of a launch with a thread for each element, in whole warps.
#[derive(Clone, Copy)]
struct Shape {
    grid: u32,
    block: u32,
    seed: u64,
}

impl Shape {
    fn of(lab: &mut Lab) -> Result<Shape> {
        let (n, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, lab.seed());
        let block = lab.block(256).next_multiple_of(32);
        Ok(Shape { grid: lanes::launch::blocks_for(n, block), block, seed })
    }

    fn threads(self) -> usize {
        self.grid as usize * self.block as usize
    }
}
