//! What a launch did, in JSON: the keys are those of `lanes run --json`, and a few more that a player needs.

use serde_json::{Map, Value, json};
use simt::{Actor, Counters, Dim3, Fault, LineCounters, Location, Report, Site, SourceLine, StaleRead};

use crate::view::hex;

/// Everything that a report has. `moments` says how many moments the launch has, because each counted instruction is one.
pub(crate) fn report(report: &Report) -> Value {
    json!({
        "moments": report.counters.ptx_instructions,
        "counters": counters(&report.counters),
        "lines": report.lines.iter().map(line).collect::<Vec<_>>(),
        "faults": report.faults.iter().map(fault).collect::<Vec<_>>(),
        "stopped_by": report.faults.iter().find(|fault| fault.ends_launch()).map(|fault| fault.kind.name()),
        "stale_reads": report.stale_reads.iter().map(stale_read).collect::<Vec<_>>(),
        "output": report.output,
    })
}

fn counters(counters: &Counters) -> Value {
    let all = counters.all().into_iter().map(|(name, _, _, value)| (name.to_owned(), Value::from(value)));
    Value::Object(all.collect::<Map<_, _>>())
}

fn line(line: &LineCounters) -> Value {
    json!({ "file": line.source.file, "line": line.source.line, "counters": counters(&line.counters) })
}

fn fault(fault: &Fault) -> Value {
    json!({
        "kind": fault.kind.name(),
        "severity": fault.severity.name(),
        "count": fault.count,
        "step": fault.step,
        "message": fault.message,
        "help": fault.help,
        "location": fault.location.as_ref().map(location),
        "actors": fault.actors.iter().map(actor).collect::<Vec<_>>(),
    })
}

fn location(location: &Location) -> Value {
    json!({
        "space": location.space.name(),
        "address": hex(location.address),
        "bytes": location.bytes,
        "of": location.allocation.as_ref().map(|allocation| &allocation.name),
        "offset": location.offset(),
    })
}

fn stale_read(read: &StaleRead) -> Value {
    json!({
        "count": read.count,
        "message": read.message,
        "location": location(&read.location),
        "reader": actor(&read.reader),
        "newer": actor(&read.newer),
        "is_late": read.is_late,
    })
}

pub(crate) fn actor(actor: &Actor) -> Value {
    json!({
        "block": dim(actor.block),
        "thread": dim(actor.thread),
        "warp": actor.warp,
        "lane": actor.lane,
        "ptx_line": actor.site.ptx_line,
        "ptx": actor.site.ptx,
        "source": source(&actor.site),
        "calls": actor.site.calls.iter().map(place).collect::<Vec<_>>(),
        "doing": actor.doing,
    })
}

/// Sizes or a place in three dimensions.
pub(crate) fn dim(at: Dim3) -> Value {
    json!([at.x, at.y, at.z])
}

/// The CUDA line of an instruction, or null.
pub(crate) fn source(site: &Site) -> Value {
    site.source.as_ref().map_or(Value::Null, place)
}

fn place(SourceLine { file, line }: &SourceLine) -> Value {
    json!({ "file": file, "line": line })
}
