//! Formats a run for a program: one object with everything that was found.
//!
//! Keys are stable; if a run has no value for a key, it is null. What it leaves out: prose, which the text has.

use serde_json::{Value, json};
use simt::{KernelInfo, Launch, Report};

use super::print::Shown;
use super::replay;
use crate::execute::{Difference, OnGpu};
use crate::outcome::{Content, Contents, Finished, Search};
use crate::resolve::{Loaded, Plan, Signatures, signature};
use spec::launch::Words as _;
pub use thirty_two_lanes::report::json::source;
use thirty_two_lanes::report::json::{counters, dim, fault, line, stale_read};

/// Everything about a run.
pub fn render(finished: &Finished) -> Value {
    let Finished { plan, search, on_gpu, trace } = finished;
    let last = search.as_ref().map(|search| search.outcome.last());
    let report = last.map(|last| &last.report);
    let launched = last.map_or(plan.launch(), |last| &last.launch);
    let mut out = json!({ "machine": if search.is_some() { "emulator" } else { "GPU" } });
    extend(&mut out, launch(plan, launched));
    let rest = json!({
        "warnings": plan.loaded.program.warnings,
        "checks": search.as_ref().map(|_| plan.options.checkers().names()),
        "strict": plan.options.checks.strict,
        "failed": finished.is_failure(),
        "stopped": search.as_ref().is_some_and(|search| search.outcome.was_stopped()),
        "launches": search.as_ref().and_then(|search| launches(plan, search)),
        "mismatches": search.as_ref().map_or(Vec::new(), |search| search.outcome.mismatches.clone()),
        "seeds": search.as_ref().and_then(|search| seeds(plan, search)),
        "counters": report.map(|report| counters(&report.counters)),
        "lines": report.map(|report| report.lines.iter().map(line).collect::<Vec<_>>()),
        "faults": report.map_or(Vec::new(), |report| faults(plan, launched, report)),
        "stopped_by": report.and_then(stopped_by),
        "stale_reads": report.map_or(Vec::new(), |report| report.stale_reads.iter().map(stale_read).collect()),
        "prints": Shown::all(finished).iter().map(Shown::json).collect::<Vec<_>>(),
        "output": report.map(|report| &report.output),
        "trace": trace.as_ref().map(|trace| {
            json!({
                "file": trace.file,
                "steps": trace.steps,
                "cut": trace.kept < trace.steps,
                "stopped": trace.was_stopped,
            })
        }),
        "gpu": on_gpu.as_ref().map(gpu),
    });
    extend(&mut out, rest);
    out
}

/// Each of several launches; the other keys are about the last that ran.
fn launches(plan: &Plan, search: &Search) -> Option<Value> {
    if plan.sequence.only().is_some() {
        return None;
    }
    let all = plan.sequence.steps.iter().zip(&search.outcome.ran).map(|(step, ran)| {
        json!({
            "kernel": step.kernel.name,
            "grid": dim(ran.launch.grid),
            "block": dim(ran.launch.block),
            "shared_bytes": step.kernel.shared_bytes + u64::from(ran.launch.shared_bytes),
            "counters": counters(&ran.report.counters),
            "lines": ran.report.lines.iter().map(line).collect::<Vec<_>>(),
            "faults": faults(plan, &ran.launch, &ran.report),
            "stopped_by": stopped_by(&ran.report),
            "output": ran.report.output,
        })
    });
    Some(Value::Array(all.collect()))
}

/// The kind of the fault that ended a launch, after which nothing was checked.
fn stopped_by(report: &Report) -> Option<&'static str> {
    report.faults.iter().find(|fault| fault.ends_launch()).map(|fault| fault.kind.name())
}

/// What was launched, and everything that determines the run.
pub fn launch(plan: &Plan, launch: &Launch) -> Value {
    let step = plan.sequence.last();
    json!({
        "file": plan.loaded.program.name,
        "compiler": plan.loaded.program.compiler,
        "kernel": step.kernel.name,
        "target_sm": plan.loaded.module.target_sm(),
        "grid": dim(launch.grid),
        "block": dim(launch.block),
        "shared_bytes": step.kernel.shared_bytes + u64::from(launch.shared_bytes),
        "arguments": plan.options.launch.arguments.iter().map(|argument| &argument.is).collect::<Vec<_>>(),
        "buffers": plan.options.launch.buffers.0.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "seed": launch.seed,
        "schedule": launch.schedule.told().name,
        "reconvergence": launch.reconvergence.told().name,
        "resident_blocks": launch.resident_blocks,
        "weak_memory": launch.weak_memory,
        "max_steps": launch.max_steps,
    })
}

/// Adds the keys of one object to another.
pub fn extend(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

fn seeds(plan: &Plan, search: &Search) -> Option<Value> {
    let seeds = plan.options.launch.seeds?;
    Some(json!({
        "start": seeds.start,
        "end": seeds.end,
        "ran": search.ran,
        "with_findings": search.with_findings,
        "results": search.results.iter().map(result).collect::<Vec<_>>(),
    }))
}

fn result(result: &Contents) -> Value {
    let content = |content: &Content| json!({ "seed": content.seed, "times": content.times });
    json!({
        "print": result.print.asked.to_string(),
        "contents": result.different().iter().map(content).collect::<Vec<_>>(),
    })
}

fn faults(plan: &Plan, launch: &Launch, report: &Report) -> Vec<Value> {
    let replay = replay::command(plan.options, launch);
    let object = |found| {
        let mut out = json!(fault(found));
        extend(&mut out, json!({ "seed": launch.seed, "replay": replay }));
        out
    };
    report.faults.iter().map(object).collect()
}

fn gpu(on_gpu: &OnGpu) -> Value {
    json!({
        "name": on_gpu.name,
        "withheld": on_gpu.withheld,
        "timing": on_gpu.timing,
        "compared": on_gpu.compared,
        "differences": on_gpu.differences.iter().map(difference).collect::<Vec<_>>(),
    })
}

fn difference(difference: &Difference) -> Value {
    let (index, emulator, gpu) = &difference.first;
    json!({
        "argument": difference.argument,
        "buffer": difference.buffer,
        "elements": difference.elements,
        "different": difference.different,
        "first": { "index": index, "emulator": emulator, "gpu": gpu },
    })
}

/// The contents of a file.
pub fn list(Loaded { program, module, .. }: &Loaded, signatures: &Signatures) -> Value {
    json!({
        "file": program.name,
        "compiler": program.compiler,
        "warnings": program.warnings,
        "target_sm": module.target_sm(),
        "kernels": module.kernels().iter().map(|info| kernel(info, signatures)).collect::<Vec<_>>(),
        "unsupported": module.unsupported().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn kernel(info: &KernelInfo, signatures: &Signatures) -> Value {
    let declared = signatures.parameters(info);
    let parameter = |(index, param): (usize, &simt::Param)| {
        let declared = declared.as_ref().map(|declared| &declared[index]);
        json!({
            "type": param.ty,
            "bytes": param.bytes,
            "name": declared.and_then(|declared| declared.name.as_ref()),
            "declared": declared.map(|declared| &declared.ty),
        })
    };
    json!({
        "name": info.name,
        "declared": signature::short(&info.name),
        "shared_bytes": info.shared_bytes,
        "parameters": info.params.iter().enumerate().map(parameter).collect::<Vec<_>>(),
    })
}
