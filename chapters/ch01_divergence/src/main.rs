//! Chapter 1: what a warp does when its lanes diverge.
//!
//! Each section asks one question, runs a few kernels that answer it, and says what to notice. Races,
//! barriers and shuffles are left to later chapters.

mod arithmetic;
mod boundary;
mod branches;
mod claims;
mod lists;
mod map;
mod one_warp;
mod predication;
mod worst;

use std::process::ExitCode;

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::cli::{self, Chapter};

const CHAPTER: Chapter = Chapter {
    name: env!("CARGO_PKG_NAME"),
    title: "Chapter 1: what a warp does when its lanes disagree",
    example: "math_even_thread",
    claims: claims::CLAIMS,
    record: include_str!("../output/h200.json"),
    run,
};

fn main() -> ExitCode {
    cli::main(&CHAPTER)
}

fn run(lab: &mut Lab) -> Result<()> {
    arithmetic::section(lab)?;
    one_warp::section(lab)?;
    one_warp::together(lab)?;
    branches::section(lab)?;
    worst::section(lab)?;
    worst::lengths(lab)?;
    boundary::one_dimension(lab)?;
    boundary::two_dimensions(lab)?;
    lists::section(lab)?;
    predication::section(lab)
}
