//! `asm` with operands.
//!
//! Specification: Inline PTX Assembly in CUDA.
//!
//! The instructions are not parsed here: `check::asm` types the operands, and `lower::asm` puts registers into the
//! text. Left out: names for operands (`[name] "r"(x)`), and clobbers other than `"memory"`, which are read and mean
//! nothing to PTX.

use super::Parser;
use super::tree::{Asm, AsmOperand, StmtKind};
use crate::lex::Kind;
use crate::source::Result;

/// Each list of `asm` may have this many operands: more than the 128 numbers of the largest product of a warpgroup.
const MAX_OPERANDS: usize = 256;

impl<'t> Parser<'_, 't> {
    /// `asm volatile ("text" : "=r"(out) : "r"(in) : "memory");`
    pub(super) fn asm(&mut self) -> Result<StmtKind<'t>> {
        self.next();
        let mut is_volatile = false;
        while self.is_word("volatile") || self.is_word("__volatile__") {
            is_volatile = true;
            self.next();
        }
        self.expect("(", "after `asm`")?;
        let start = self.span();
        let text = self.string("the instructions")?;
        let text_span = self.since(start);
        // `::` is one token, and means that a list is empty.
        let mut lists: [&[AsmOperand<'t>]; 2] = [&[], &[]];
        // 1 after the first colon, where outputs are, then 2 for inputs and 3 for clobbers.
        let mut section = 0;
        let mut touches_memory = false;
        while !self.is(")") {
            if self.take("::") {
                section += 2;
            } else if self.take(":") {
                section += 1;
            } else {
                return Err(self.expected("`:` or `)` in `asm`"));
            }
            match section {
                1 | 2 => lists[section - 1] = self.operands()?,
                3 => touches_memory |= self.clobbers()?,
                _ => return Err(self.expected("`)` at the end of `asm`")),
            }
        }
        self.next();
        self.expect(";", "after `asm`")?;
        let [outputs, inputs] = lists;
        let asm = Asm { text, text_span, is_volatile, touches_memory, outputs, inputs };
        Ok(StmtKind::Asm(self.arena.put(asm)))
    }

    fn operands(&mut self) -> Result<&'t [AsmOperand<'t>]> {
        let mut operands = Vec::new();
        while let Kind::Text(_) = self.token().kind {
            let constraint = self.string("a constraint")?;
            self.expect("(", "after the constraint")?;
            let value = self.inside_brackets(Self::expression)?;
            self.expect(")", "after the operand")?;
            operands.push(AsmOperand { constraint, value });
            if operands.len() > MAX_OPERANDS {
                return Err(self.expected(&format!("at most {MAX_OPERANDS} operands")));
            }
            if !self.take(",") {
                break;
            }
        }
        Ok(self.arena.list(&operands))
    }

    /// Whether one of them is `"memory"`.
    fn clobbers(&mut self) -> Result<bool> {
        let mut touches_memory = false;
        while let Kind::Text(_) = self.token().kind {
            touches_memory |= *self.string("a clobber")? == *b"memory";
            if !self.take(",") {
                break;
            }
        }
        Ok(touches_memory)
    }

    /// Strings in a row. They are one, as in every expression; people write an instruction a line.
    fn string(&mut self, what: &str) -> Result<&'t [u8]> {
        let Kind::Text(first) = self.token().kind else {
            return Err(self.expected(&format!("a string with {what}")));
        };
        self.next();
        let mut all = first;
        while let Kind::Text(next) = self.token().kind {
            all = self.arena.list(&[all, next].concat());
            self.next();
        }
        Ok(all)
    }
}
