//! Formats a report for a program: everything that was found, including what the text leaves out, in the types of
//! [`record`].
//!
//! What it leaves out: colour, and the wording of the text.

use record::{CudaLine, Named, OnGpu, VERSION};
use serde_json::{Value, json};
use simt::{Actor, Counters, Dim3, Fault, LineCounters, SourceLine, StaleRead};

use super::columns::Column;
use super::{Report, Row, Section};
use crate::device::withheld;

/// The whole report.
pub fn render(report: &Report) -> record::Report {
    record::Report {
        version: VERSION,
        chapter: report.chapter.clone(),
        title: report.title.clone(),
        passed: !report.is_failure(),
        machines: report.machines.clone(),
        missing: report.missing.clone(),
        settings: settings(&report.settings),
        unwatched: report.unwatched.clone(),
        sections: report.sections.iter().filter(|section| section.was_run()).map(section).collect(),
    }
}

fn settings(settings: &[(&'static str, u64)]) -> Named<u64> {
    settings.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
}

/// JSON has neither infinity nor NaN.
fn facts(facts: &[(&'static str, f64)]) -> Named<Option<f64>> {
    facts
        .iter()
        .map(|&(name, value)| (name.to_owned(), Some(value).filter(|value| value.is_finite())))
        .collect()
}

fn section(section: &Section) -> record::Section {
    record::Section {
        name: section.name.clone(),
        title: section.title.clone(),
        settings: settings(&section.settings),
        columns: section.columns.iter().map(|column| column.head.map(str::to_owned)).collect(),
        rows: section.rows.iter().map(|row| self::row(row, &section.columns)).collect(),
        pictures: section.pictures.clone(),
        notes: section.notes.clone(),
        gpu_notes: section.gpu_notes.clone(),
    }
}

fn row(row: &Row, columns: &[Column]) -> record::Row {
    record::Row {
        variant: row.variant.clone(),
        kernels: row.run.kernels.clone(),
        verdict: row.verdict.name().to_owned(),
        expected: row.expected.name().to_owned(),
        failure: row.is_failure(),
        check: row.check.clone(),
        cells: columns.iter().map(|column| row.cell(column)).collect(),
        counters: counters(&row.run.counters),
        lines: row.run.lines.iter().map(line).collect(),
        faults: row.run.faults.iter().map(fault).collect(),
        harmful: withheld(&row.run.faults).is_some(),
        output: row.run.output.clone(),
        remarks: row.remarks.clone(),
        facts: facts(&row.facts),
        gpu: on_gpu(row),
    }
}

/// What the GPU did, if there was one and it got the kernel or was refused it.
fn on_gpu(row: &Row) -> Option<OnGpu> {
    let run = &row.run;
    if run.on_gpu == 0 && run.withheld.is_none() {
        return None;
    }
    Some(OnGpu {
        launches: run.on_gpu,
        withheld: run.withheld.clone(),
        check: row.gpu_check.clone(),
        agreement: row.agreement.clone(),
        timing: run.timing,
        remarks: row.gpu_remarks.clone(),
        facts: facts(&row.gpu_facts),
    })
}

/// All counters by name.
pub fn counters(counters: &Counters) -> Named<u64> {
    counters.all().into_iter().map(|(name, _, _, value)| (name.to_owned(), value)).collect()
}

/// The counts of a CUDA line.
pub fn line(line: &LineCounters) -> record::Line {
    let SourceLine { file, line: number } = &line.source;
    let calls = line.calls.iter().map(source).collect();
    record::Line { file: file.clone(), line: *number, calls, counters: counters(&line.counters) }
}

/// A fault and its actors.
pub fn fault(fault: &Fault) -> record::Fault {
    record::Fault {
        kind: fault.kind.name().to_owned(),
        severity: fault.severity.name().to_owned(),
        count: fault.count,
        message: fault.message.clone(),
        help: fault.help.clone(),
        actors: fault.actors.iter().map(actor).collect(),
    }
}

/// An older store that the weak memory returned.
pub fn stale_read(read: &StaleRead) -> Value {
    json!({
        "count": read.count,
        "message": read.message,
        "reader": actor(&read.reader),
        "newer": actor(&read.newer),
        "is_late": read.is_late,
    })
}

/// A size or a position in three dimensions.
pub fn dim(at: Dim3) -> [u32; 3] {
    [at.x, at.y, at.z]
}

/// A CUDA line.
pub fn source(source: &SourceLine) -> CudaLine {
    CudaLine { file: source.file.clone(), line: source.line }
}

fn actor(actor: &Actor) -> record::Actor {
    record::Actor {
        block: dim(actor.block),
        thread: dim(actor.thread),
        warp: actor.warp,
        lane: actor.lane,
        ptx_line: actor.site.ptx_line,
        ptx: actor.site.ptx.clone(),
        source: actor.site.source.as_ref().map(source),
        calls: actor.site.calls.iter().map(source).collect(),
        doing: actor.doing.clone(),
    }
}
