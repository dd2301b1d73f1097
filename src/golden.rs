//! Recorded outputs of a chapter: files whose first line says which command wrote them.
//!
//! The emulator prints the same on every computer, so the output of a chapter can be committed, included in the book,
//! and compared by `cargo test`. To add a record, create a file with only its first line; `cargo xtask bless` writes
//! the rest. What it leaves out: records of a GPU, whose times differ from run to run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use nvrtc::Header;
use record::{Emulated, Measured, Named, Recorded, Report};

use crate::kernel::{Build, KernelFile};
use crate::{hardware, kernels, program};

/// A recorded output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The file.
    pub path: PathBuf,
    /// The arguments of the chapter's program.
    pub args: Vec<String>,
    /// The whole text.
    pub text: String,
}

/// The end of the first line: a comment for a shell, and information for a reader.
const NOTE: &str = "  # kept by `cargo xtask bless`";

/// The start and the end of the names of these files. Other files in the folder have other sources, for example a GPU.
const PREFIX: &str = "sim";
const ENDING: &str = ".txt";

/// The records of a chapter, in the order of their names. `chapter` is the folder of its `Cargo.toml`.
pub fn records(chapter: &Path) -> Result<Vec<Record>> {
    let folder = chapter.join("output");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(PREFIX) && name.ends_with(ENDING)
    });
    paths.sort();
    paths.into_iter().map(|path| read(name(chapter)?, path)).collect()
}

/// The name of the chapter's program, which is also the name of its folder.
pub fn name(chapter: &Path) -> Result<&str> {
    chapter.file_name().and_then(|name| name.to_str()).context("a chapter's folder has the chapter's name")
}

fn read(name: &str, path: PathBuf) -> Result<Record> {
    // A checkout may have other line endings.
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

/// The expected text of a record: its first line, and what `program` prints now.
pub fn fresh(name: &str, program: &Path, args: &[String]) -> Result<String> {
    let output = program::output(program, args)?;
    let printed = String::from_utf8(output.stdout)?.replace("\r\n", "\n");
    let errors = String::from_utf8_lossy(&output.stderr).replace("\r\n", "\n");
    Ok(format!("{} {}{NOTE}\n{printed}{errors}", start(name), args.join(" ")))
}

/// Fails unless every record of the chapter equals what its program prints now; for a chapter's tests.
pub fn check(chapter: &Path, program: &Path) -> Result<()> {
    let records = records(chapter)?;
    if records.is_empty() {
        bail!("`{}` has no recorded output: run `cargo xtask bless`", chapter.display());
    }
    for record in records {
        let now = fresh(name(chapter)?, program, &record.args)?;
        if let Some(line) = first_difference(&record.text, &now) {
            bail!("`{}` is stale from line {line} on: run `cargo xtask bless`", record.path.display());
        }
    }
    Ok(())
}

/// The file in a chapter's `output` folder that lists the recorded runs.
pub const RUNS: &str = "runs.txt";
/// The file with what the emulator found in them ([`Emulated`]).
pub const EMULATED: &str = "sim.json";
/// The file with what a GPU measured in them ([`Measured`]).
pub const MEASURED: &str = "h200.json";

/// The arguments of a chapter's recorded runs. The first run has none: it uses the chapter's own sizes.
pub fn runs(chapter: &Path) -> Result<Vec<String>> {
    let path = chapter.join("output").join(RUNS);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let start = format!("$ {}", name(chapter)?);
    let runs: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix(&start))
        .map(|rest| rest.trim().to_owned())
        .collect();
    if runs.first().is_none_or(|first| !first.is_empty()) {
        bail!("`{}` has to begin with the run `{start}`", path.display());
    }
    Ok(runs)
}

/// The expected text of `output/sim.json`: what `program` finds now.
pub fn emulated(chapter: &Path, program: &Path) -> Result<String> {
    let runs = runs(chapter)?.into_iter().map(|arguments| recorded(program, arguments));
    text_of(runs.collect::<Result<Vec<_>>>()?)
}

fn recorded(program: &Path, arguments: String) -> Result<Recorded> {
    let report = hardware::report_of(program, &arguments)?.to_be_recorded();
    Ok(Recorded { arguments, report })
}

fn text_of(runs: Vec<Recorded>) -> Result<String> {
    let kernels = kernel_sums(runs.iter().map(|run| &run.report))?;
    let generated = "by `cargo xtask bless`; do not edit".to_owned();
    Ok(record::text(&Emulated { version: record::VERSION, generated, kernels, runs }))
}

/// Fails unless the record of the emulator equals what the chapter finds now.
pub fn check_emulated(chapter: &Path, program: &Path) -> Result<()> {
    check_text(chapter, &emulated(chapter, program)?)
}

/// The same, but only the run at the chapter's own sizes is repeated. The other runs, which are larger, must be listed,
/// and the kernels must be those of all runs.
pub fn check_emulated_at_own_sizes(chapter: &Path, program: &Path) -> Result<()> {
    let path = chapter.join("output").join(EMULATED);
    let kept = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let mut kept: Emulated = record::read(&kept, EMULATED)?;
    let listed = runs(chapter)?;
    if !kept.runs.iter().map(|run| &run.arguments).eq(&listed) {
        bail!("`{}` has other runs than `{RUNS}`: run `cargo xtask bless`", path.display());
    }
    if let Some(own) = kept.runs.first_mut() {
        *own = recorded(program, own.arguments.clone())?;
    }
    check_text(chapter, &text_of(kept.runs)?)
}

fn check_text(chapter: &Path, now: &str) -> Result<()> {
    let path = chapter.join("output").join(EMULATED);
    let kept = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    if let Some(line) = first_difference(&kept, now) {
        bail!("`{}` is stale from line {line} on: run `cargo xtask bless`", path.display());
    }
    Ok(())
}

/// Fails unless the record of a GPU was made with the current kernels, and has every row of the emulator's record that
/// a GPU may run.
pub fn check_measured(chapter: &Path) -> Result<()> {
    let read = |file: &str| {
        let path = chapter.join("output").join(file);
        fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
    };
    let emulated: Emulated = record::read(&read(EMULATED)?, EMULATED)?;
    let measured: Measured = record::read(&read(MEASURED)?, MEASURED)?;
    let again = "record the chapter again on a GPU";
    let code = code_sums(emulated.runs.iter().map(|run| &run.report))?;
    if let Some((file, _)) = code.iter().find(|&(file, sum)| measured.code.get(file) != Some(sum)) {
        bail!("`{MEASURED}` was recorded with other instructions than `{file}` has now: {again}");
    }
    for run in &emulated.runs {
        let of = measured.runs.iter().find(|other| other.arguments == run.arguments);
        let of = of.with_context(|| format!("`{MEASURED}` has no run with `{}`: {again}", run.arguments))?;
        let mut launched = hardware::launched(&run.report).map(|row| row.variant.as_str());
        if let Some(variant) = launched.find(|variant| of.row(variant).is_none()) {
            bail!("`{MEASURED}` has no row `{variant}` in the run `{}`: {again}", run.arguments);
        }
    }
    Ok(())
}

/// The kernel files that some runs launched from, with the checksums of their texts. With these the book recognises a
/// stale record of the emulator without running anything; the texts matter because faults name lines.
pub fn kernel_sums<'r>(reports: impl Iterator<Item = &'r Report>) -> Result<Named<String>> {
    let sum = |file: &KernelFile| {
        let header = file.builds.first().and_then(|build| Header::parse(build.ptx));
        let header =
            header.with_context(|| format!("the PTX of `{}` does not name its source", file.name))?;
        Ok((format!("kernels/{}.cu", file.name), header.sha256))
    };
    kernel_files(reports)?.into_iter().map(sum).collect()
}

/// The PTX files of those kernel files, with the checksums of their instructions, by which a stale record of a GPU is
/// recognised.
pub fn code_sums<'r>(reports: impl Iterator<Item = &'r Report>) -> Result<Named<String>> {
    let sums = |file: &'static KernelFile| {
        let name = move |build: &Build| format!("kernels/ptx/{}.{build}.ptx", file.name);
        file.builds.iter().map(move |build| (name(build), nvrtc::code_sha256(build.ptx)))
    };
    Ok(kernel_files(reports)?.into_iter().flat_map(sums).collect())
}

/// The kernel files that some runs launched from, in the order of their names.
fn kernel_files<'r>(reports: impl Iterator<Item = &'r Report>) -> Result<Vec<&'static KernelFile>> {
    let mut files: Vec<&'static KernelFile> = Vec::new();
    for kernel in reports.flat_map(hardware::rows).flat_map(|row| &row.kernels) {
        files.push(kernels::find(kernel.split(' ').next().unwrap_or_default())?.file);
    }
    files.sort_unstable_by_key(|file| file.name);
    files.dedup_by_key(|file| file.name);
    Ok(files)
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
    fn the_first_difference_is_found() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
    }
}
