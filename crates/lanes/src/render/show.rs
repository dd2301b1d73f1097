//! The text that `lanes run` prints about a run: what was launched, its cost, its output, and its faults.

use std::fmt::Write as _;

use anstyle::AnsiColor;
use simt::{Fault, Launch, Reconvergence, Schedule, Severity, StaleRead};

use super::print::{Shown, what};
use super::{TITLE, cost, gpu, picture, replay, results};
use crate::execute::Ran;
use crate::outcome::{Finished, Search, Traced, contents};
use crate::resolve::{Plan, Step, signature, source};
use spec::launch::Words as _;
use spec::layout::{counted, grouped, paragraph};
use thirty_two_lanes::report::faults;

/// Everything about a run.
pub fn render(finished: &Finished) -> String {
    let Finished { plan, search, on_gpu, trace } = finished;
    let mut out = title(plan);
    match search {
        Some(search) => out += &emulated(plan, search, trace.as_ref()),
        None => out += &paragraph("with: ", &shape(plan.sequence.last(), "")),
    }
    if let Some(on_gpu) = on_gpu {
        out += &gpu::render(on_gpu, search.is_some());
    }
    out = Shown::all(finished).iter().fold(out, |out, print| out + &print.text());
    for named in &plan.outputs.pictures {
        let Some(bytes) = finished.bytes(&named.name) else { continue };
        let _ = match &named.asked.file {
            None => write!(out, "{}", picture::text(named, plan.sequence.spec(&named.name).ty, bytes)),
            Some(file) => writeln!(out, "\ndrew {} into {}", named.name, source::name(file)),
        };
    }
    for save in plan.outputs.saves.iter().filter(|save| finished.bytes(&save.name).is_some()) {
        let _ = writeln!(out, "\nsaved {} to {}", save.name, source::name(&save.asked.file));
    }
    out
}

fn title(plan: &Plan) -> String {
    let made = match &plan.loaded.program.compiler {
        Some(by) => format!("compiled by {by}"),
        None => format!("for sm_{}", plan.loaded.module.target_sm()),
    };
    let kernels = match plan.sequence.only() {
        Some(step) => signature::short(&step.kernel.name),
        None => format!("{} launches", plan.sequence.steps.len()),
    };
    let title = format!("{kernels} of {}, {made}", plan.loaded.program.name);
    format!("{TITLE}{}{TITLE:#}\n", paragraph("", &title).trim_end())
}

/// What the emulator found.
fn emulated(plan: &Plan, search: &Search, trace: Option<&Traced>) -> String {
    let mut out = head(plan, search);
    for (index, (step, ran)) in plan.sequence.steps.iter().zip(&search.outcome.ran).enumerate() {
        let is_last = index + 1 == search.outcome.ran.len();
        if plan.sequence.only().is_none() {
            let title = format!("launch {} of {}: {}", index + 1, plan.sequence.steps.len(), step.title());
            let _ = write!(out, "\n{TITLE}{title}{TITLE:#}\n");
        }
        out += &launched(ran);
        out += &trace.map_or(String::new(), traced);
        out += &found(plan, search, ran, is_last);
        out += &stale_reads(&ran.report.stale_reads);
    }
    let left = plan.sequence.steps.len() - search.outcome.ran.len();
    if left > 0 && !search.was_stopped {
        let rest = if left == 1 { "the last launch".to_owned() } else { format!("the last {left} launches") };
        out.push('\n');
        out += &paragraph("", &format!("{rest} did not run, because of the error"));
    }
    out += &expectations(plan, search);
    out + &results(plan, search)
}

/// What a launch cost and printed.
fn launched(ran: &Ran) -> String {
    let report = &ran.report;
    let (counters, lines) = (cost::counters(report), cost::lines(&report.lines));
    counters + &lines + &cost::costly(&report.lines) + &printed(&report.output)
}

/// Whether buffers are as expected.
fn expectations(plan: &Plan, search: &Search) -> String {
    let Search { outcome, .. } = search;
    if plan.sequence.contents.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{TITLE}expected{TITLE:#}\n");
    if outcome.was_stopped() || outcome.ran.len() < plan.sequence.steps.len() {
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
    let on = format!(
        "emulator, {}, {}{}{memory}",
        mechanism(plan),
        launch.schedule.told().report,
        apart(plan, launch)
    );
    let mut out = paragraph("on: ", &on);
    out += &match plan.sequence.only() {
        Some(step) => paragraph("with: ", &shape(step, &format!(", seed {}", launch.seed))),
        None => paragraph("with: ", &format!("seed {}", launch.seed)),
    };
    out += &paragraph("checked: ", &plan.options.checkers().names().join(", "));
    out + &seeds(plan, search) + &stopped(plan, search)
}

/// What Ctrl-C left.
fn stopped(plan: &Plan, search: &Search) -> String {
    if !search.was_stopped {
        return String::new();
    }
    let text = match plan.options.launch.seeds {
        Some(seeds) if !search.outcome.was_stopped() => {
            format!("by Ctrl-C, with {} left", counted(seeds.count() - search.ran, "seed"))
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
    let cluster = step.launch.cluster.map_or(String::new(), |cluster| format!(", cluster {cluster}"));
    let mut with = format!("grid {}, block {}{cluster}{seed}", step.launch.grid, step.launch.block);
    let shared = step.kernel.shared_bytes + u64::from(step.launch.shared_bytes);
    if shared > 0 {
        let _ = write!(with, ", shared memory {}", counted(shared, "byte"));
    }
    with
}

fn mechanism(plan: &Plan) -> &'static str {
    let chosen = match plan.launch().reconvergence {
        Reconvergence::Auto if plan.loaded.module.target_sm() < 70 => Reconvergence::Stack,
        Reconvergence::Auto => Reconvergence::Its,
        chosen => chosen,
    };
    chosen.told().report
}

/// What the schedule `hunt` adds if every lane has its own program counter.
fn apart(plan: &Plan, launch: &Launch) -> &'static str {
    let is_apart = launch.schedule == Schedule::Hunt
        && launch.reconvergence != Reconvergence::Stack
        && plan.loaded.module.target_sm() >= 70;
    if is_apart { ", lanes separated" } else { "" }
}

/// The result of many seeds.
fn seeds(plan: &Plan, search: &Search) -> String {
    let Some(range) = plan.options.launch.seeds else { return String::new() };
    let (ran, seed) = (search.ran, search.outcome.seed());
    let failed = search.outcome.has_failed;
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
        (false, clean) if search.with_findings == 0 && contents::differ(&search.results) => {
            format!("all {clean}; shown is seed {seed}, the first with a different result")
        }
        (false, clean) => format!("all {clean}; shown is seed {seed}"),
    };
    let by = match plan.options.launch.schedule {
        Some(schedule) => schedule.to_string(),
        None => "random, because --schedule was not given".to_owned(),
    };
    let mut out =
        paragraph("seeds: ", &format!("{} to {}: {summary} (schedule {by})", range.start, range.end - 1));
    if failed && !plan.options.output.prints.is_empty() && search.outcome.seed() + 1 < range.end {
        out += &paragraph(
            "       ",
            "with --check memory, the other seeds run too, and their results are compared",
        );
    }
    out
}

fn printed(output: &str) -> String {
    if output.is_empty() {
        return String::new();
    }
    let lines = output.lines().fold(String::new(), |out, line| out + "  " + line + "\n");
    format!("\n{TITLE}printed by the kernel{TITLE:#}\n{lines}")
}

fn traced(trace: &Traced) -> String {
    let Traced { file, steps, kept, was_stopped } = trace;
    let cut = if kept < steps { format!(", cut after the first {}", grouped(*kept)) } else { String::new() };
    let stopped = if *was_stopped { ", until the run was stopped" } else { "" };
    format!("\n{}", paragraph("", &format!("traced {} to {file}{cut}{stopped}", counted(*steps, "step"))))
}

fn found(plan: &Plan, search: &Search, ran: &Ran, is_last: bool) -> String {
    let all = &ran.report.faults;
    if all.is_empty() {
        let turns = if is_last { other_turns(plan, search) } else { String::new() };
        return format!("\n{TITLE}{}{TITLE:#}\n{turns}", no_fault(search, ran, is_last));
    }
    let replay = replay::command(plan.options, &ran.launch);
    let rest = all.iter().find(|fault| fault.ends_launch()).map_or(String::new(), |fault| {
        let kind = fault.kind.name();
        paragraph("", &format!("{kind} stopped the launch: what would have followed was not checked"))
    });
    format!("\n{TITLE}{}{TITLE:#}\n{}{rest}", verdict(plan, all), faults::alone(all, &replay))
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
    match worst.filter(|_| contents::differ(&search.results)) {
        Some(contents) => {
            let ways = grouped(contents.different().len() as u64);
            format!(
                "no fault, but different results: {} had {ways} different contents",
                what(&contents.print)
            )
        }
        None => "no fault".to_owned(),
    }
}

/// What else to try with a kernel that takes locks if only one schedule ran, because locks fail under others.
fn other_turns(plan: &Plan, search: &Search) -> String {
    let chosen = plan.options.launch.seeds.is_some() || plan.options.launch.schedule.is_some();
    let atomics = |&(name, _, _, count): &(&str, _, _, u64)| name.contains("_atomic") && count > 0;
    if chosen
        || !plan.loaded.program.has_locks()
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
