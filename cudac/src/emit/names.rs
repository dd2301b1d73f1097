//! Which variables the registers hold, instruction by instruction.
//!
//! A register that was made for a variable holds it where the register is live: where an instruction still reads it before
//! it gets another value. A variable that never changes may share its register with others, from its declaration on.
//! Left out: variables in local memory, and those that became constants.

use std::ops::Range;

use crate::Name;
use crate::code::lists::Lists;
use crate::code::{Function, Reg, VarName};
use crate::optimise::dead::Live;

/// The lines of the PTX that the instructions of a block take, the one that ends it among them.
pub(super) type BlockLines = [Range<u32>];

/// A register with a name.
struct Named<'f> {
    reg: Reg,
    name: &'f VarName,
    lines: Vec<Range<u32>>,
}

/// The names of a kernel's registers; `spelt` is how a register is written.
pub(super) fn names(
    function: &Function,
    blocks: &[&BlockLines],
    mut spelt: impl FnMut(Reg) -> Option<String>,
) -> Vec<Name> {
    let mut named: Vec<Named<'_>> =
        function.names.iter().map(|(reg, name)| Named { reg: *reg, name, lines: Vec::new() }).collect();
    let of_reg: Vec<_> = named.iter().enumerate().map(|(at, named)| (named.reg as usize, at)).collect();
    let of_reg = Lists::new(function.regs.len(), &of_reg);
    let mut live = Live::default();
    live.find(function);
    let mut open = vec![NOT_LIVE; function.regs.len()];
    for (block, lines) in blocks.iter().enumerate() {
        for (reg, range) in ranges(function, block, &live, &of_reg, &mut open) {
            for at in &of_reg[reg as usize] {
                add(function, block, lines, &range, &mut named[*at]);
            }
        }
    }
    let mut found = Vec::new();
    for Named { reg, name, lines } in named {
        if let Some(register) = spelt(reg)
            && !lines.is_empty()
        {
            found.push(Name {
                kernel: function.name.clone(),
                register,
                variable: name.name.clone(),
                first_line: name.first_line,
                last_line: name.last_line,
                ptx_lines: lines,
            });
        }
    }
    found
}

/// A register that is not live has no range.
const NOT_LIVE: usize = 0;

/// Where the named registers are live in a block: before which of its instructions.
///
/// `open` has room for the end of the range of each register that is live at a point of the walk backwards. Before and after the
/// walk none is open.
fn ranges(
    function: &Function,
    at: usize,
    live: &Live,
    of_reg: &Lists,
    open: &mut [usize],
) -> Vec<(Reg, Range<usize>)> {
    let block = &function.blocks[at];
    let end = block.insts.len();
    let mut found = Vec::new();
    for (reg, _) in function.names.iter().filter(|(reg, _)| live.after(at, *reg)) {
        open[*reg as usize] = end + 1;
    }
    let reads = |open: &mut [usize], reg: Reg, nth: usize| {
        let until = &mut open[reg as usize];
        if *until == NOT_LIVE && !of_reg[reg as usize].is_empty() {
            *until = nth + 1;
        }
    };
    block.end.condition().into_iter().for_each(|reg| reads(open, reg, end));
    for (nth, inst) in block.insts.iter().enumerate().rev() {
        for dst in &inst.dsts {
            let until = std::mem::replace(&mut open[*dst as usize], NOT_LIVE);
            if until != NOT_LIVE {
                found.push((*dst, nth + 1..until));
            }
        }
        inst.reads(&mut |reg| reads(open, reg, nth));
    }
    for (reg, _) in &function.names {
        let until = std::mem::replace(&mut open[*reg as usize], NOT_LIVE);
        if until != NOT_LIVE {
            found.push((*reg, 0..until));
        }
    }
    // Those of a register were found from the last to the first.
    found.reverse();
    found
}

/// Adds the lines of some instructions, as far as the variable is declared there.
fn add(function: &Function, at: usize, lines: &BlockLines, range: &Range<usize>, named: &mut Named<'_>) {
    let block = &function.blocks[at];
    for nth in range.clone() {
        let (Some(ptx), line) = (lines.get(nth), block.insts.get(nth).map_or(block.line, |inst| inst.line))
        else {
            return;
        };
        let line = function.lines.get(line as usize).map_or(0, |(line, _)| *line);
        // A function that was inlined has the lines of its call.
        let is_declared =
            named.name.is_inlined || (named.name.first_line..=named.name.last_line).contains(&line);
        if !is_declared || ptx.is_empty() {
            continue;
        }
        match named.lines.last_mut() {
            Some(last) if last.end == ptx.start => last.end = ptx.end,
            _ => named.lines.push(ptx.clone()),
        }
    }
}
