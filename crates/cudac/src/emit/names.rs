//! Which variables the registers hold, instruction by instruction.
//!
//! A register that was made for a variable holds it where the register is live: where an instruction still reads it before
//! it gets another value. A variable that never changes may share its register with others, from its declaration on.
//! Left out: variables in local memory, and those that became constants.
//!
//! This is for whoever shows a kernel's variables while it runs; PTX itself has no such table without debug
//! information.
//!
//! ```text
//! 10:  add.s32 %r3, %r1, 1;      %r3 was made for n
//! 11:  st.global [%rd1], %r1;    n in lines 11 and 12: before these instructions %r3 is still read
//! 12:  mul.lo.s32 %r4, %r3, 2;
//! 13:  ret;                      and here no longer
//! ```

use std::ops::Range;

use super::name::Name;
use crate::code::lists::Lists;
use crate::code::live::Live;
use crate::code::{Function, Reg, VarName};

/// The lines of an instruction.
pub(super) struct Lines {
    /// In the PTX.
    pub ptx: Range<u32>,
    /// In the text that the PTX is made from.
    pub text: u32,
}

/// A register with a name.
struct Named<'f> {
    reg: Reg,
    name: &'f VarName,
    lines: Vec<Range<u32>>,
}

/// The names of a kernel's registers. `lines` are those of each instruction, the ones that end blocks among them; those of each block
/// have an end. `live` is found anew, and `spelt` is how a register is written.
pub(super) fn names(
    function: &Function<'_>,
    lines: &[Lines],
    ends: &[usize],
    live: &mut Live,
    mut spelt: impl FnMut(Reg) -> Option<String>,
) -> Vec<Name> {
    if function.names.is_empty() {
        return Vec::new();
    }
    let mut named: Vec<Named<'_>> =
        function.names.iter().map(|(reg, name)| Named { reg: *reg, name, lines: Vec::new() }).collect();
    let mut walk = Walk::new(function, live);
    let mut start = 0;
    for (block, end) in ends.iter().enumerate() {
        let lines = &lines[std::mem::replace(&mut start, *end)..*end];
        walk.block(block);
        // They were found from the last to the first.
        for (reg, range) in walk.found.drain(..).rev() {
            for at in &walk.of_reg[reg as usize] {
                named[*at].add(&lines[range.clone()]);
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

/// A walk through each block from its end, which finds where the named registers are live in it.
struct Walk<'f> {
    function: &'f Function<'f>,
    live: &'f Live,
    /// The names that each register has.
    of_reg: Lists,
    /// The named registers that may be live between blocks.
    crossing: Vec<Reg>,
    /// The end of the range of each register that is live at the point of the walk. Between blocks none is.
    open: Vec<usize>,
    /// The ranges of a block: before which of its instructions a register is live. Those of a register are found from the last to
    /// the first.
    found: Vec<(Reg, Range<usize>)>,
}

impl<'f> Walk<'f> {
    fn new(function: &'f Function<'f>, live: &'f mut Live) -> Walk<'f> {
        live.find(function);
        let regs = function.names.iter().map(|(reg, _)| *reg);
        let of_reg: Vec<_> = regs.clone().enumerate().map(|(at, reg)| (reg as usize, at)).collect();
        Walk {
            function,
            crossing: regs.filter(|reg| live.crossing(*reg).is_some()).collect(),
            live,
            of_reg: Lists::new(function.regs.len(), &of_reg),
            open: vec![NOT_LIVE; function.regs.len()],
            found: Vec::new(),
        }
    }

    /// Goes through a block backwards: a read opens a range, unless one is open, and a write closes it.
    fn block(&mut self, at: usize) {
        let block = &self.function.blocks[at];
        let end = block.insts.len();
        for reg in self.crossing.iter().filter(|reg| self.live.after(at, **reg)) {
            self.open[*reg as usize] = end + 1;
        }
        block.end.condition().into_iter().for_each(|reg| self.read(reg, end));
        for (nth, inst) in block.insts.iter().enumerate().rev() {
            for dst in inst.dsts.iter() {
                self.close(*dst, nth + 1);
            }
            inst.reads().for_each(|reg| self.read(reg, nth));
        }
        // What is live at the beginning of the block has a range from there.
        for nth in 0..self.crossing.len() {
            self.close(self.crossing[nth], 0);
        }
    }

    fn read(&mut self, reg: Reg, nth: usize) {
        let until = &mut self.open[reg as usize];
        if *until == NOT_LIVE && !self.of_reg[reg as usize].is_empty() {
            *until = nth + 1;
        }
    }

    fn close(&mut self, reg: Reg, start: usize) {
        let until = std::mem::replace(&mut self.open[reg as usize], NOT_LIVE);
        if until != NOT_LIVE {
            self.found.push((reg, start..until));
        }
    }
}

impl Named<'_> {
    /// Adds the lines of some instructions, as far as the variable is declared there.
    fn add(&mut self, mut insts: &[Lines]) {
        let VarName { first_line, last_line, is_inlined, .. } = *self.name;
        let is_declared = |lines: &Lines| is_inlined || (first_line..=last_line).contains(&lines.text);
        while let Some(start) = insts.iter().position(is_declared) {
            let end = insts[start..].iter().position(|lines| !is_declared(lines));
            let end = end.map_or(insts.len(), |length| start + length);
            // Ranges that touch become one, so that there are few.
            let ptx = insts[start].ptx.start..insts[end - 1].ptx.end;
            insts = &insts[end..];
            match self.lines.last_mut() {
                Some(last) if last.end == ptx.start => last.end = ptx.end,
                _ if ptx.is_empty() => {}
                _ => self.lines.push(ptx),
            }
        }
    }
}
