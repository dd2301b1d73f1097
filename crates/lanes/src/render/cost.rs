//! What a launch cost: the counters that are not zero, and the most expensive CUDA lines.
//!
//! What it leaves out: Nsight Compute's names.

use std::cmp::Reverse;

use simt::{Counters, LineCounters, Report};

use super::TITLE;
use spec::layout::{decimal, grouped, paragraph, table};
use thirty_two_lanes::device::withheld;
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, BANK_CONFLICTS, Column, DIVERGENT_BRANCHES, INSTRUCTIONS, SECTORS,
};

/// How many CUDA lines are shown.
const LINES: usize = 8;

/// The columns about a CUDA line; the last one only where there are conflicts.
const COLUMNS: [Column; 5] = [INSTRUCTIONS, ACTIVE_LANES, DIVERGENT_BRANCHES, SECTORS, BANK_CONFLICTS];

pub fn counters(report: &Report) -> String {
    // A fault that is harmful on a GPU also stops the emulator.
    let until = if withheld(&report.faults).is_some() { " until it was stopped" } else { "" };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (name, unit, _, value) in report.counters.all() {
        if value > 0 {
            rows.push(vec![words_of(name, unit), grouped(value)]);
        }
    }
    for (name, value) in averages(&report.counters) {
        if value > 0.0 {
            rows.push(vec![format!("  {name}"), decimal(value)]);
        }
    }
    titled(&format!("counted{until}"), &rows)
}

/// A counter's name in words, followed by its unit unless the name ends in it: ` PTX barriers (instructions)`.
fn words_of(name: &str, unit: &str) -> String {
    let name = name.replace('_', " ").replace("ptx", "PTX");
    if name.ends_with(unit) { format!("  {name}") } else { format!("  {name} ({unit})") }
}

fn averages(counters: &Counters) -> [(&'static str, f64); 3] {
    [
        ("PTX instructions per warp", counters.ptx_instructions_per_warp()),
        ("active lanes per PTX instruction", counters.ptx_lanes_per_instruction()),
        ("global load sectors per request", counters.global_load_sectors_per_request()),
    ]
}

/// Sectors of a request that only lanes which are far apart have: with 16 bytes for each of 32 lanes it has 16.
const FAR_APART: u64 = 24;

/// A hint at `lanes advise`, if the counters show that lines cost far more than they could.
pub fn costly(lines: &[LineCounters]) -> String {
    let is_costly = |line: &&LineCounters| {
        let Counters { global_load_requests, global_load_sectors, .. } = line.counters;
        let Counters { global_store_requests, global_store_sectors, .. } = line.counters;
        let Counters { shared_load_requests, shared_store_requests, .. } = line.counters;
        let requests = global_load_requests + global_store_requests;
        let conflicts = line.counters.shared_load_bank_conflicts + line.counters.shared_store_bank_conflicts;
        let in_banks = shared_load_requests + shared_store_requests;
        requests > 0 && global_load_sectors + global_store_sectors >= FAR_APART * requests
            || in_banks > 0 && conflicts >= in_banks
    };
    let found: Vec<String> = lines.iter().filter(is_costly).map(|line| line.source.to_string()).collect();
    let Some((last, before)) = found.split_last() else { return String::new() };
    let places = if before.is_empty() { last.clone() } else { format!("{} and {last}", before.join(", ")) };
    format!(
        "\n{}",
        paragraph("advice: ", &format!("`lanes advise` with this launch says how {places} could cost less"))
    )
}

/// The CUDA lines for which the most instructions were executed, the most expensive first. A file may contain other
/// kernels too.
pub fn lines(lines: &[LineCounters]) -> String {
    let mut costliest: Vec<&LineCounters> =
        lines.iter().filter(|line| line.counters.ptx_instructions > 0).collect();
    costliest.sort_by_key(|line| Reverse(line.counters.ptx_instructions));
    if costliest.is_empty() {
        return String::new();
    }
    let conflicts = |line: &&LineCounters| {
        line.counters.shared_load_bank_conflicts + line.counters.shared_store_bank_conflicts > 0
    };
    let columns = &COLUMNS[..COLUMNS.len() - usize::from(!lines.iter().any(|line| conflicts(&line)))];
    let head = |row: usize| columns.iter().map(move |column| column.head[row].to_owned());
    let mut rows: Vec<Vec<String>> =
        (0..2).map(|row| std::iter::once(String::new()).chain(head(row)).collect()).collect();
    for line in costliest.iter().take(LINES) {
        let cells = columns.iter().map(|column| column.text(&line.counters, |_| None));
        rows.push(std::iter::once(format!("  {}", line.source)).chain(cells).collect());
    }
    let which = if costliest.len() > LINES {
        format!("{LINES} of {} CUDA lines", costliest.len())
    } else {
        "CUDA lines".to_owned()
    };
    titled(&format!("{which}, the most expensive first"), &rows)
}

fn titled(title: &str, rows: &[Vec<String>]) -> String {
    let lines = table(rows).iter().fold(String::new(), |out, line| out + line + "\n");
    format!("\n{TITLE}{title}{TITLE:#}\n{lines}")
}
