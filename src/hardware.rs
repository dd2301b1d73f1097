//! Hardware counters of a chapter beside the emulator's: a record that was read on a GPU, and the table made of both.
//!
//! The record, `output/h200_counters.csv`, is written by `cargo xtask counters` from what Nsight Compute printed; CI,
//! which has no GPU, compares it with what the emulator counts now. Requests and sectors must be equal. Machine code
//! has other instructions than PTX, so those stand side by side, and where branches differ, `output/h200_why.txt` says
//! why. What it leaves out: times, which are in the chapter's other records.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::report::layout::grouped;

/// The record in a chapter's `output` folder.
pub const RECORD: &str = "h200_counters.csv";
/// The explanations beside it.
pub const WHY: &str = "h200_why.txt";
/// The table that is made of both.
pub const TABLE: &str = "counters.md";

/// Instructions that the hardware issued, once a warp.
pub const INSTRUCTIONS: &str = "smsp__inst_executed.sum";
/// Control-flow instructions of machine code among them, `EXIT` too.
pub const BRANCHES: &str = "smsp__inst_executed_op_branch.sum";
/// Branches that parted the threads of a warp.
pub const DIVERGENT: &str = "smsp__sass_branch_targets_threads_divergent.sum";

/// The emulator's counters that must equal the hardware's, with Nsight Compute's names for them.
pub const EQUAL: [(&str, &str); 5] = [
    ("warps", "smsp__warps_launched.sum"),
    ("global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
    ("global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
    ("global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
];

/// What was read on a GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Where, when and how, in one line.
    pub origin: String,
    /// By variant, in the order of the chapter: the metrics by name.
    pub rows: Vec<(String, BTreeMap<String, u64>)>,
}

/// Every metric that a record holds, in the order of its columns.
pub fn metrics() -> Vec<&'static str> {
    EQUAL.iter().map(|(_, metric)| *metric).chain([INSTRUCTIONS, BRANCHES, DIVERGENT]).collect()
}

impl Record {
    /// Reads a record: a line about its origin, a line of metrics, and a line a variant.
    pub fn parse(text: &str) -> Result<Record> {
        let mut lines = text.lines();
        let origin =
            lines.next().and_then(|line| line.strip_prefix("# ")).context("the record has no origin")?;
        let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').skip(1).collect();
        let mut rows = Vec::new();
        for line in lines {
            let mut cells = line.split(',');
            let variant = cells.next().unwrap_or_default();
            let values = cells.map(str::parse).collect::<Result<Vec<u64>, _>>();
            let values = values.with_context(|| format!("`{variant}` has a cell that is no number"))?;
            rows.push((variant.to_owned(), columns.iter().map(|&c| c.to_owned()).zip(values).collect()));
        }
        Ok(Record { origin: origin.to_owned(), rows })
    }

    /// The text that [`Record::parse`] reads.
    pub fn render(&self) -> String {
        let mut text = format!("# {}\nvariant,{}\n", self.origin, metrics().join(","));
        for (variant, values) in &self.rows {
            let cells: Vec<String> = metrics().iter().map(|&metric| values[metric].to_string()).collect();
            let _ = writeln!(text, "{variant},{}", cells.join(","));
        }
        text
    }
}

/// What `output/counters.md` of a chapter has to be; `None` where the chapter has no record of hardware counters.
pub fn fresh(chapter: &Path, program: &Path) -> Result<Option<String>> {
    let folder = chapter.join("output");
    if !folder.join(RECORD).exists() {
        return Ok(None);
    }
    let record = Record::parse(&fs::read_to_string(folder.join(RECORD))?)?;
    let why = fs::read_to_string(folder.join(WHY)).unwrap_or_default().replace("\r\n", "\n");
    let output = Command::new(program).args(["--device", "sim", "--json"]).output()?;
    let report: Value = serde_json::from_slice(&output.stdout).context("the chapter printed no JSON")?;
    table(&record, &report, &why).map(Some)
}

/// Fails unless the table is what the record and the emulator say now; for a chapter's tests.
pub fn check(chapter: &Path, program: &Path) -> Result<()> {
    let now = fresh(chapter, program)?.context("the chapter has no record of hardware counters")?;
    let kept = fs::read_to_string(chapter.join("output").join(TABLE)).unwrap_or_default();
    ensure!(kept.replace("\r\n", "\n") == now, "`output/{TABLE}` is out of step: run `cargo xtask bless`");
    Ok(())
}

/// The rows of a report's JSON that ran on a GPU, or would: kernels that the emulator found no harm in.
pub fn launched(report: &Value) -> impl Iterator<Item = &Value> {
    let sections = report["sections"].as_array().into_iter().flatten();
    let rows = sections.flat_map(|section| section["rows"].as_array().into_iter().flatten());
    rows.filter(|row| row["faults"].as_array().is_none_or(Vec::is_empty))
}

/// The emulator's counters of one variant, and the hardware's.
struct Pair<'a> {
    variant: &'a str,
    emulator: &'a Value,
    hardware: &'a BTreeMap<String, u64>,
}

impl Pair<'_> {
    fn emulated(&self, counter: &str) -> u64 {
        self.emulator[counter].as_u64().unwrap_or_default()
    }

    fn measured(&self, metric: &str) -> u64 {
        self.hardware.get(metric).copied().unwrap_or_default()
    }

    /// Refuses a difference in what must be equal.
    fn check(&self) -> Result<()> {
        for (counter, metric) in EQUAL {
            let (emulator, hardware) = (self.emulated(counter), self.measured(metric));
            let variant = self.variant;
            ensure!(
                emulator == hardware,
                "`{variant}`: {counter} is {emulator} here and {hardware} on hardware"
            );
        }
        Ok(())
    }

    fn branches_differ(&self) -> bool {
        self.emulated("ptx_branches") != self.measured(BRANCHES)
            || self.emulated("ptx_divergent_branches") != self.measured(DIVERGENT)
    }

    fn line(&self) -> String {
        let equal = |counter| grouped(self.emulated(counter));
        let beside = |counter, metric| format!("{} / {}", equal(counter), grouped(self.measured(metric)));
        let cells = [
            format!("`{}`", self.variant),
            equal("global_load_requests"),
            equal("global_load_sectors"),
            equal("global_store_requests"),
            equal("global_store_sectors"),
            beside("ptx_instructions", INSTRUCTIONS),
            beside("ptx_branches", BRANCHES),
            beside("ptx_divergent_branches", DIVERGENT),
        ];
        format!("| {} |\n", cells.join(" | "))
    }
}

fn table(record: &Record, report: &Value, why: &str) -> Result<String> {
    let pairs = pairs(record, report)?;
    let mut text = format!(
        "<!-- Generated by `cargo xtask bless` from {RECORD}, {WHY} and a run of the emulator; do not edit. -->\n\n\
         # Counters: the emulator and the hardware\n\n{}\n\n\
         Requests and sectors are equal on both machines, so they stand here once. Instructions and branches stand as\n\
         *PTX / machine code*: the driver's assembler makes other instructions of the same work, and counts `EXIT` among\n\
         the branches.\n\n\
         | variant | load requests | load sectors | store requests | store sectors | instructions | branches | divergent |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        record.origin
    );
    for pair in &pairs {
        pair.check()?;
        text += &pair.line();
    }
    text += "\n## Why the branches differ\n\n";
    text += &explanations(&pairs, why)?;
    Ok(text)
}

fn pairs<'a>(record: &'a Record, report: &'a Value) -> Result<Vec<Pair<'a>>> {
    let rows: Vec<&Value> = launched(report).collect();
    let names: Vec<&str> = rows.iter().filter_map(|row| row["variant"].as_str()).collect();
    let recorded: Vec<&str> = record.rows.iter().map(|(variant, _)| variant.as_str()).collect();
    ensure!(
        names == recorded,
        "the chapter's variants are not those of `{RECORD}`: record them again on a GPU"
    );
    let pair = |(row, (_, hardware)): (&&'a Value, &'a (_, _))| Pair {
        variant: row["variant"].as_str().unwrap_or_default(),
        emulator: &row["counters"],
        hardware,
    };
    Ok(rows.iter().zip(&record.rows).map(pair).collect())
}

/// One paragraph a reason: `variant, variant: why`. Every variant whose branches differ has one, and no other.
fn explanations(pairs: &[Pair<'_>], why: &str) -> Result<String> {
    let mut text = String::new();
    let mut explained = Vec::new();
    for paragraph in why.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        let (variants, reason) =
            paragraph.split_once(':').context("an explanation begins with its variants")?;
        let variants: Vec<&str> = variants.split(',').map(str::trim).collect();
        let names: Vec<String> = variants.iter().map(|variant| format!("`{variant}`")).collect();
        let _ = writeln!(
            text,
            "- {}: {}",
            names.join(", "),
            reason.split_whitespace().collect::<Vec<_>>().join(" ")
        );
        explained.extend(variants);
    }
    for pair in pairs {
        let count = explained.iter().filter(|&&variant| variant == pair.variant).count();
        if count != usize::from(pair.branches_differ()) {
            bail!("`{}` has {count} explanations in `{WHY}`: give one where branches differ", pair.variant);
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(branches: u64) -> Record {
        let values = metrics()
            .into_iter()
            .map(|metric| (metric.to_owned(), 4))
            .chain([(BRANCHES.to_owned(), branches), (DIVERGENT.to_owned(), 0)]);
        Record { origin: "somewhere".to_owned(), rows: vec![("one".to_owned(), values.collect())] }
    }

    fn report(sectors: u64) -> Value {
        let counters = serde_json::json!({
            "warps": 4, "global_load_requests": 4, "global_load_sectors": sectors, "global_store_requests": 4,
            "global_store_sectors": 4, "ptx_instructions": 9, "ptx_branches": 2, "ptx_divergent_branches": 0,
        });
        serde_json::json!({ "sections": [{ "rows": [{ "variant": "one", "faults": [], "counters": counters }] }] })
    }

    #[test]
    fn a_record_survives_being_written() {
        assert_eq!(Record::parse(&record(2).render()).unwrap(), record(2));
    }

    #[test]
    fn what_must_be_equal_is_checked() {
        assert!(table(&record(2), &report(4), "").is_ok());
        let error = table(&record(2), &report(5), "").unwrap_err().to_string();
        assert_eq!(error, "`one`: global_load_sectors is 5 here and 4 on hardware");
    }

    #[test]
    fn a_difference_is_explained_and_nothing_else_is() {
        assert!(table(&record(3), &report(4), "").unwrap_err().to_string().contains("has 0 explanations"));
        assert!(
            table(&record(2), &report(4), "one: why").unwrap_err().to_string().contains("has 1 explanations")
        );
        assert!(table(&record(3), &report(4), "one: it is\n so").unwrap().ends_with("- `one`: it is so\n"));
    }
}
