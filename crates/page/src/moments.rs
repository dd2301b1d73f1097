//! Moments of a launch: where every lane of the block is, what the instruction accessed, and what a page asks for besides.
//!
//! A moment is the state right after an instruction. Its number counts the instructions that the launch issued before.

use std::ops::ControlFlow;

use serde_json::{Value, json};
use simt::{Access, AccessKind, LaneGroup, Module, Moment, Register, Waiting};

use crate::findings::{dim, source};
use crate::refusal::Refusal;
use crate::request::{self, MAX_ANSWER_BYTES, MAX_MOMENTS, Part};
use crate::run::Ready;
use crate::view::{self, Seen, hex};

/// What to show of each moment.
struct Asked {
    /// The warps of a block.
    warps: u32,
    registers: Option<u32>,
    shared: Vec<Part>,
    memory: Vec<Seen>,
}

/// Runs the launch again up to the moments that were asked for, and shows them. There are fewer if the launch ends before, if
/// the answer would be too long, or if they are beyond the last moment that can be shown.
pub(crate) fn show(ready: &mut Ready, moments: &request::Moments) -> Result<String, Refusal> {
    let see = &moments.see;
    let memory = view::windows(&see.memory, ready.buffers())?;
    let asked = Asked { warps: ready.warps(), registers: see.registers, shared: see.shared.clone(), memory };
    let (first, step) = (moments.from.unwrap_or(0), moments.step.unwrap_or(0));
    let (mut number, mut bytes) = (0, 0);
    let mut shown: Vec<String> = Vec::new();
    let mut failed = None;
    if moments.count > 0 {
        ready.watch(|moment, module| {
            let here = number;
            number += 1;
            if here < first || moment.step < step {
                return if number < MAX_MOMENTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
            }
            match describe(moment, module, &asked) {
                Ok(mut state) => {
                    state["number"] = json!(here);
                    let state = state.to_string();
                    bytes += state.len();
                    if shown.is_empty() || bytes <= MAX_ANSWER_BYTES {
                        shown.push(state);
                    }
                }
                Err(refusal) => failed = Some(refusal),
            }
            if failed.is_some() || shown.len() == moments.count || bytes > MAX_ANSWER_BYTES {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
    }
    match failed {
        Some(refusal) => Err(refusal),
        None => Ok(format!("{{\"moments\":[{}]}}", shown.join(","))),
    }
}

fn describe(moment: &Moment<'_>, module: &Module, asked: &Asked) -> Result<Value, Refusal> {
    let site = moment.site();
    let mut state = json!({
        "number": null,
        "step": moment.step,
        "block": dim(moment.block),
        "warp": moment.warp,
        "mask": hex(moment.mask),
        "active": hex(moment.active),
        "ptx_line": site.ptx_line,
        "ptx": site.ptx,
        "source": source(&site),
        "accesses": moment.accesses().iter().map(access).collect::<Vec<_>>(),
        "warps": warps(moment, module, asked.warps),
    });
    if let Some(warp) = asked.registers {
        state["registers"] = moment.registers(warp).map(|known| register(&known)).collect();
    }
    if !asked.shared.is_empty() {
        state["shared"] = asked.shared.iter().map(|&part| view::shared(moment.shared(), part)).collect();
    }
    if !asked.memory.is_empty() {
        let bytes = |seen: &Seen| moment.read(seen.buffer).map(|bytes| seen.json(bytes));
        let memory: Result<Vec<Value>, _> = asked.memory.iter().map(bytes).collect();
        state["memory"] = memory.map_err(Refusal::launch)?.into();
    }
    Ok(state)
}

fn access(access: &Access) -> Value {
    let kind = match access.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Update => "update",
        _ => "mbarrier",
    };
    let address = |lane: usize| (access.lanes >> lane & 1 != 0).then(|| hex(access.addresses[lane]));
    json!({
        "space": access.space.name(),
        "kind": kind,
        "bytes": access.bytes,
        "lanes": hex(access.lanes),
        "addresses": (0..access.addresses.len()).map(address).collect::<Vec<_>>(),
        "sectors": access.sectors,
        "bank_conflicts": access.bank_conflicts,
    })
}

/// All warps of the block, in order. A warp without groups has ended.
fn warps(moment: &Moment<'_>, module: &Module, count: u32) -> Vec<Value> {
    let mut groups: Vec<Vec<Value>> = vec![Vec::new(); count as usize];
    for lanes in moment.groups() {
        groups[lanes.warp as usize].push(group(&lanes, module));
    }
    let json = |(warp, groups): (u32, Vec<Value>)| json!({ "warp": warp, "ended": hex(moment.ended(warp)), "groups": groups });
    (0..count).zip(groups).map(json).collect()
}

fn group(group: &LaneGroup, module: &Module) -> Value {
    let (waiting, barrier, missing) = match group.waiting {
        Waiting::Nothing => ("nothing", None, None),
        Waiting::Barrier(number) => ("barrier", Some(number), None),
        Waiting::Cluster => ("cluster", None, None),
        Waiting::Warpgroup => ("warpgroup", None, None),
        Waiting::Reconvergence { missing } => ("reconvergence", None, Some(hex(missing))),
        _ => ("warp", None, None),
    };
    let site = group.instruction.map(|instruction| module.site(instruction));
    json!({
        "lanes": hex(group.lanes),
        "ptx_line": site.as_ref().map(|site| site.ptx_line),
        "source": site.as_ref().map(source),
        "waiting": waiting,
        "barrier": barrier,
        "missing": missing,
    })
}

fn register(register: &Register<'_>) -> Value {
    let values: Vec<String> = (0..32).map(|lane| hex(register.value(lane))).collect();
    json!({ "name": register.name, "type": register.ty, "values": values })
}
