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
    /// Whether all results are those that the chapter expects.
    pub passed: bool,
    /// The machines that ran it: the emulator and, where there is one, a GPU.
    pub machines: Vec<Machine>,
    /// Why there is no GPU among the machines, if one would have been used.
    pub missing: Option<String>,
    /// The sizes and the seed of the run: `size`, `block`, `seed`.
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
    /// Whether the result is not the expected one, or the machines disagree.
    pub failure: bool,
    /// The emulator's result compared with the reference.
    pub check: Option<Check>,
    /// The texts in the columns of the section's table.
    pub cells: Vec<String>,
    /// What the emulator counted.
    pub counters: Named<u64>,
    /// The same counters by CUDA line; left out of recorded files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
    /// The faults that the emulator found.
    pub faults: Vec<Fault>,
    /// Whether the kernel must not be run on a GPU.
    pub harmful: bool,
    /// What the kernels printed on the emulator.
    pub output: String,
    /// Further remarks on the emulator's run.
    pub remarks: Vec<String>,
    /// Figures of the emulator's run that are not counters; those that are not finite numbers are `null`.
    pub facts: Named<Option<f64>>,
    /// What the GPU did, if there was one.
    pub gpu: Option<OnGpu>,
}

/// What a GPU did with a variant, and nothing from the emulator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OnGpu {
    /// How many of the kernels the GPU ran: so many from the first one on.
    pub launches: usize,
    /// Why the GPU did not run the others.
    pub withheld: Option<String>,
    /// The GPU's result compared with the reference.
    pub check: Option<Check>,
    /// The GPU's result compared with the emulator's.
    pub agreement: Option<Check>,
    /// How long the GPU took.
    pub timing: Option<Timing>,
    /// Further remarks on the GPU's run.
    pub remarks: Vec<String>,
    /// Figures of the GPU's run.
    pub facts: Named<Option<f64>>,
}

/// A comparison, element by element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// How many elements were compared.
    pub elements: usize,
    /// How many differ by more than the bound.
    pub wrong: usize,
    /// The largest absolute difference; `null` if it is not a finite number.
    pub worst: Option<f64>,
    /// The bound, unless the results must be equal.
    pub bound: Option<String>,
    /// The first element that differs by more than the bound.
    pub first: Option<Difference>,
}

/// An element that differs from the expected value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The index of the element.
    pub index: usize,
    /// The expected value.
    pub expected: String,
    /// The value that was found.
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
    /// How long the warm-up run took.
    pub warm_up_us: Option<f64>,
}

/// What the emulator counted at a CUDA line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The file, without its folder.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The kernel's lines with the calls, if the line is in a function that was inlined; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CudaLine>,
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
    /// How often it happened.
    pub count: u64,
    /// What happened.
    pub message: String,
    /// What to do.
    pub help: String,
    /// The lanes involved, one or two.
    pub actors: Vec<Actor>,
}

/// A lane, its place in the code, and what it did there.
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
    /// The lines of the calls through which that line was inlined, from the innermost on; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CudaLine>,
    /// What the lane did there.
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
    /// The section of this name.
    ///
    /// # Errors
    /// If there is none; the error lists the sections that exist.
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

    /// The row of this name.
    ///
    /// # Errors
    /// If there is none, and then the error lists the rows that exist; or if there are two.
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
    /// The machine's name and its driver.
    pub fn origin(&self) -> String {
        match self.details.get("driver") {
            Some(driver) => format!("{}, driver {driver}", self.name),
            None => self.name.clone(),
        }
    }
}

impl Row {
    /// PTX instructions per warp; `None` if the row launched nothing.
    pub fn instructions_per_warp(&self) -> Option<f64> {
        self.ratio("ptx_instructions", "warps")
    }

    /// Active lanes, averaged over the PTX instructions; `None` if the row launched nothing.
    pub fn active_lanes(&self) -> Option<f64> {
        self.ratio("ptx_lanes", "ptx_instructions")
    }

    fn ratio(&self, part: &str, whole: &str) -> Option<f64> {
        Some(*self.counters.get(part)? as f64 / *self.counters.get(whole)? as f64)
    }
}

impl Check {
    /// Whether every element was right.
    pub fn is_right(&self) -> bool {
        self.wrong == 0
    }
}

impl Timing {
    /// The summary of some runs; `None` if there are none.
    pub fn of(mut times_us: Vec<f64>) -> Option<Timing> {
        times_us.sort_by(f64::total_cmp);
        let (min_us, max_us) = (*times_us.first()?, *times_us.last()?);
        let median_us = times_us[times_us.len() / 2];
        Some(Timing { median_us, min_us, max_us, runs: times_us.len() as u32, warm_up_us: None })
    }

    /// The time of one launch followed by another.
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
