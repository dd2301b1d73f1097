//! `cargo xtask bless`: writes what the chapters print now into their recorded outputs, and the exercises' screens.
//!
//! It is the only way in which those files change; the chapters' tests compare and never write. It leaves out records
//! of a GPU, which are made by hand on a machine that has one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use lanes::golden::{self, Record};
use lanes::hardware;

use crate::{Outcome, picture, root};

/// The records that every chapter has: what it prints, and what became of the notes' claims.
const EVERY: [(&str, &str); 2] =
    [("sim.txt", "--device sim"), ("sim_claims.txt", "--device sim --claim all")];

/// Write what the chapters print now into their recorded outputs, and the exercises' screens.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only these chapters, `ch09_modern`, and no screens
    chapters: Vec<String>,
}

pub fn run(Arguments { chapters: wanted }: &Arguments) -> Result<Outcome> {
    let mut outcome = Outcome::Done;
    let known = chapters()?;
    let names = known.iter().map(|chapter| golden::name(chapter)).collect::<Result<Vec<_>>>()?;
    if let Some(wanted) = wanted.iter().find(|wanted| !names.contains(&wanted.as_str())) {
        bail!("there is no chapter `{wanted}`: choose from {}", names.join(", "));
    }
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    for (chapter, _) in known.iter().zip(&names).filter(|(_, name)| is_wanted(name)) {
        bless(chapter)?;
        if let Err(error) = bless_counters(chapter).and_then(|()| golden::check_measured(chapter)) {
            // The record of a GPU may wait for a GPU; the other chapters do not.
            println!("{}: {error:#}", golden::name(chapter)?);
            outcome = Outcome::Stale;
        }
    }
    if wanted.is_empty() {
        bless_screens()?;
    }
    Ok(outcome)
}

/// The screens of the exercises' program, which its own test draws; told by `BLESS`, it writes them.
fn bless_screens() -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--quiet", "--package", "exercises", "--test", "screens"]);
    let output = cargo.env("BLESS", "1").current_dir(root()).output().context("cannot run cargo")?;
    if !output.status.success() {
        bail!("the exercises' screens cannot be drawn: {}", String::from_utf8_lossy(&output.stdout));
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

/// The table of counters, which cannot be made where variants are newer than the record, or a difference has no reason.
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
        fs::write(path, text)?;
        println!("wrote {}", path.strip_prefix(root())?.display());
    }
    Ok(())
}

/// A chapter's program: the chores' own was built into the same folder.
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
