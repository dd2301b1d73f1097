//! What a chapter found, before it is formatted.
//!
//! Data only: [`text`] formats it for a reader, [`json`] for a program. A report consists of sections, and a section
//! has a row for each kernel variant, and remarks. What it leaves out: times of the emulator, so that the output is the
//! same on every computer.

pub mod columns;
pub mod faults;
pub mod json;
pub mod text;

pub use spec::layout;

use record::Named;

use crate::check::Check;
use crate::device::withheld;
use crate::machine::{About, Run};
use columns::Column;

/// Everything that a chapter prints.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The chapter's name, `ch01_divergence`.
    pub chapter: String,
    /// Its title.
    pub title: String,
    /// The machines that ran it.
    pub machines: Vec<About>,
    /// Why there is no GPU among them, if one would have been used.
    pub missing: Option<String>,
    /// The settings, for example `("size", 4096)`, on which sections that were run depend.
    pub settings: Vec<(&'static str, u64)>,
    /// Which launches ran without some checkers, and how to switch them on.
    pub unwatched: Option<String>,
    /// What was found.
    pub sections: Vec<Section>,
}

/// A question, and the variants that answer it.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its name, for `--only`.
    pub name: String,
    /// The question.
    pub title: String,
    /// The settings on which it depends.
    pub settings: Vec<(&'static str, u64)>,
    /// The counters that it is about.
    pub columns: Vec<Column>,
    /// The variants.
    pub rows: Vec<Row>,
    /// Pictures in lines of text, with their names, for `--only`.
    pub pictures: Named<String>,
    /// Remarks about what the emulator found. Every number comes from the rows.
    pub notes: Vec<String>,
    /// Remarks about what the GPU did.
    pub gpu_notes: Vec<String>,
}

/// A variant of a kernel that was run and judged.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name in the section.
    pub variant: String,
    /// What the run did.
    pub run: Run,
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict that the chapter expects.
    pub expected: Verdict,
    /// The comparison of the emulator's result with the reference.
    pub check: Option<Check>,
    /// The comparison of the GPU's result with the reference, if there is a GPU.
    pub gpu_check: Option<Check>,
    /// The comparison of the two machines, if there is a GPU.
    pub agreement: Option<Check>,
    /// Remarks about the emulator's run, below the table.
    pub remarks: Vec<String>,
    /// Remarks about the GPU's run.
    pub gpu_remarks: Vec<String>,
    /// Figures of the emulator's run that no counter has, by name: for programs, and for claims.
    pub facts: Vec<(&'static str, f64)>,
    /// Figures of the GPU's run.
    pub gpu_facts: Vec<(&'static str, f64)>,
}

/// The verdict on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The result is right, and the emulator found nothing wrong.
    Ok,
    /// The result is wrong.
    Wrong,
    /// The emulator found something wrong with the kernel.
    Fault,
}

impl Verdict {
    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Wrong => "WRONG",
            Verdict::Fault => "FAULT",
        }
    }
}

impl Row {
    /// A row about a run that is expected to be right.
    pub fn new(run: Run, verdict: Verdict) -> Row {
        Row {
            variant: String::new(),
            run,
            verdict,
            expected: Verdict::Ok,
            check: None,
            gpu_check: None,
            agreement: None,
            remarks: Vec::new(),
            gpu_remarks: Vec::new(),
            facts: Vec::new(),
            gpu_facts: Vec::new(),
        }
    }

    /// Sets the expected verdict. If a wrong kernel is found to be wrong, that is a success.
    #[must_use]
    pub fn expect(self, expected: Verdict) -> Row {
        Row { expected, ..self }
    }

    /// Adds a remark.
    #[must_use]
    pub fn remark(mut self, remark: String) -> Row {
        self.remarks.push(remark);
        self
    }

    /// Adds a figure that no counter has: updates lost, seeds that failed, the widest error.
    #[must_use]
    pub fn fact(mut self, name: &'static str, value: f64) -> Row {
        self.facts.push((name, value));
        self
    }

    /// Adds a remark about the GPU's run.
    #[must_use]
    pub fn gpu_remark(mut self, remark: String) -> Row {
        self.gpu_remarks.push(remark);
        self
    }

    /// Adds a figure of the GPU's run.
    #[must_use]
    pub fn gpu_fact(mut self, name: &'static str, value: f64) -> Row {
        self.gpu_facts.push((name, value));
        self
    }

    /// A figure that was added for either machine.
    pub fn fact_value(&self, name: &str) -> Option<f64> {
        let mut facts = self.facts.iter().chain(&self.gpu_facts);
        facts.find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The text of a cell. A kernel that was stopped was not counted to the end, so it has no counts; nor has any other that a
    /// GPU must not get.
    pub(crate) fn cell(&self, column: &Column) -> String {
        if withheld(&self.run.faults).is_some() {
            return "-".to_owned();
        }
        column.text(&self.run.counters, |name| self.fact_value(name))
    }

    /// The comparison with the reference that failed, the emulator's first.
    pub(crate) fn wrong_check(&self) -> Option<&Check> {
        [&self.check, &self.gpu_check].into_iter().flatten().find(|check| !check.is_right())
    }

    /// Whether the verdict is not the expected one, or the machines disagree about a kernel that is right. A fault does
    /// not count as missing if its checker was off.
    pub fn is_failure(&self) -> bool {
        let disagree = self.agreement.as_ref().is_some_and(|check| !check.is_right());
        if self.expected == Verdict::Fault && self.run.unwatched {
            return false;
        }
        self.verdict != self.expected || (self.expected == Verdict::Ok && disagree)
    }
}

impl Section {
    /// Whether any part of it was run.
    pub(crate) fn was_run(&self) -> bool {
        !self.rows.is_empty() || !self.pictures.is_empty()
    }

    /// The row of a variant, if it was run.
    pub fn row(&self, variant: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.variant == variant)
    }
}

impl Report {
    /// The rows of all sections.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.sections.iter().flat_map(|section| &section.rows)
    }

    /// Whether any row is a failure.
    pub fn is_failure(&self) -> bool {
        self.rows().any(Row::is_failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Tolerance, agree};

    #[test]
    fn a_wrong_kernel_that_is_found_out_is_a_success() {
        let row = Row::new(Run::default(), Verdict::Wrong);
        assert!(row.is_failure());
        assert!(!row.clone().expect(Verdict::Wrong).is_failure());
        assert!(row.expect(Verdict::Fault).is_failure());
    }

    #[test]
    fn a_fault_is_missing_only_if_its_checker_was_on() {
        let run = Run { unwatched: true, ..Run::default() };
        assert!(!Row::new(run.clone(), Verdict::Ok).expect(Verdict::Fault).is_failure());
        assert!(Row::new(run, Verdict::Ok).expect(Verdict::Wrong).is_failure());
    }

    #[test]
    fn machines_that_disagree_about_a_right_kernel_are_a_failure() {
        let disagree = Some(agree(&[1_i32], &[2], &Tolerance::Exact));
        let row = Row { agreement: disagree, ..Row::new(Run::default(), Verdict::Ok) };
        assert!(row.is_failure());
    }
}
