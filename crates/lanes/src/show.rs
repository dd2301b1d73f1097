//! The text that `lanes run` prints about a run: what was launched, its cost, its output, and its faults.
//!
//! One table has the counters that are not zero, another one the most expensive CUDA lines. What it leaves out: Nsight
//! Compute's names, and the contents of buffers, which [`print`](super::print) shows.

use std::cmp::Reverse;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use simt::{Counters, Fault, Launch, LineCounters, Reconvergence, Report, Schedule, Severity, StaleRead};

use super::finished::Finished;
use super::launches::Step;
use super::on_gpu::{Difference, OnGpu};
use super::once::Ran;
use super::plan::Plan;
use super::print::Shown;
use super::seeds::Search;
use super::trace::Written;
use super::{replay, results, signature, source, words};
use spec::layout::{counted, decimal, grouped, paragraph, table};
use thirty_two_lanes::device::withheld;
use thirty_two_lanes::machine::Timing;
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, BANK_CONFLICTS, Column, DIVERGENT_BRANCHES, INSTRUCTIONS, SECTORS,
};
use thirty_two_lanes::report::faults;

const TITLE: Style = Style::new().bold();

/// How many CUDA lines are shown.
const LINES: usize = 8;

/// The columns about a CUDA line; the last one only where there are conflicts.
const COLUMNS: [Column; 5] = [INSTRUCTIONS, ACTIVE_LANES, DIVERGENT_BRANCHES, SECTORS, BANK_CONFLICTS];

/// Everything about a run.
pub(super) fn render(finished: &Finished) -> String {
    let Finished { plan, search, on_gpu } = finished;
    let mut out = title(plan);
    match search {
        Some(search) => out += &emulated(plan, search),
        None => out += &paragraph("with: ", &shape(plan.last(), "")),
    }
    if let Some(gpu) = on_gpu {
        out += &on_the_gpu(gpu, search.is_some());
    }
    out = finished.prints().iter().fold(out, |out, print: &Shown| out + &print.text());
    for picture in &plan.pictures {
        let Some(bytes) = finished.bytes(&picture.name) else { continue };
        let _ = match &picture.file {
            None => write!(out, "{}", picture.text(plan.spec(&picture.name).ty, bytes)),
            Some(file) => writeln!(out, "\ndrew {} into {}", picture.name, source::name(file)),
        };
    }
    for save in plan.saves.iter().filter(|save| finished.bytes(&save.name).is_some()) {
        let _ = writeln!(out, "\nsaved {} to {}", save.name, source::name(&save.file));
    }
    out
}

fn title(plan: &Plan) -> String {
    let made = match &plan.program.compiler {
        Some(by) => format!("compiled by {by}"),
        None => format!("for sm_{}", plan.target_sm),
    };
    let kernels = match plan.only() {
        Some(step) => signature::short(&step.kernel.name),
        None => format!("{} launches", plan.steps().len()),
    };
    let title = format!("{kernels} of {}, {made}", plan.program.name);
    format!("{TITLE}{}{TITLE:#}\n", paragraph("", &title).trim_end())
}

/// What the emulator found.
fn emulated(plan: &Plan, search: &Search) -> String {
    let mut out = head(plan, search);
    for (index, (step, ran)) in plan.steps().iter().zip(&search.outcome.ran).enumerate() {
        let is_last = index + 1 == search.outcome.ran.len();
        if plan.only().is_none() {
            let title = format!("launch {} of {}: {}", index + 1, plan.steps().len(), step.title());
            let _ = write!(out, "\n{TITLE}{title}{TITLE:#}\n");
        }
        out += &launched(plan, search, ran, is_last);
    }
    let left = plan.steps().len() - search.outcome.ran.len();
    if left > 0 && !search.was_stopped {
        let rest = if left == 1 { "the last launch".to_owned() } else { format!("the last {left} launches") };
        out.push('\n');
        out += &paragraph("", &format!("{rest} did not run, because of the error"));
    }
    out += &expectations(plan, search);
    out + &results(plan, search)
}

/// What the emulator found in a launch.
fn launched(plan: &Plan, search: &Search, ran: &Ran, is_last: bool) -> String {
    let report = &ran.report;
    let mut out = counters(report);
    out += &lines(&report.lines);
    out += &costly(&report.lines);
    out += &printed(&report.output);
    if let Some(trace) = &search.outcome.trace {
        out += &traced(trace);
    }
    out += &found(plan, search, ran, is_last);
    out + &stale_reads(&report.stale_reads)
}

/// Whether buffers are as expected.
fn expectations(plan: &Plan, search: &Search) -> String {
    let Search { outcome, .. } = search;
    if plan.sequence.contents.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{TITLE}expected{TITLE:#}\n");
    if outcome.was_stopped() || outcome.ran.len() < plan.steps().len() {
        return out + "  not compared, because the run did not come to its end\n";
    }
    if outcome.mismatches.is_empty() {
        let names: Vec<&str> = plan.sequence.contents.iter().map(|contents| contents.name.as_str()).collect();
        return out + &paragraph("  ", &format!("{}: as expected", names.join(", ")));
    }
    let bad = AnsiColor::Red.on_default().bold();
    for mismatch in &outcome.mismatches {
        let text = paragraph("error: ", mismatch);
        let _ = write!(out, "{bad}error{bad:#}{}", &text["error".len()..]);
    }
    out
}

fn head(plan: &Plan, search: &Search) -> String {
    let launch = &search.outcome.last().launch;
    let memory = if launch.weak_memory { ", weak memory" } else { "" };
    let on =
        format!("emulator, {}, {}{}{memory}", mechanism(plan), policy(launch.schedule), apart(plan, launch));
    let mut out = paragraph("on: ", &on);
    out += &match plan.only() {
        Some(step) => paragraph("with: ", &shape(step, &format!(", seed {}", launch.seed))),
        None => paragraph("with: ", &format!("seed {}", launch.seed)),
    };
    out += &paragraph("checked: ", &plan.options.watch().names().join(", "));
    out + &seeds(plan, search) + &stopped(plan, search)
}

/// What Ctrl-C left.
fn stopped(plan: &Plan, search: &Search) -> String {
    if !search.was_stopped {
        return String::new();
    }
    let text = match plan.options.seeds {
        Some(seeds) if !search.outcome.was_stopped() => {
            format!("by Ctrl-C, with {} left", counted(seeds.end - seeds.start - search.ran, "seed"))
        }
        _ => format!(
            "by Ctrl-C after {} and {}; this is what is known until then",
            counted(plan.pulse.steps(), "step"),
            counted(plan.pulse.blocks(), "block")
        ),
    };
    paragraph("stopped: ", &text)
}

fn shape(step: &Step, seed: &str) -> String {
    let mut with = format!("grid {}, block {}{seed}", step.launch.grid, step.launch.block);
    let shared = step.kernel.shared_bytes + u64::from(step.launch.shared_bytes);
    if shared > 0 {
        let _ = write!(with, ", shared memory {}", counted(shared, "byte"));
    }
    with
}

fn mechanism(plan: &Plan) -> &'static str {
    match plan.launch().reconvergence {
        Reconvergence::Stack => "reconvergence stack",
        Reconvergence::Auto if plan.target_sm < 70 => "reconvergence stack",
        _ => "independent thread scheduling",
    }
}

fn policy(schedule: Schedule) -> &'static str {
    match schedule {
        Schedule::RoundRobin => "warps in turn",
        Schedule::Random => "warps at random",
        Schedule::Hunt => "warps at random, switching after accesses",
    }
}

/// What the schedule `hunt` adds if every lane has its own program counter.
fn apart(plan: &Plan, launch: &Launch) -> &'static str {
    let is_apart = launch.schedule == Schedule::Hunt
        && launch.reconvergence != Reconvergence::Stack
        && plan.target_sm >= 70;
    if is_apart { ", lanes separated" } else { "" }
}

/// The result of many seeds.
fn seeds(plan: &Plan, search: &Search) -> String {
    let Some(range) = plan.options.seeds else { return String::new() };
    let (ran, seed) = (search.ran, search.outcome.seed());
    let failed = plan.is_failure(&search.outcome);
    let clean = match (ran - u64::from(failed), search.with_findings - u64::from(failed)) {
        (0, _) => String::new(),
        (ran, 0) => format!("{} ran without findings", grouped(ran)),
        (ran, found) => {
            format!(
                "{} ran without an error, {} of them with warnings or notes",
                grouped(ran),
                grouped(found)
            )
        }
    };
    let summary = match (failed, clean.as_str()) {
        (true, "") => format!("seed {seed}, the first, finds an error"),
        (true, clean) => format!("{clean}, then seed {seed} finds an error"),
        (false, clean) if search.with_findings == 0 && results::differ(search) => {
            format!("all {clean}; shown is seed {seed}, the first with a different result")
        }
        (false, clean) => format!("all {clean}; shown is seed {seed}"),
    };
    let by = match plan.options.schedule {
        Some(schedule) => words::schedule_name(schedule).to_owned(),
        None => "random, because --schedule was not given".to_owned(),
    };
    let mut out =
        paragraph("seeds: ", &format!("{} to {}: {summary} (schedule {by})", range.start, range.end - 1));
    if failed && !plan.options.prints.is_empty() && search.outcome.seed() + 1 < range.end {
        out += &paragraph(
            "       ",
            "with --check memory, the other seeds run too, and their results are compared",
        );
    }
    out
}

fn counters(report: &Report) -> String {
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
fn costly(lines: &[LineCounters]) -> String {
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
fn lines(lines: &[LineCounters]) -> String {
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

fn printed(output: &str) -> String {
    if output.is_empty() {
        return String::new();
    }
    let lines = output.lines().fold(String::new(), |out, line| out + "  " + line + "\n");
    format!("\n{TITLE}printed by the kernel{TITLE:#}\n{lines}")
}

fn traced(trace: &Written) -> String {
    let Written { file, steps, kept } = trace;
    let cut = if kept < steps { format!(", cut after the first {}", grouped(*kept)) } else { String::new() };
    format!("\n{}", paragraph("", &format!("traced {} to {file}{cut}", counted(*steps, "step"))))
}

fn found(plan: &Plan, search: &Search, ran: &Ran, is_last: bool) -> String {
    let all = &ran.report.faults;
    if all.is_empty() {
        let turns = if is_last { other_turns(plan, search) } else { String::new() };
        return format!("\n{TITLE}{}{TITLE:#}\n{turns}", no_fault(search, ran, is_last));
    }
    let replay = replay::command(plan.options, &ran.launch);
    format!("\n{TITLE}{}{TITLE:#}\n{}", verdict(plan, all), faults::alone(all, &replay))
}

/// `no fault`, unless the results show that something is wrong nevertheless.
fn no_fault(search: &Search, ran: &Ran, is_last: bool) -> String {
    if ran.report.was_stopped {
        return "no fault so far".to_owned();
    }
    if !is_last {
        return "no fault".to_owned();
    }
    let worst = search.results.iter().max_by_key(|contents| contents.different().len());
    match worst.filter(|_| results::differ(search)) {
        Some(contents) => {
            let ways = grouped(contents.different().len() as u64);
            format!(
                "no fault, but different results: {} had {ways} different contents",
                contents.print.what()
            )
        }
        None => "no fault".to_owned(),
    }
}

/// What else to try with a kernel that takes locks if only one schedule ran, because locks fail under others.
fn other_turns(plan: &Plan, search: &Search) -> String {
    let chosen = plan.options.seeds.is_some() || plan.options.schedule.is_some();
    let atomics = |&(name, _, _, count): &(&str, _, _, u64)| name.contains("_atomic") && count > 0;
    if chosen
        || !plan.program.has_locks()
        || !search.outcome.ran.iter().any(|ran| ran.report.counters.all().iter().any(atomics))
    {
        return String::new();
    }
    let text = "only one order of turns was tried. This kernel swaps words in memory, as locks do, so try other orders with \
                `--seeds 0..100` and with `--schedule hunt`";
    paragraph("  ", text)
}

/// How many stale reads of the weak memory are listed.
const STALE: usize = 3;

/// What the weak memory did, which is not a fault by itself.
fn stale_reads(reads: &[StaleRead]) -> String {
    if reads.is_empty() {
        return String::new();
    }
    let times = reads.iter().map(|read| read.count).sum();
    let title = format!("weak memory: {}, which PTX's memory model allows", counted(times, "stale read"));
    let mut out = format!("\n{TITLE}{title}{TITLE:#}\n");
    for read in reads.iter().take(STALE) {
        out += &paragraph("  ", &format!("{}: {}", counted(read.count, "time"), read.message));
        out += &paragraph("    ", &read.reader.to_string());
        out += &paragraph("    ", &read.newer.to_string());
    }
    if let Some(more @ 1..) = reads.len().checked_sub(STALE) {
        let more = counted(more as u64, "more place");
        out += &paragraph("  ", &format!("and at {more}, which `--json` lists"));
    }
    out
}

/// Whether all seeds had the same contents in the buffers to print.
fn results(plan: &Plan, search: &Search) -> String {
    let text = results::render(plan, search);
    if text.is_empty() {
        return text;
    }
    format!("\n{TITLE}results of {}{TITLE:#}\n{text}", counted(search.ran, "seed"))
}

/// `1 error, 2 notes`. If there is no error, it says what the warnings are about, because the exit status does not.
fn verdict(plan: &Plan, faults: &[Fault]) -> String {
    let warnings = faults.iter().filter(|fault| fault.severity == Severity::Warning);
    let mut kinds: Vec<&str> = warnings.map(|fault| fault.kind.name()).collect();
    kinds.dedup();
    if kinds.is_empty() || faults.iter().any(|fault| plan.is_failing(fault)) {
        return how_many(faults);
    }
    format!("no error, but {}: {}", how_many(faults), kinds.join(", "))
}

/// `1 error, 2 notes`.
fn how_many(faults: &[Fault]) -> String {
    let count = |severity: Severity| faults.iter().filter(|fault| fault.severity == severity).count() as u64;
    let all = [Severity::Error, Severity::Warning, Severity::Note];
    let some = all.into_iter().filter(|&severity| count(severity) > 0);
    some.map(|severity| counted(count(severity), severity.name())).collect::<Vec<_>>().join(", ")
}

/// What the GPU did, and whether it agrees with the emulator.
fn on_the_gpu(gpu: &OnGpu, was_emulated: bool) -> String {
    let mut out = format!("\n{TITLE}on the GPU, {}{TITLE:#}\n", gpu.name);
    if let Some(withheld) = &gpu.withheld {
        return out + &paragraph("  ", withheld);
    }
    out += &paragraph("  ", &gpu.timing.as_ref().map_or("ran once, without timing".to_owned(), time));
    match (was_emulated, gpu.compared, gpu.differences.len()) {
        (false, ..) => out += "  not run on the emulator, so nothing was checked\n",
        (true, 0, _) => out += "  there is no buffer to compare\n",
        (true, buffers, 0) => {
            let buffers = counted(buffers as u64, "buffer");
            out += &paragraph("  ", &format!("agrees with the emulator in {buffers}, bit for bit"));
        }
        (true, ..) => gpu.differences.iter().for_each(|difference| out += &differs(difference)),
    }
    out
}

fn time(Timing { median_us, min_us, max_us, runs, .. }: &Timing) -> String {
    format!("took {median_us:.1} us, the median of {runs} runs ({min_us:.1} to {max_us:.1})")
}

fn differs(Difference { argument, elements, different, first }: &Difference) -> String {
    let (index, sim, gpu) = first;
    let (different, elements) = (grouped(*different), counted(*elements, "element"));
    let text = format!(
        "arg{argument} differs from the emulator's in {different} of {elements};\nelement {index} is {gpu} on the GPU and \
         {sim} on the emulator"
    );
    paragraph("  ", &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(gpu: &OnGpu, was_emulated: bool) -> String {
        let text = on_the_gpu(gpu, was_emulated);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn gpu() -> OnGpu {
        let timing = Timing { median_us: 12.34, min_us: 12.0, max_us: 15.0, runs: 11, warm_up_us: None };
        OnGpu {
            name: "NVIDIA H200".to_owned(),
            withheld: None,
            timing: Some(timing),
            contents: Vec::new(),
            differences: Vec::new(),
            compared: 2,
        }
    }

    #[test]
    fn a_gpu_agrees_or_differs_or_was_not_asked() {
        let text = text_of(&gpu(), true);
        assert!(text.contains("took 12.3 us, the median of 11 runs (12.0 to 15.0)"), "{text}");
        assert!(text.ends_with("agrees with the emulator in 2 buffers, bit for bit"), "{text}");
        let first = (5, "1.5".to_owned(), "1.25".to_owned());
        let difference = Difference { argument: 2, elements: 64, different: 3, first };
        let text = text_of(&OnGpu { differences: vec![difference], ..gpu() }, true);
        let expected = "arg2 differs from the emulator's in 3 of 64 elements; element 5 is 1.25 on the GPU and 1.5 on the emulator";
        assert!(text.ends_with(expected), "{text}");
        assert!(text_of(&OnGpu { compared: 0, ..gpu() }, false).ends_with("nothing was checked"));
        let withheld = Some("not launched on the GPU: the kernel needs sm_90".to_owned());
        let text = text_of(&OnGpu { withheld, timing: None, ..gpu() }, true);
        assert!(text.ends_with("not launched on the GPU: the kernel needs sm_90"), "{text}");
    }
}
