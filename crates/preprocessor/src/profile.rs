//! The profiler's full report on a row: numbers in sentences, and `{{#profile ch06 direct_32x8 Occupancy}}`.
//!
//! `cargo xtask record` writes the record, a chapter's `output/h200_profile.csv`. The record contains the checksums of
//! the instructions, so a number is marked as stale if the instructions have changed. In a page, a section and a metric
//! are written with `_` for each blank: `Occupancy/Achieved_Occupancy`.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};

use record::{Metric, Table};

use crate::html::escape;
use crate::repository::Repository;
use crate::source::Source as Chapter;
use crate::value::{Source, with_commas};

/// The record in a chapter's `output` folder.
const RECORD: &str = "h200_profile.csv";

/// A record.
struct Profile {
    file: String,
    table: Table<Metric>,
    is_stale: bool,
}

impl Profile {
    fn read(chapter: &Chapter, repository: &Repository) -> Result<Self> {
        let file = format!("{}/{RECORD}", chapter.output());
        let table: Table<Metric> = Table::read(&repository.read(&file)?, &format!("`{file}`"))?;
        let is_current = |(file, sum): (&String, &String)| {
            repository.read(file).is_ok_and(|ptx| nvrtc::code_sha256(&ptx) == *sum)
        };
        let is_stale = !table.code.iter().all(is_current);
        Ok(Self { file, table, is_stale })
    }

    /// The metrics of a section of a row; the section is named as in a page.
    fn section(&self, row: &str, section: &str) -> Result<Vec<&Metric>> {
        let of_row: Vec<&Metric> = self.table.rows.iter().filter(|metric| metric.row == row).collect();
        ensure!(!of_row.is_empty(), "`{}` has no row `{row}`", self.file);
        let found: Vec<&Metric> =
            of_row.iter().copied().filter(|metric| is(&metric.section, section)).collect();
        if found.is_empty() {
            let mut names: Vec<String> = of_row.iter().map(|metric| written(&metric.section)).collect();
            names.dedup();
            bail!("`{}` has no section `{section}`; there are {}", self.file, names.join(", "));
        }
        Ok(found)
    }

    fn find(&self, row: &str, section: &str, name: &str) -> Result<&Metric> {
        let section_of = self.section(row, section)?;
        section_of.iter().copied().find(|metric| is(&metric.metric, name)).with_context(|| {
            let names: Vec<String> = section_of.iter().map(|metric| written(&metric.metric)).collect();
            format!("the section `{section}` has no metric `{name}`; there are {}", names.join(", "))
        })
    }
}

/// A name as it is written in a page.
fn written(name: &str) -> String {
    name.replace(' ', "_")
}

fn is(name: &str, asked: &str) -> bool {
    written(name) == asked
}

/// The number that `profile:SECTION/METRIC` of a row stands for.
pub fn number(chapter: &Chapter, repository: &Repository, row: &str, name: &str) -> Result<(f64, Source)> {
    let (section, metric) =
        name.split_once('/').context("write `profile:SECTION/METRIC`, with `_` for each blank")?;
    let profile = Profile::read(chapter, repository)?;
    let value = profile.find(row, section, metric)?.value.parse()?;
    Ok((value, if profile.is_stale { Source::StaleGpu } else { Source::Gpu }))
}

/// A table of a section: `CHAPTER ROW,ROW SECTION`, and the metrics to show, if not all.
pub fn table(words: &[&str], repository: &Repository) -> Result<String> {
    let [chapter, rows, section, metrics @ ..] = words else {
        bail!("name a chapter, rows, and a section: `{{{{#profile ch06 ROW,ROW Occupancy}}}}`");
    };
    let profile = Profile::read(&Chapter::parse(chapter, repository)?, repository)?;
    let rows: Vec<&str> = rows.split(',').collect();
    let all = profile.section(rows[0], section)?;
    let names: Vec<String> = if metrics.is_empty() {
        all.iter().map(|metric| written(&metric.metric)).collect()
    } else {
        metrics.iter().map(|&name| name.to_owned()).collect()
    };
    let mut body = String::new();
    for name in names {
        let of = rows.iter().map(|row| profile.find(row, section, &name)).collect::<Result<Vec<_>>>()?;
        let unit = if of[0].unit.is_empty() { String::new() } else { format!(" ({})", of[0].unit) };
        let _ = write!(body, "<tr><th scope=\"row\">{}{}</th>", escape(&of[0].metric), escape(&unit));
        for metric in of {
            let _ = write!(body, "<td>{}</td>", with_commas(&metric.value));
        }
        body += "</tr>\n";
    }
    let mut heads = String::new();
    for row in rows {
        let _ = write!(heads, "<th scope=\"col\"><code>{}</code></th>", escape(row));
    }
    let (class, mark) = if profile.is_stale { ("by-gpu stale", " (stale)") } else { ("by-gpu", "") };
    let title = all[0].section.as_str();
    Ok(format!(
        "<div class=\"table-wrapper {class}\" title=\"{}\">\n<table class=\"report\" aria-label=\"{title}\">\n<thead>\n\
         <tr><th scope=\"col\">{title}{mark}</th>{heads}</tr>\n</thead>\n<tbody>\n{body}</tbody>\n</table>\n</div>\n",
        escape(&profile.table.origin)
    ))
}
