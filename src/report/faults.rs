//! What was wrong, told below a table: what, who, where, and one line of help.
//!
//! A kernel usually goes wrong in many lanes in the same way; the first ones are told and the rest counted. What it
//! leaves out: the lines of PTX, which the trace shows.

use simt::Fault;

use super::layout::{grouped, paragraph};
use super::{Row, Verdict};

/// How many faults of a row are told.
const TOLD: usize = 2;

/// Everything to say about a row that did not simply come out right.
pub(super) fn about(row: &Row) -> String {
    let mut out = list(&row.variant, &row.run.faults);
    if row.verdict == Verdict::Wrong {
        out += &wrong(row);
    }
    out += &disagreement(row);
    if let Some(bound) = row.check.as_ref().and_then(|check| check.tolerance.text()) {
        out += &paragraph("  - ", &format!("{}: checked {bound}", row.variant));
    }
    for remark in row.remarks.iter().chain(&row.run.withheld) {
        out += &paragraph("  - ", &format!("{}: {remark}", row.variant));
    }
    out
}

/// The faults of one run, the first ones told and the rest counted.
pub(crate) fn list(variant: &str, faults: &[Fault]) -> String {
    let mut out: String = faults.iter().take(TOLD).map(|fault| told(variant, fault)).collect();
    if let Some(more @ 1..) = faults.len().checked_sub(TOLD) {
        out += &paragraph("  ! ", &format!("{variant}: and {more} more"));
    }
    out
}

fn told(variant: &str, fault: &Fault) -> String {
    let mut out = paragraph("  ! ", &format!("{variant}: {}: {}", fault.kind.name(), fault.message));
    for actor in &fault.actors {
        out += &paragraph("      ", &actor.to_string());
    }
    out + &paragraph("      help: ", &fault.help)
}

fn wrong(row: &Row) -> String {
    let Some(check) = &row.check else { return String::new() };
    let (wrong, all) = (grouped(check.wrong as u64), grouped(check.elements as u64));
    let first = check.first.as_ref().map_or(String::new(), |first| {
        format!("; element {} is {} and should be {}", first.index, first.got, first.expected)
    });
    paragraph("  ! ", &format!("{}: {wrong} of {all} elements are wrong{first}", row.variant))
}

fn disagreement(row: &Row) -> String {
    let Some(check) = row.agreement.as_ref().filter(|check| !check.is_right()) else { return String::new() };
    let wrong = grouped(check.wrong as u64);
    let first = check.first.as_ref().map_or(String::new(), |first| {
        format!("; element {} is {} and {}", first.index, first.expected, first.got)
    });
    paragraph("  ! ", &format!("{}: emulator and GPU differ in {wrong} elements or more{first}", row.variant))
}
