//! Recorded outputs of a chapter: files that say in their first line which command wrote them.
//!
//! The emulator prints the same on every computer, so what a chapter prints can be committed, included in the book, and
//! compared by `cargo test`. A new record is a file with nothing but its first line; `cargo xtask bless` writes the rest.
//! What it leaves out: records of a GPU, whose times differ from run to run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use nvrtc::Header;
use serde_json::Value;

use crate::{hardware, kernels};

/// A recorded output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The file.
    pub path: PathBuf,
    /// The arguments of the chapter's program.
    pub args: Vec<String>,
    /// All of it.
    pub text: String,
}

/// What ends the first line: a comment to a shell, a note to a reader.
const NOTE: &str = "  # kept by `cargo xtask bless`";

/// How the names of records begin; other files in the folder come from elsewhere, from a GPU say.
const PREFIX: &str = "sim";

/// The records of a chapter, in the order of their names; the chapter's folder is where its `Cargo.toml` is.
pub fn records(chapter: &Path) -> Result<Vec<Record>> {
    let folder = chapter.join("output");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX)));
    paths.sort();
    paths.into_iter().map(|path| read(name(chapter)?, path)).collect()
}

/// The name of the chapter's program, which is that of its folder.
pub fn name(chapter: &Path) -> Result<&str> {
    chapter.file_name().and_then(|name| name.to_str()).context("a chapter's folder has the chapter's name")
}

fn read(name: &str, path: PathBuf) -> Result<Record> {
    // A checkout may have other line ends.
    let text = fs::read_to_string(&path)?.replace("\r\n", "\n");
    let first = text.lines().next().unwrap_or_default();
    let command = first.strip_suffix(NOTE).unwrap_or(first);
    let Some(args) = command.strip_prefix(&start(name)) else {
        bail!("`{}` does not begin with the command that wrote it: `{}…`", path.display(), start(name));
    };
    Ok(Record { path, args: args.split_whitespace().map(str::to_owned).collect(), text })
}

fn start(name: &str) -> String {
    format!("$ cargo run --bin {name} --")
}

/// What a record has to be: its first line, and what `program` prints now.
pub fn fresh(name: &str, program: &Path, args: &[String]) -> Result<String> {
    let output = Command::new(program).args(args).output();
    let output = output.with_context(|| format!("cannot run `{}`", program.display()))?;
    let printed = String::from_utf8(output.stdout)?.replace("\r\n", "\n");
    let errors = String::from_utf8_lossy(&output.stderr).replace("\r\n", "\n");
    Ok(format!("{} {}{NOTE}\n{printed}{errors}", start(name), args.join(" ")))
}

/// Fails unless every record of the chapter is what its program prints now; for a chapter's tests.
pub fn check(chapter: &Path, program: &Path) -> Result<()> {
    let records = records(chapter)?;
    if records.is_empty() {
        bail!("`{}` has no recorded output: run `cargo xtask bless`", chapter.display());
    }
    for record in records {
        let now = fresh(name(chapter)?, program, &record.args)?;
        if let Some(line) = first_difference(&record.text, &now) {
            bail!("`{}` is out of step from line {line} on: run `cargo xtask bless`", record.path.display());
        }
    }
    Ok(())
}

/// Fails unless the emulator's counters in the chapter's record of a GPU, `output/h200.json`, are those of now; for a
/// chapter's tests. The book takes its numbers from there.
pub fn check_gpu_counters(chapter: &Path, program: &Path) -> Result<()> {
    let record = fs::read_to_string(chapter.join("output/h200.json"))?;
    let (record, now) = (serde_json::from_str(&record)?, hardware::report(program)?);
    let counters = |report: &Value| -> Vec<(Value, Value)> {
        hardware::rows(report).map(|row| (row["variant"].clone(), row["counters"].clone())).collect()
    };
    let (recorded, counted) = (counters(&record), counters(&now));
    if let Some((row, _)) = counted.iter().find(|row| !recorded.contains(row)) {
        bail!("`h200.json` has other counters of {row}, or none: record the chapter again on a GPU");
    }
    Ok(())
}

/// Fails unless the chapter's record of a GPU, `output/h200.txt`, is of what the chapter prints now; for a chapter's
/// tests. That record has more columns, and its own times and words about them; every other line that the emulator
/// prints must be in it, in the same order, if broken in another place.
pub fn check_gpu(chapter: &Path) -> Result<()> {
    let read = |name: &str| fs::read_to_string(chapter.join("output").join(name));
    let record = read("h200.txt").context("the chapter has no record of a GPU")?;
    let mut recorded: &[&str] = &record.split_whitespace().collect::<Vec<_>>();
    // The first three lines name the command, the title and the machines.
    for line in read("sim.txt")?.lines().skip(3) {
        let line: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = position(recorded, &line) else {
            bail!("`h200.txt` lacks {line:?}: record the chapter again on a GPU");
        };
        recorded = &recorded[at + line.len()..];
    }
    Ok(())
}

/// The file in a chapter's `output` that names the kernels its records are of, in the form of `sha256sum`.
pub const STAMP: &str = "kernels.sha256";

/// What that file has to be: every kernel file that the chapter launches from, and the sum of its text. The book reads it
/// to tell a stale record without running anything.
pub fn stamp(program: &Path) -> Result<String> {
    let mut files: Vec<&str> = Vec::new();
    let report = hardware::report(program)?;
    for kernel in hardware::rows(&report).flat_map(|row| row["kernels"].as_array().into_iter().flatten()) {
        let name = kernel.as_str().and_then(|kernel| kernel.split(' ').next()).unwrap_or_default();
        files.push(kernels::find(name)?.file.name);
    }
    files.sort_unstable();
    files.dedup();
    let line = |name: &str| {
        let file = kernels::ALL.iter().find(|file| file.name == name).context("a kernel has a file")?;
        let header = file.builds.first().and_then(|build| Header::parse(build.ptx));
        let header = header.with_context(|| format!("the PTX of `{name}` does not name its source"))?;
        Ok(format!("{}  kernels/{name}.cu\n", header.sha256))
    };
    let lines = files.into_iter().map(line).collect::<Result<String>>()?;
    Ok(format!(
        "# Generated by `cargo xtask bless`: the kernels that these records are of; do not edit.\n{lines}"
    ))
}

/// Fails unless that file is of the kernels as they are.
pub fn check_stamp(chapter: &Path, program: &Path) -> Result<()> {
    let path = chapter.join("output").join(STAMP);
    let recorded = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    if recorded != stamp(program)? {
        bail!("`{}` is of other kernels: run `cargo xtask bless`", path.display());
    }
    Ok(())
}

/// Where some words begin among others.
fn position(all: &[&str], some: &[&str]) -> Option<usize> {
    if some.is_empty() { Some(0) } else { all.windows(some.len()).position(|window| window == some) }
}

/// The first line that differs, counted from 1.
fn first_difference(old: &str, new: &str) -> Option<usize> {
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    (old != new).then_some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_a_row() {
        assert_eq!(position(&["a", "b", "c"], &["b", "c"]), Some(1));
        assert_eq!(position(&["a", "b", "c"], &["a", "c"]), None);
        assert_eq!(position(&["a"], &[]), Some(0));
    }

    #[test]
    fn the_first_difference_is_found() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
    }
}
