//! The picture in the README: the first section of chapter 1 as a terminal shows it, drawn from a run.
//!
//! A part of `cargo xtask bless`. It leaves out everything else that could be drawn; the book's figures are its own.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::bless::write_if_new;
use crate::root;

/// The chapter whose report is shown.
pub const CHAPTER: &str = "ch01_divergence";

/// The command that is shown.
const ARGUMENTS: [&str; 4] = ["--device", "sim", "--only", "arithmetic"];

pub fn draw(program: &Path) -> Result<()> {
    let output =
        Command::new(program).args(ARGUMENTS).env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR").output();
    let printed = String::from_utf8(output.context("cannot run the chapter")?.stdout)?;
    let shown = format!("$ cargo run --bin {CHAPTER} -- {}\n{printed}", ARGUMENTS.join(" "));
    std::fs::create_dir_all(root().join("assets"))?;
    let picture = anstyle_svg::Term::new().render_svg(&shown.replace("\r\n", "\n"));
    write_if_new(&root().join("assets/report.svg"), &picture)
}
