//! A report: what one run of a chapter found, section by section and row by row.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::Named;

/// One run of a chapter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`VERSION`](crate::VERSION).
    pub version: u64,
    /// The chapter's program, `ch02_reduction`.
    pub chapter: String,
    /// Its title.
    pub title: String,
    /// Whether everything came out as the chapter expects.
    pub passed: bool,
    /// The machines that ran it: the emulator and, where there is one, a GPU.
    pub machines: Vec<Machine>,
    /// Why there is no GPU among them, if one would have been used.
    pub missing: Option<String>,
    /// What was asked for: `size`, `block`, `seed`.
    pub settings: Named<u64>,
    /// Which launches some checkers did not watch.
    pub unwatched: Option<String>,
    /// The questions.
    pub sections: Vec<Section>,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// `emulator`, or the GPU's name.
    pub name: String,
    /// Compute capability and driver of a GPU.
    pub details: Named<String>,
}

/// A question, and the variants of a kernel that answer it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Its name, which `--only` understands.
    pub name: String,
    /// The question.
    pub title: String,
    /// The settings that it depends on.
    pub settings: Named<u64>,
    /// The columns of its table, each counted by the emulator.
    pub columns: Vec<Column>,
    /// The variants.
    pub rows: Vec<Row>,
    /// Pictures in lines of text, drawn from runs on the emulator.
    pub pictures: Named<String>,
    /// What to notice in what the emulator found.
    pub notes: Vec<String>,
    /// What to notice in what the GPU did.
    pub gpu_notes: Vec<String>,
}

/// The head of a column, in two lines.
pub type Column = [String; 2];

/// A variant of a kernel, run and judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name, which `--only` understands.
    pub variant: String,
    /// The kernels that were launched, in order.
    pub kernels: Vec<String>,
    /// `ok`, `WRONG` or `FAULT`.
    pub verdict: String,
    /// What the chapter expects of these.
    pub expected: String,
    /// Whether that is not what came out, or the machines disagree.
    pub failure: bool,
    /// The emulator's result against the reference.
    pub check: Option<Check>,
    /// What stands in the columns of the section's table.
    pub cells: Vec<String>,
    /// What the emulator counted.
    pub counters: Named<u64>,
    /// The same by CUDA line; left out of recorded files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
    /// What the emulator found wrong.
    pub faults: Vec<Fault>,
    /// Whether a GPU must not be given the kernel.
    pub harmful: bool,
    /// What the kernels printed on the emulator.
    pub output: String,
    /// What else there is to say about the emulator's run.
    pub remarks: Vec<String>,
    /// Figures of the emulator's run that no counter has; those that are no number are `null`.
    pub facts: Named<Option<f64>>,
    /// What the GPU did, if there was one.
    pub gpu: Option<OnGpu>,
}

/// What a GPU did with a variant, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OnGpu {
    /// How many of the kernels it was given, the first ones.
    pub launches: usize,
    /// Why it was not given the rest.
    pub withheld: Option<String>,
    /// Its result against the reference.
    pub check: Option<Check>,
    /// Its result against the emulator's.
    pub agreement: Option<Check>,
    /// How long it took.
    pub timing: Option<Timing>,
    /// What else there is to say about its run.
    pub remarks: Vec<String>,
    /// Figures of its run.
    pub facts: Named<Option<f64>>,
}

/// A comparison, element by element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// How many elements were compared.
    pub elements: usize,
    /// How many were further off than allowed.
    pub wrong: usize,
    /// The largest absolute difference; `null` if it is no number.
    pub worst: Option<f64>,
    /// What was allowed, unless nothing was.
    pub bound: Option<String>,
    /// The first that was further off.
    pub first: Option<Difference>,
}

/// An element that is not what it should be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Its index.
    pub index: usize,
    /// What it should be.
    pub expected: String,
    /// What it is.
    pub got: String,
}

/// How long a kernel took on a GPU, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The median.
    pub median_us: f64,
    /// The shortest.
    pub min_us: f64,
    /// The longest.
    pub max_us: f64,
    /// How many runs were timed, after one that was not.
    pub runs: u32,
    /// How long that one took, which warmed up.
    pub warm_up_us: Option<f64>,
}

/// What the emulator counted at a CUDA line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The file, without its folder.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The counters.
    pub counters: Named<u64>,
}

/// Something that the emulator found wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// `race`, `out-of-bounds`.
    pub kind: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// How often.
    pub count: u64,
    /// What happened.
    pub message: String,
    /// What to do.
    pub help: String,
    /// The lanes that took part, one or two.
    pub actors: Vec<Actor>,
}

/// A lane, where it was and what it did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// Its block.
    pub block: [u32; 3],
    /// The thread in the block.
    pub thread: [u32; 3],
    /// The warp in the block.
    pub warp: u32,
    /// The lane in the warp.
    pub lane: u32,
    /// The line of PTX.
    pub ptx_line: u32,
    /// The PTX itself.
    pub ptx: String,
    /// The CUDA line, if the compiler names one.
    pub source: Option<CudaLine>,
    /// What it did there.
    pub doing: String,
}

/// A line of CUDA.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CudaLine {
    /// The file, without its folder.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl Report {
    /// A section by name.
    ///
    /// # Errors
    /// There is none; the error names those there are.
    pub fn section(&self, name: &str) -> Result<&Section> {
        let found = self.sections.iter().find(|section| section.name == name);
        found.with_context(|| {
            let names: Vec<&str> = self.sections.iter().map(|section| section.name.as_str()).collect();
            format!("there is no section `{name}`; there are {}", names.join(", "))
        })
    }

    /// All rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.sections.iter().flat_map(|section| &section.rows)
    }

    /// A row by name.
    ///
    /// # Errors
    /// There is none, or there are two; the error names those there are.
    pub fn row(&self, variant: &str) -> Result<&Row> {
        let mut found = self.rows().filter(|row| row.variant == variant);
        let row = found.next().with_context(|| {
            let names: Vec<&str> = self.rows().map(|row| row.variant.as_str()).collect();
            format!("no row is called `{variant}`; there are {}", names.join(", "))
        })?;
        ensure!(found.next().is_none(), "two rows are called `{variant}`");
        Ok(row)
    }

    /// The GPU that ran it, if one did.
    pub fn gpu(&self) -> Option<&Machine> {
        self.machines.iter().find(|machine| machine.details.contains_key("driver"))
    }
}

impl Machine {
    /// The name and the driver.
    pub fn origin(&self) -> String {
        match self.details.get("driver") {
            Some(driver) => format!("{}, driver {driver}", self.name),
            None => self.name.clone(),
        }
    }
}

impl Check {
    /// Whether every element was right.
    pub fn is_right(&self) -> bool {
        self.wrong == 0
    }
}

impl Timing {
    /// The summary of some runs, `None` of none.
    pub fn of(mut times_us: Vec<f64>) -> Option<Timing> {
        times_us.sort_by(f64::total_cmp);
        let (min_us, max_us) = (*times_us.first()?, *times_us.last()?);
        let median_us = times_us[times_us.len() / 2];
        Some(Timing { median_us, min_us, max_us, runs: times_us.len() as u32, warm_up_us: None })
    }

    /// One launch after the other.
    #[must_use]
    pub fn then(self, next: Timing) -> Timing {
        Timing {
            median_us: self.median_us + next.median_us,
            min_us: self.min_us + next.min_us,
            max_us: self.max_us + next.max_us,
            runs: self.runs.min(next.runs),
            warm_up_us: self.warm_up_us.zip(next.warm_up_us).map(|(first, second)| first + second),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_not_moved_by_one_slow_run() {
        let timing = Timing::of(vec![2.0, 1.0, 90.0]).unwrap();
        assert_eq!((timing.min_us, timing.median_us, timing.max_us, timing.runs), (1.0, 2.0, 90.0, 3));
        assert_eq!((timing.warm_up_us, Timing::of(Vec::new())), (None, None));
    }
}
