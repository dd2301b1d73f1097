//! Describes what the initialisation checker has found, and notes constants that nothing has set.

use crate::checkers::context::{Context, fault};
use crate::checkers::initialisation::UnwrittenRead;
use crate::compile::dead_results;
use crate::compile::inst::Pc;
use crate::machine::global::Buffer;
use crate::report::fault::{Fault, FaultKind, Severity};
use crate::report::location::{AccessKind, Allocation, Location, Space};

/// A read of bytes that were never written.
pub fn unwritten_read(context: &Context<'_>, read: &UnwrittenRead) -> Fault {
    let UnwrittenRead { block, warp, unwritten } = read;
    let (bytes, name) = context.bytes_of(unwritten.range);
    let others = match unwritten.lanes.count_ones() - 1 {
        0 => String::new(),
        1 => "; another lane did the same".to_string(),
        count => format!("; {count} other lanes did the same"),
    };
    let doing = format!("read {bytes}, which had not been written{others}");
    let actor = context.actor(*block, *warp, unwritten.lane as u32, unwritten.pc, doing);
    let (were, they) = if unwritten.range.bytes == 1 { ("was", "it") } else { ("were", "they") };
    let message = format!("{bytes} of {name} {were} read before {they} {were} written");
    let actors = vec![actor.with(access(context, unwritten.pc))];
    let location = Some(context.location(unwritten.range));
    Fault {
        step: unwritten.step,
        location,
        ..fault(FaultKind::Uninitialized, Severity::Error, message, actors)
    }
}

/// An atomic reads too, and is told from a load by what it is called.
fn access(context: &Context<'_>, pc: Pc) -> AccessKind {
    let span = context.program.origins[pc as usize].span;
    let text = &context.program.text[span.start as usize..span.end as usize];
    let is_atomic = text.split_whitespace().any(|word| word.starts_with("atom.") || word.starts_with("red."));
    if is_atomic { AccessKind::Update } else { AccessKind::Read }
}

/// A note for each variable in constant memory that has no initial value, that the host has not written to, and that an
/// instruction of the launch named. It is not an error, because the variable holds zeros (PTX ISA, 5.4.4). The
/// documentation of the checker says why variables in global memory get no such note.
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
