//! Shows the accesses of a run to the checker of initialisation, and tells what it finds.
//!
//! An instruction is shown before it is carried out, because a load may overwrite the register that held its address.
//! What memory will deny is not shown: the launch ends there.
//!
//! One thing is noted after the run, a constant that nobody set: see [`unset_constants`].

use crate::access::address::addresses;
use crate::access::address::neighbours;
use crate::access::window::memory_of;
use crate::checkers::context::{Context, fault};
use crate::checkers::findings::Findings;
use crate::checkers::initialisation::{Initialisation, Place, Touch, Unwritten, Watched};
use crate::compile::dead_results;
use crate::compile::inst::{Inst, Pc};
use crate::isa::op::Op;
use crate::isa::op::memory::Memory;
use crate::machine::divergence::Frame;
use crate::machine::global::{Buffer, Global, Window};
use crate::machine::registers::{Lanes, WARP_SIZE, Wide, lanes_of};
use crate::machine::written::Written;
use crate::report::fault::{Fault, FaultKind, Severity};
use crate::report::location::{AccessKind, Allocation, Location, Space};

/// Adds to the findings what a warp of a block has found.
pub fn add(
    context: &Context<'_>,
    findings: &mut Findings,
    found: Vec<Unwritten>,
    (block, warp): (u64, usize),
) {
    for unwritten in found {
        let places = (unwritten.pc, unwritten.pc);
        let make = || told(context, (block, warp), &unwritten);
        findings.add(context.program, FaultKind::Uninitialized, places, |_| false, make);
    }
}

fn told(context: &Context<'_>, (block, warp): (u64, usize), unwritten: &Unwritten) -> Fault {
    let (name, start) = owner(context, unwritten);
    let (first, last) = (unwritten.bytes.start as u64 - start, unwritten.bytes.end as u64 - start - 1);
    let bytes = if first == last { format!("byte {first}") } else { format!("bytes {first} to {last}") };
    let others = match unwritten.lanes.count_ones() - 1 {
        0 => String::new(),
        1 => "; another lane did the same".to_string(),
        count => format!("; {count} other lanes did the same"),
    };
    let doing = format!("read {bytes}, which had not been written{others}");
    let actor = context.actor(block, warp, unwritten.lane as u32, unwritten.pc, doing);
    let (were, they) = if first == last { ("was", "it") } else { ("were", "they") };
    let message = format!("{bytes} of {name} {were} read before {they} {were} written");
    let actors = vec![actor.with(AccessKind::Read)];
    let location = Some(location(context, unwritten));
    Fault {
        step: unwritten.step,
        location,
        ..fault(FaultKind::Uninitialized, Severity::Error, message, actors)
    }
}

fn location(context: &Context<'_>, unwritten: &Unwritten) -> Location {
    let (first, bytes) = (unwritten.bytes.start as u64, unwritten.bytes.len() as u64);
    let (space, start, allocation) = match unwritten.place {
        Place::Global(region) => {
            let (space, allocation) = context.region(region);
            (space, allocation.address, Some(allocation))
        }
        Place::Shared => (Space::Shared, 0, context.shared(first)),
    };
    Location { space, address: start + first, bytes, allocation }
}

/// The name of what unwritten bytes belong to, and where it starts in its place.
fn owner(context: &Context<'_>, unwritten: &Unwritten) -> (String, u64) {
    match unwritten.place {
        Place::Global(region) => (format!("`{}`", context.global.region(region).name), 0),
        Place::Shared => context.program.shared_owner(context.kernel, unwritten.bytes.start as u64),
    }
}

/// A note for each variable in constant memory that has no initial value, that the host has not written to, and that
/// an instruction of the launch named. It is no error, because the variable holds zeros (PTX ISA, 5.4.4). The checker's
/// header says why variables in global memory get no such note.
pub fn unset_constants(context: &Context<'_>, was_issued: impl Fn(Pc) -> bool) -> Vec<Fault> {
    let unset = context.program.constants.iter().filter(|&&buffer| !context.global.is_set(buffer));
    unset.filter_map(|&buffer| unset_constant(context, buffer, &was_issued)).collect()
}

fn unset_constant(context: &Context<'_>, buffer: Buffer, was_issued: impl Fn(Pc) -> bool) -> Option<Fault> {
    let program = context.program;
    let (name, _) = program.variables.iter().find(|(_, known)| *known == buffer)?;
    let names = |pc: Pc| {
        let span = program.origins[pc as usize].span;
        dead_results::words(&program.text[span.start as usize..span.end as usize]).any(|word| word == name)
    };
    let pc = (0..program.insts.len() as Pc).find(|&pc| was_issued(pc) && names(pc))?;
    let site = program.site(pc);
    let line =
        site.source.map_or_else(|| format!("line {} of the PTX", site.ptx_line), |line| format!("`{line}`"));
    let message = format!(
        "`{name}` in constant memory is used at {line}, but it has no initial value and the host has not set it, so it holds zeros"
    );
    let mut note = fault(FaultKind::Uninitialized, Severity::Note, message, Vec::new());
    let allocation = Allocation { name: name.clone(), address: buffer.address(), bytes: buffer.bytes() };
    note.location = Some(Location {
        space: Space::Const,
        address: buffer.address(),
        bytes: buffer.bytes(),
        allocation: Some(allocation),
    });
    note.help =
        "set it before the launch, as `cudaMemcpyToSymbol` does, or give it an initial value".to_string();
    Some(note)
}

/// The checker, and what the bytes that it asks about belong to.
pub(crate) struct Shown<'m> {
    /// The checker.
    pub checker: &'m mut Initialisation,
    /// Which bytes of shared memory have been written; none where nobody reports.
    pub shared_written: &'m mut Written,
    /// Global memory.
    pub global: &'m mut Global,
}

/// Shows an instruction that goes to memory.
#[inline(never)]
pub(crate) fn see(
    mut shown: Shown<'_>,
    lanes: &Lanes<'_>,
    inst: &Inst,
    frame: &Frame,
    instruction: (Pc, u64),
) {
    let (address, bytes, touch) = match &inst.op {
        Op::Load(access) => (&access.address, access.lane_bytes(), Touch::Read),
        Op::Store(access) => (&access.address, access.lane_bytes(), Touch::Write),
        Op::Atomic(atomic) => {
            let touch = if atomic.only_writes() { Touch::Write } else { Touch::Update };
            (&atomic.address, u64::from(atomic.bytes), touch)
        }
        _ => return,
    };
    if touch == Touch::Read && !shown.checker.reports {
        return;
    }
    let at = addresses(lanes, address, inst.args.a, frame);
    let mut watched = Watched::new(instruction, touch);
    match address.memory {
        Memory::Shared => see_shared(&mut watched, &mut shown, &at, lanes.mask, bytes),
        Memory::Global => see_global(&mut watched, &mut shown, &at, lanes.mask, bytes),
        Memory::Generic => see_generic(&mut watched, &mut shown, &at, lanes.mask, bytes),
        Memory::Const | Memory::Local | Memory::Param | Memory::Frame => return,
    }
    if shown.checker.reports {
        shown.checker.found.extend(watched.found());
    }
}

fn see_shared(watched: &mut Watched, shown: &mut Shown<'_>, at: &Wide, mask: u32, bytes: u64) {
    if !shown.checker.reports {
        return;
    }
    let written = &mut *shown.shared_written;
    let size = written.bytes();
    let inside = |start: u64, bytes: u64| {
        start.checked_add(bytes).filter(|&end| end <= size as u64).map(|end| start as usize..end as usize)
    };
    if let Some(count) = neighbours(at, mask, bytes)
        && let Some(range) = inside(at[0], bytes * count as u64)
        && watched.row(written, range)
    {
        return;
    }
    for lane in lanes_of(mask) {
        if let Some(range) = inside(at[lane], bytes) {
            watched.lane(lane, Place::Shared, written, range);
        }
    }
}

fn see_global(watched: &mut Watched, shown: &mut Shown<'_>, at: &Wide, mask: u32, bytes: u64) {
    if !shown.global.has_unwritten() {
        return;
    }
    if let Some(count) = neighbours(at, mask, bytes)
        && let Ok((region, start)) = shown.global.locate(at[0], bytes * count as u64)
    {
        let Some(written) = shown.global.written_mut(region) else { return };
        if watched.row(written, start..start + bytes as usize * count) {
            return;
        }
    }
    for lane in lanes_of(mask) {
        let Ok((region, start)) = shown.global.locate(at[lane], bytes) else { continue };
        if let Some(written) = shown.global.written_mut(region) {
            watched.lane(lane, Place::Global(region), written, start..start + bytes as usize);
        }
    }
}

/// Shows the lanes of each memory apart.
fn see_generic(watched: &mut Watched, shown: &mut Shown<'_>, at: &Wide, mask: u32, bytes: u64) {
    let lanes_in = |window: Option<Window>| {
        lanes_of(mask).filter(|&lane| Window::of(at[lane]) == window).fold(0, |lanes, lane| lanes | 1 << lane)
    };
    let shared = lanes_in(Some(Window::Shared));
    if shared != 0 {
        let (_, base) = memory_of(Some(Window::Shared));
        let offsets: Wide = std::array::from_fn(|lane| at[lane % WARP_SIZE].wrapping_sub(base));
        see_shared(watched, shown, &offsets, shared, bytes);
    }
    let global = lanes_in(None);
    if global != 0 {
        see_global(watched, shown, at, global, bytes);
    }
}
