//! A chapter's records: what the emulator found in its runs (`sim.json`), and what a GPU measured in them (`h200.json`).
//!
//! The emulator's record must match the current kernels, because it can be made again on any machine. The GPU's record
//! may be older than they are, because not everyone has a GPU; in that case, what comes from it is marked as stale.

use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use record::{Counted, Emulated, Machine, Measured, OnGpu, Report, Table};

use crate::repository::Repository;

/// A chapter, and one of its recorded runs: `ch02`, or `ch02@note` for the size of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// `ch02_reduction`.
    pub chapter: String,
    /// The number of the run; 0 is the run with the chapter's own sizes.
    pub run: usize,
}

/// The contents of a chapter's records.
#[derive(Debug)]
pub struct Records {
    emulated: Emulated,
    measured: Option<Measured>,
    is_stale: bool,
}

/// One of the runs.
#[derive(Clone, Debug)]
pub struct Run {
    records: Rc<Records>,
    run: usize,
}

/// The GPU that made a record.
#[derive(Clone, Copy, Debug)]
pub struct Gpu<'r> {
    /// Its name and driver.
    pub machine: &'r Machine,
    /// The day of the record.
    pub date: &'r str,
    /// Whether the kernels have other instructions now than when the record was made.
    pub is_stale: bool,
}

impl Source {
    /// Reads `ch02`, `ch02@note` or `ch02@note2`.
    pub fn parse(name: &str, repository: &Repository) -> Result<Self> {
        let (short, note) = name.split_once('@').map_or((name, None), |(short, note)| (short, Some(note)));
        let run = match note.map(|note| note.strip_prefix("note")) {
            None => Some(0),
            Some(Some("")) => Some(1),
            Some(Some(number)) => number.parse().ok().filter(|number| *number > 1),
            Some(None) => None,
        };
        let run = run.with_context(|| {
            format!("`@{}` is no record: write `@note`, `@note2` and so on", note.unwrap_or_default())
        })?;
        Ok(Self { chapter: chapter(short, repository)?, run })
    }

    /// The folder of the chapter's records.
    pub fn output(&self) -> String {
        folder(&self.chapter)
    }

    /// The run.
    ///
    /// # Errors
    /// If there is none, or the kernels have changed since the emulator's record was made.
    pub fn read(&self, repository: &Repository) -> Result<Run> {
        let records = repository.records(&self.chapter)?;
        let runs = records.emulated.runs.len();
        ensure!(
            self.run < runs,
            "`{}/runs.txt` lists {runs} runs, and there is no `@note{}`",
            self.output(),
            self.run
        );
        Ok(Run { records, run: self.run })
    }
}

impl Records {
    /// Reads the records of a chapter.
    pub(crate) fn read(chapter: &str, repository: &Repository) -> Result<Self> {
        let emulated = emulated(chapter, repository)?;
        let measured = measured(chapter, repository)?;
        let is_current = |(file, sum): (&String, &String)| {
            repository.read(file).is_ok_and(|ptx| nvrtc::code_sha256(&ptx) == *sum)
        };
        let is_stale = measured.as_ref().is_some_and(|measured| !measured.code.iter().all(is_current));
        Ok(Self { emulated, measured, is_stale })
    }

    /// Whether a GPU's record is missing.
    pub fn lacks_gpu(&self) -> bool {
        self.measured.is_none()
    }
}

fn emulated(chapter: &str, repository: &Repository) -> Result<Emulated> {
    let name = format!("{}/sim.json", folder(chapter));
    let emulated: Emulated = record::read(&repository.read(&name)?, &format!("`{name}`"))?;
    let sums = emulated.kernels.iter().map(|(file, sum)| (sum.as_str(), file.as_str()));
    repository.check_sums(
        &format!("the record of `{chapter}`"),
        sums,
        "`cargo xtask ptx` and `cargo xtask bless`",
    )?;
    Ok(emulated)
}

/// The record of a GPU; `None` if there is none or it is empty.
fn measured(chapter: &str, repository: &Repository) -> Result<Option<Measured>> {
    let name = format!("{}/h200.json", folder(chapter));
    if !repository.has(&name) {
        return Ok(None);
    }
    let measured: Measured = record::read(&repository.read(&name)?, &format!("`{name}`"))?;
    Ok((!measured.is_empty()).then_some(measured))
}

impl Run {
    /// What the emulator found.
    pub fn report(&self) -> &Report {
        &self.records.emulated.runs[self.run].report
    }

    /// The arguments of the chapter's program.
    pub fn arguments(&self) -> &str {
        &self.records.emulated.runs[self.run].arguments
    }

    /// The GPU, if one was recorded.
    pub fn gpu(&self) -> Option<Gpu<'_>> {
        let Measured { machine, date, .. } = self.records.measured.as_ref()?;
        Some(Gpu { machine, date, is_stale: self.records.is_stale })
    }

    fn on_gpu(&self) -> Option<&record::Run> {
        let arguments = self.arguments();
        self.records.measured.as_ref()?.runs.iter().find(|run| run.arguments == arguments)
    }

    /// What the GPU did with a variant.
    pub fn measured(&self, variant: &str) -> Option<&OnGpu> {
        self.on_gpu()?.row(variant)
    }

    /// What to notice in a section, in what the GPU did.
    pub fn gpu_notes(&self, section: &str) -> &[String] {
        let section = self.on_gpu().and_then(|run| run.sections.get(section));
        section.map_or(&[], |section| &section.notes)
    }
}

fn folder(chapter: &str) -> String {
    format!("chapters/{chapter}/output")
}

/// The full name of `ch02`.
pub fn chapter(short: &str, repository: &Repository) -> Result<String> {
    let entries = std::fs::read_dir(repository.path("chapters")).context("there is no folder `chapters`")?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let found = names.iter().find(|name| *name == short || name.starts_with(&format!("{short}_")));
    found.cloned().with_context(|| format!("there is no chapter `{short}`; there are {}", names.join(", ")))
}

/// The names of all chapters, in order.
pub fn chapters(repository: &Repository) -> Vec<String> {
    (1..).map_while(|number| chapter(&format!("ch{number:02}"), repository).ok()).collect()
}

/// A count of the profiler: rows are variants, columns are metrics. The run at the size of the first note has a record
/// of its own.
pub fn hardware(source: &Source, repository: &Repository, variant: &str, metric: &str) -> Result<f64> {
    let file = match source.run {
        0 => "h200_counters.csv",
        1 => "h200_note_size_counters.csv",
        _ => bail!("the profiler did not count the run `@note{}`", source.run),
    };
    cell(&format!("{}/{file}", source.output()), repository, variant, metric)
}

/// What NVIDIA's race checker reported for a variant: `errors` or `warnings`.
pub fn racecheck(source: &Source, repository: &Repository, variant: &str, column: &str) -> Result<f64> {
    cell(&format!("{}/h200_racecheck.csv", source.output()), repository, variant, column)
}

/// A number in a table whose first column contains variants.
fn cell(name: &str, repository: &Repository, variant: &str, metric: &str) -> Result<f64> {
    let table: Table<Counted<f64>> = Table::read(&repository.read(name)?, &format!("`{name}`"))?;
    table.metric(variant, metric).with_context(|| format!("in `{name}`"))
}
