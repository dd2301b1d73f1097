//! Chapter 11: a warp as a matrix unit.
//!
//! It asks of each number where it is: in which lane's register while a warp multiplies two small matrices, in which bank
//! while `ldmatrix` brings it there, and which of its bits are left when a tensor core has added it. It leaves out `wmma`,
//! which is the same in other words, and the products of four warps (`wgmma`), which have a scenario.

mod by_hand;
mod claims;
mod matrices;
mod product;
mod small_addends;
mod strips;
mod sums;
mod tiles;
mod xray;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 11: a warp as a matrix unit",
    example: "multiply_b_by_rows",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    xray::section(lab)?;
    by_hand::section(lab)?;
    tiles::section(lab)?;
    strips::section(lab)?;
    product::section(lab)?;
    small_addends::section(lab)?;
    sums::section(lab)
}
