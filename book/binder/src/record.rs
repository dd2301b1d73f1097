//! A chapter's records: what it printed as text and as JSON, and what the profiler counted.

use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::repository::Repository;

/// Which chapter, and which of its records: `ch02`, or `ch02@note` for the sizes of the notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// `ch02_reduction`.
    pub chapter: String,
    /// Which command of the note's sizes, from 0, or `None` for the chapter's own size.
    pub note: Option<usize>,
}

impl Source {
    /// Reads `ch02`, `ch02@note` or `ch02@note2`.
    pub fn parse(name: &str, repository: &Repository) -> Result<Self> {
        let (short, note) = name.split_once('@').map_or((name, None), |(short, note)| (short, Some(note)));
        let note = match note.map(|note| (note, note.strip_prefix("note"))) {
            None => None,
            Some((_, Some(""))) => Some(0),
            Some((note, Some(number))) => {
                let number: usize =
                    number.parse().ok().filter(|number| *number > 0).with_context(|| {
                        format!("`@{note}` is no record: write `@note`, `@note2` and so on")
                    })?;
                Some(number - 1)
            }
            Some((note, None)) => bail!("`@{note}` is no record: write `@note`, `@note2` and so on"),
        };
        Ok(Self { chapter: chapter(short, repository)?, note })
    }

    /// The folder of its records.
    pub fn output(&self) -> String {
        format!("chapters/{}/output", self.chapter)
    }

    /// The report as JSON.
    pub fn json(&self, repository: &Repository) -> Result<Rc<Value>> {
        let file = if self.note.is_some() { "h200_note_size.json" } else { "h200.json" };
        let name = format!("{}/{file}", self.output());
        let report = repository.json(&name)?;
        let Some(number) = self.note else { return Ok(report) };
        let report = report.get(number).with_context(|| format!("`{name}` has no report {}", number + 1))?;
        Ok(Rc::new(report.clone()))
    }

    /// Fails unless the records were made with the kernels as they are.
    pub fn check_fresh(&self, repository: &Repository) -> Result<()> {
        repository.once(&self.output(), || self.compare(repository))
    }

    fn compare(&self, repository: &Repository) -> Result<()> {
        let name = format!("{}/{STAMP}", self.output());
        let stamp = repository.read(&name)?;
        let sums =
            stamp.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once("  "));
        repository.check_sums(
            &format!("the record of `{}`", self.chapter),
            sums,
            "`cargo xtask ptx` and `cargo xtask bless`",
        )
    }
}

/// The sums of the kernel files that a chapter's records were made with.
pub const STAMP: &str = "kernels.sha256";

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

/// The sections of a report as JSON.
pub fn sections(report: &Value) -> &[Value] {
    report["sections"].as_array().map_or(&[], Vec::as_slice)
}

/// A section by name.
pub fn section<'a>(report: &'a Value, name: &str) -> Result<&'a Value> {
    let found = sections(report).iter().find(|section| section["name"] == name);
    found.with_context(|| {
        let names: Vec<&str> =
            sections(report).iter().filter_map(|section| section["name"].as_str()).collect();
        format!("there is no section `{name}`; there are {}", names.join(", "))
    })
}

/// The names of a section's rows.
pub fn row_names(section: &Value) -> Vec<&str> {
    let rows = section["rows"].as_array().into_iter().flatten();
    rows.filter_map(|row| row["variant"].as_str()).collect()
}

/// The names of a section's pictures.
pub fn picture_names(section: &Value) -> Vec<&str> {
    section["pictures"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// A row of a report by name.
pub fn row<'a>(report: &'a Value, name: &str) -> Result<&'a Value> {
    let rows = sections(report).iter().filter_map(|section| section["rows"].as_array()).flatten();
    let mut found = rows.clone().filter(|row| row["variant"] == name);
    let names = || rows.filter_map(|row| row["variant"].as_str()).collect::<Vec<_>>().join(", ");
    let row = found.next().with_context(|| format!("no row is called `{name}`; there are {}", names()))?;
    ensure!(found.next().is_none(), "two rows are called `{name}`");
    Ok(row)
}

/// What the profiler counted: rows by variant, columns by metric.
pub fn hardware(source: &Source, repository: &Repository, variant: &str, metric: &str) -> Result<f64> {
    let name = format!("{}/h200_counters.csv", source.output());
    let text: Rc<str> = repository.read(&name)?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = columns.iter().position(|column| *column == metric);
    let column = column.with_context(|| format!("`{name}` has no metric `{metric}`"))?;
    let cells = lines.map(|line| line.split(',').collect::<Vec<_>>()).find(|cells| cells[0] == variant);
    let cells = cells.with_context(|| format!("`{name}` has no row `{variant}`"))?;
    let cell = cells.get(column).copied().unwrap_or_default();
    cell.parse().with_context(|| format!("`{name}` has `{cell}` for `{variant}` and `{metric}`"))
}
