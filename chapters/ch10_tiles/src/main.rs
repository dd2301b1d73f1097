//! Chapter 10: moving tiles.
//!
//! One matrix product, `C = A B`, which moves fewer bytes from section to section: first a thread loads whatever it needs,
//! then a block shares tiles, a thread keeps a part of C in registers, copies need no registers at all, a warp does nothing
//! but order copies, and at last two blocks share a tile. The versions with a barrier, a wait or a fence missing run beside
//! the right ones. It leaves out tensor cores, and what a clock shows: the pages have times from a larger product.

mod claims;
mod cluster;
mod copies;
mod elements;
mod matrices;
mod registers;
mod supplied;
mod tiles;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 10: moving tiles: one matrix product, fewer and fewer bytes",
    example: "product_tile",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    elements::section(lab)?;
    tiles::section(lab)?;
    registers::section(lab)?;
    copies::section(lab)?;
    supplied::section(lab)?;
    cluster::section(lab)
}
