//! `output/h200.json`: what a GPU measured in each recorded run of a chapter.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::{Machine, Named, OnGpu, Report, VERSION};

/// What a GPU measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// [`VERSION`].
    pub version: u64,
    /// The chapter's program.
    pub chapter: String,
    /// The day of the measurement.
    pub date: String,
    /// The GPU.
    pub machine: Machine,
    /// The checksums of the instructions that were run, by PTX file: `kernels/ptx/reduction.sm_70.ptx`. If a file has
    /// other instructions now, the record is stale.
    pub code: Named<String>,
    /// The runs, in the order of the chapter's `output/runs.txt`.
    pub runs: Vec<Run>,
}

/// A run on the GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The arguments of the chapter's program.
    pub arguments: String,
    /// The sections by name.
    pub sections: Named<SectionOnGpu>,
}

/// A section's variants on the GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SectionOnGpu {
    /// What to notice in what the GPU did.
    pub notes: Vec<String>,
    /// What the GPU did, by variant.
    pub rows: Named<OnGpu>,
}

impl Run {
    /// What the GPU did with a variant, whichever section it is in.
    pub fn row(&self, variant: &str) -> Option<&OnGpu> {
        self.sections.values().find_map(|section| section.rows.get(variant))
    }
}

impl Measured {
    /// Whether the chapter has not been run on a GPU yet.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

/// The part of a report that the GPU measured.
pub fn measured(report: &Report, arguments: &str) -> Run {
    let section = |section: &crate::Section| {
        let rows = section.rows.iter().filter_map(|row| Some((row.variant.clone(), row.gpu.clone()?)));
        let on_gpu = SectionOnGpu { notes: section.gpu_notes.clone(), rows: rows.collect() };
        (section.name.clone(), on_gpu)
    };
    Run { arguments: arguments.to_owned(), sections: report.sections.iter().map(section).collect() }
}

impl Report {
    /// Adds what a GPU's record has for the same rows, for questions that only a GPU's clock can answer.
    #[must_use]
    pub fn with_measured(mut self, run: &Run) -> Report {
        for section in &mut self.sections {
            let Some(recorded) = run.sections.get(&section.name) else { continue };
            for row in &mut section.rows {
                row.gpu = recorded.rows.get(&row.variant).cloned();
            }
        }
        self
    }
}

impl Measured {
    /// Makes a record from these reports.
    ///
    /// # Errors
    /// If a report has no GPU.
    pub fn of(reports: &[(String, Report)], date: &str, code: Named<String>) -> Result<Measured> {
        let (_, first) = reports.first().context("there is no report")?;
        let machine = first
            .gpu()
            .context("the report has no results of a GPU: run the chapter where there is one")?
            .clone();
        let runs = reports.iter().map(|(arguments, report)| measured(report, arguments)).collect();
        let (chapter, date) = (first.chapter.clone(), date.to_owned());
        Ok(Measured { version: VERSION, chapter, date, machine, code, runs })
    }
}
