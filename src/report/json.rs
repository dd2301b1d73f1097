//! A report for a program: one object with everything that was found, also what the text leaves out.
//!
//! Keys are stable: `chapter`, `machines`, `settings`, `sections`, and in those `rows` with `counters` under their
//! own names. What it leaves out: colour and prose, except for what to notice.

use serde::Serialize;
use serde_json::{Map, Value, json};
use simt::{Actor, Counters, Dim3, Fault, LineCounters, SourceLine, StaleRead};

use super::{Report, Row, Section};
use crate::check::Check;
use crate::device::withheld;
use crate::machine::{About, Timing};

/// The whole report.
pub fn render(report: &Report) -> Value {
    json!({
        "chapter": report.chapter,
        "title": report.title,
        "passed": !report.is_failure(),
        "machines": report.machines.iter().map(machine).collect::<Vec<_>>(),
        "missing": report.missing,
        "settings": object(&report.settings),
        "unwatched": report.unwatched,
        "sections": report.sections.iter().filter(|s| s.was_run()).map(section).collect::<Vec<_>>(),
    })
}

fn object<T: Serialize>(pairs: &[(&'static str, T)]) -> Value {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<Map<_, _>>().into()
}

fn machine(about: &About) -> Value {
    json!({ "name": about.name, "details": object(&about.details) })
}

fn section(section: &Section) -> Value {
    json!({
        "name": section.name,
        "title": section.title,
        "settings": object(&section.settings),
        "rows": section.rows.iter().map(row).collect::<Vec<_>>(),
        "pictures": section.pictures.iter().map(|(name, text)| (name.clone(), json!(text))).collect::<Map<_, _>>(),
        "notes": section.notes,
    })
}

fn row(row: &Row) -> Value {
    json!({
        "variant": row.variant,
        "kernels": row.run.kernels,
        "verdict": row.verdict.name(),
        "expected": row.expected.name(),
        "failure": row.is_failure(),
        "check": row.check.as_ref().map(check),
        "agreement": row.agreement.as_ref().map(check),
        "counters": counters(&row.run.counters),
        "lines": row.run.lines.iter().map(line).collect::<Vec<_>>(),
        "faults": row.run.faults.iter().map(fault).collect::<Vec<_>>(),
        "timing": row.run.timing.as_ref().map(timing),
        "on_gpu": row.run.on_gpu,
        "harmful": withheld(&row.run.faults).is_some(),
        "withheld": row.run.withheld,
        "output": row.run.output,
        "remarks": row.remarks,
        "facts": object(&row.facts),
    })
}

pub(crate) fn counters(counters: &Counters) -> Value {
    counters
        .all()
        .into_iter()
        .map(|(name, _, _, value)| (name.to_owned(), json!(value)))
        .collect::<Map<_, _>>()
        .into()
}

pub(crate) fn line(line: &LineCounters) -> Value {
    json!({ "file": line.source.file, "line": line.source.line, "counters": counters(&line.counters) })
}

fn check(check: &Check) -> Value {
    json!({
        "elements": check.elements,
        "wrong": check.wrong,
        "worst": check.worst,
        "bound": check.tolerance.text(),
        "first": check.first.as_ref().map(|first| {
            json!({ "index": first.index, "expected": first.expected, "got": first.got })
        }),
    })
}

pub(crate) fn timing(timing: &Timing) -> Value {
    json!({
        "median_us": timing.median_us,
        "min_us": timing.min_us,
        "max_us": timing.max_us,
        "runs": timing.runs,
        "warm_up_us": timing.warm_up_us,
    })
}

pub(crate) fn fault(fault: &Fault) -> Value {
    json!({
        "kind": fault.kind.name(),
        "severity": fault.severity.name(),
        "count": fault.count,
        "message": fault.message,
        "help": fault.help,
        "actors": fault.actors.iter().map(actor).collect::<Vec<_>>(),
    })
}

pub(crate) fn stale_read(read: &StaleRead) -> Value {
    json!({
        "count": read.count,
        "message": read.message,
        "reader": actor(&read.reader),
        "newer": actor(&read.newer),
        "is_late": read.is_late,
    })
}

/// Sizes or a place in three dimensions.
pub(crate) fn dim(at: Dim3) -> Value {
    json!([at.x, at.y, at.z])
}

/// A CUDA line, or null where there is none.
pub(crate) fn source(source: Option<&SourceLine>) -> Value {
    source.map_or(Value::Null, |source| json!({ "file": source.file, "line": source.line }))
}

fn actor(actor: &Actor) -> Value {
    json!({
        "block": dim(actor.block),
        "thread": dim(actor.thread),
        "warp": actor.warp,
        "lane": actor.lane,
        "ptx_line": actor.site.ptx_line,
        "ptx": actor.site.ptx,
        "source": source(actor.site.source.as_ref()),
        "doing": actor.doing,
    })
}
