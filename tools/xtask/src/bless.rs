//! `cargo xtask bless`: runs the chapters and writes what they print into their recorded outputs, and writes the
//! exercises' screens.
//!
//! Those files change in no other way: the chapters' tests compare and never write. It leaves out the records of a GPU,
//! which are made by hand on a machine with one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use thirty_two_lanes::hardware;
use thirty_two_lanes::{
    files,
    golden::{self, Record},
};

use crate::chore::Outcome;
use crate::chore::root;
use crate::picture;

/// The records that every chapter has: its output, and its decisions on the notes' claims.
const EVERY: [(&str, &str); 2] =
    [("sim.txt", "--device sim"), ("sim_claims.txt", "--device sim --claim all")];

/// Blesses the named chapters, or all chapters and the exercises.
pub fn run(only: &[String]) -> Result<Outcome> {
    let mut outcome = Outcome::Done;
    for chapter in named(only)? {
        bless(&chapter)?;
        if let Err(error) = bless_counters(&chapter).and_then(|()| golden::check_measured(&chapter)) {
            // A GPU's record may be missing until there is a GPU; the other chapters are blessed nevertheless.
            println!("{}: {error:#}", golden::name(&chapter)?);
            outcome = Outcome::Stale;
        }
    }
    if only.is_empty() {
        bless_screens()?;
    }
    Ok(outcome)
}

/// The folders of these chapters, or of all if none is named.
fn named(only: &[String]) -> Result<Vec<PathBuf>> {
    let chapters = chapters()?;
    let name = |chapter: &PathBuf| golden::name(chapter).unwrap_or_default().to_owned();
    if let Some(unknown) = only.iter().find(|only| !chapters.iter().any(|chapter| name(chapter) == **only)) {
        let names: Vec<String> = chapters.iter().map(name).collect();
        bail!("there is no chapter `{unknown}`: name one of {}", names.join(", "));
    }
    Ok(chapters.into_iter().filter(|chapter| only.is_empty() || only.contains(&name(chapter))).collect())
}

/// Writes the screens of the exercises' program and the states of the book's player. Their own tests draw them, and write
/// them if `BLESS` is set.
fn bless_screens() -> Result<()> {
    for (package, test, what) in [
        ("exercises", "screens", "the exercises' screens"),
        ("xtask", "node", "the states of the book's player"),
    ] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--quiet", "--package", package, "--test", test]);
        let output = cargo.env("BLESS", "1").current_dir(root()).output().context("cannot run cargo")?;
        if !output.status.success() {
            bail!("{what} cannot be drawn: {}", String::from_utf8_lossy(&output.stdout));
        }
    }
    Ok(())
}

/// The folders of all chapters, in order.
pub fn chapters() -> Result<Vec<PathBuf>> {
    let mut chapters =
        fs::read_dir(root().join("chapters"))?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    chapters.retain(|chapter| chapter.join("Cargo.toml").exists());
    chapters.sort();
    Ok(chapters)
}

fn bless(chapter: &Path) -> Result<()> {
    let name = golden::name(chapter)?;
    build(name)?;
    fs::create_dir_all(chapter.join("output"))?;
    let mut records = golden::records(chapter)?;
    for (file, args) in EVERY {
        let path = chapter.join("output").join(file);
        if records.iter().all(|record| record.path != path) {
            let args = args.split_whitespace().map(str::to_owned).collect();
            records.push(Record { path, args, text: String::new() });
        }
    }
    let program = program(name)?;
    for record in records {
        write(name, &program, &record)?;
    }
    write_if_new(&chapter.join("output").join(golden::EMULATED), &golden::emulated(chapter, &program)?)?;
    if name == picture::CHAPTER {
        picture::draw(&program)?;
    }
    Ok(())
}

/// Writes the table of counters. That fails if variants are newer than the record, or if a difference has no reason.
fn bless_counters(chapter: &Path) -> Result<()> {
    let program = program(golden::name(chapter)?)?;
    if let Some(table) = hardware::fresh(chapter, &program)? {
        write_if_new(&chapter.join("output").join(hardware::TABLE), &table)?;
    }
    Ok(())
}

fn write(name: &str, program: &Path, record: &Record) -> Result<()> {
    write_if_new(&record.path, &golden::fresh(name, program, &record.args)?)
}

pub fn write_if_new(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        files::write(path, text)?;
        println!("wrote {}", path.strip_prefix(root())?.display());
    }
    Ok(())
}

/// The path of a chapter's program, which cargo builds into the same folder as this one.
pub fn program(name: &str) -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name).with_extension(std::env::consts::EXE_EXTENSION))
}

/// Builds a chapter's program.
pub fn build(name: &str) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    let status = cargo.args(["build", "--quiet", "--bin", name]).current_dir(root()).status();
    if !status.context("cannot run cargo")?.success() {
        bail!("`{name}` does not build");
    }
    Ok(())
}
