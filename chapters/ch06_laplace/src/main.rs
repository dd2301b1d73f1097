//! Chapter 6: a grid of points, its border, and the shape of blocks.
//!
//! Laplace's equation by Jacobi steps, in two and three dimensions: who may write, what the border costs, which shape
//! of block reads least, and whether the answer is that of the equation. It leaves out faster methods to solve it.

mod frame;
mod grid;
mod step;

use std::process::ExitCode;

use anyhow::Result;
use lanes::Lab;
use lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 6: a grid of points, its border, and the shape of blocks",
    example: "jacobi_guarded",
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    step::section(lab)
}
