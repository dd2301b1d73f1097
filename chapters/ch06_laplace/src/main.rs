//! Chapter 6: a grid of points, its border, and the shape of blocks.
//!
//! Laplace's equation by Jacobi steps, in two and three dimensions: which threads may write, what the border
//! costs, which shape of block reads least, and whether the result solves the equation. It leaves out faster
//! methods.

mod claims;
mod factor;
mod frame;
mod grid;
mod guard;
mod maps;
mod rim;
mod shapes;
mod solid;
mod solve;
mod step;
mod tile;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 6: a grid of points, its border, and the shape of blocks",
    example: "jacobi_guarded",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    step::section(lab)?;
    guard::section(lab)?;
    factor::section(lab)?;
    shapes::section(lab)?;
    tile::section(lab)?;
    rim::section(lab)?;
    solve::section(lab)?;
    solid::section(lab)
}
