//! What `lanes run` prints of a run: what was launched, what it cost, what it printed, and what was wrong.
//!
//! A table has what was counted, without the zeros; another one the dearest CUDA lines. What it leaves out: Nsight
//! Compute's names, and contents of buffers, which [`print`](super::print) shows.

use std::cmp::Reverse;
use std::fmt::Write as _;

use anstyle::Style;
use simt::{Counters, KernelInfo, Launch, LineCounters, Module, Reconvergence, Report, Schedule};

use crate::report::columns::{ACTIVE_LANES, Column, DIVERGENT_BRANCHES, INSTRUCTIONS, SECTORS};
use crate::report::faults;
use crate::report::layout::{counted, decimal, grouped, paragraph, table};

const TITLE: Style = Style::new().bold();

/// How many CUDA lines are shown.
const LINES: usize = 8;

/// What of a line is shown.
const COLUMNS: [Column; 4] = [INSTRUCTIONS, ACTIVE_LANES, DIVERGENT_BRANCHES, SECTORS];

/// What was launched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub file: &'a str,
    pub kernel: &'a KernelInfo,
    pub module: &'a Module,
    pub launch: &'a Launch,
}

/// Everything about a run.
pub(super) fn render(shown: &Shown, report: &Report) -> String {
    let mut out = head(shown);
    out += &counters(report);
    out += &lines(&report.lines);
    out += &printed(&report.output);
    out + &found(shown, report)
}

fn head(shown: &Shown) -> String {
    let Shown { file, kernel, module, launch } = shown;
    let title = format!("{} of {file}, for sm_{}", kernel.name, module.target_sm());
    let mut out = format!("{TITLE}{}{TITLE:#}\n", paragraph("", &title).trim_end());
    out += &paragraph("on: ", &format!("emulator, {}, {}", mechanism(shown), policy(launch.schedule)));
    let mut with = format!("grid {}, block {}, seed {}", launch.grid, launch.block, launch.seed);
    let shared = kernel.shared_bytes + u64::from(launch.shared_bytes);
    if shared > 0 {
        let _ = write!(with, ", shared memory {}", counted(shared, "byte"));
    }
    out + &paragraph("with: ", &with)
}

fn mechanism(shown: &Shown) -> &'static str {
    match shown.launch.reconvergence {
        Reconvergence::Stack => "reconvergence stack",
        Reconvergence::Auto if shown.module.target_sm() < 70 => "reconvergence stack",
        _ => "independent thread scheduling",
    }
}

fn policy(schedule: Schedule) -> &'static str {
    match schedule {
        Schedule::RoundRobin => "warps in turn",
        Schedule::Random => "warps at random",
        Schedule::Hunt => "warps at random, changing over after accesses",
    }
}

fn counters(report: &Report) -> String {
    let until = if report.faults.is_empty() { "" } else { " until it was stopped" };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (name, unit, _, value) in report.counters.all() {
        if value > 0 {
            rows.push(vec![words(name, unit), grouped(value)]);
        }
    }
    for (name, value) in averages(&report.counters) {
        if value > 0.0 {
            rows.push(vec![format!("  {name}"), decimal(value)]);
        }
    }
    titled(&format!("counted{until}"), &rows)
}

/// A counter's name in words, with its unit where the name does not end in it: `  PTX barriers (instructions)`.
fn words(name: &str, unit: &str) -> String {
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

/// The CUDA lines that most instructions were executed for, the dearest first.
fn lines(lines: &[LineCounters]) -> String {
    let mut dearest: Vec<&LineCounters> = lines.iter().collect();
    dearest.sort_by_key(|line| Reverse(line.counters.ptx_instructions));
    if dearest.is_empty() {
        return String::new();
    }
    let head = |row: usize| COLUMNS.iter().map(move |column| column.head[row].to_owned());
    let mut rows: Vec<Vec<String>> =
        (0..2).map(|row| std::iter::once(String::new()).chain(head(row)).collect()).collect();
    for line in dearest.iter().take(LINES) {
        let cells = COLUMNS.iter().map(|column| (column.cell)(&line.counters));
        rows.push(std::iter::once(format!("  {}", line.source)).chain(cells).collect());
    }
    let which = if dearest.len() > LINES {
        format!("{LINES} of {} CUDA lines", dearest.len())
    } else {
        "CUDA lines".to_owned()
    };
    titled(&format!("{which}, the dearest first"), &rows)
}

fn titled(title: &str, rows: &[Vec<String>]) -> String {
    let lines = table(rows).iter().fold(String::new(), |out, line| out + line + "\n");
    format!("\n{TITLE}{title}{TITLE:#}\n{lines}")
}

fn printed(output: &str) -> String {
    if output.is_empty() {
        return String::new();
    }
    let lines = output.lines().fold(String::new(), |out, line| out + "  " + line + "\n");
    format!("\n{TITLE}printed by the kernel{TITLE:#}\n{lines}")
}

fn found(shown: &Shown, report: &Report) -> String {
    if report.faults.is_empty() {
        return format!("\n{TITLE}no fault{TITLE:#}\n");
    }
    let title = counted(report.faults.len() as u64, "fault");
    format!("\n{TITLE}{title}{TITLE:#}\n{}", faults::list(&shown.kernel.name, &report.faults))
}
