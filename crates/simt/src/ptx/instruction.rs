//! Instructions: a guard, an opcode, operands and a semicolon.
//!
//! The parser knows no instruction, with one exception that the grammar requires: the operands of `call` may be lists
//! in parentheses, which elsewhere are constant expressions. Specification: PTX ISA, sections 4.3.2 (instruction
//! statements) and 9.3 (predicated execution).

use super::Span;
use super::ast::{Guard, Ident, Instruction};
use super::lexer::{TokenKind, quoted};
use super::parser::{Parser, Result};

impl<'t> Parser<'t> {
    /// An instruction that begins with `@`.
    pub fn guarded_instruction(&mut self) -> Result<Instruction<'t>> {
        let first = self.take()?.span;
        let negated = self.take_if(b'!')?;
        let register = self.name("a predicate register after `@`")?;
        if self.token.kind != TokenKind::Word {
            return Err(self.expected("an instruction after its guard"));
        }
        let opcode = self.ident()?;
        self.instruction(first, Some(Guard { register, negated }), opcode)
    }

    /// The rest of an instruction, after its opcode.
    pub fn instruction(
        &mut self,
        first: Span,
        guard: Option<Guard<'t>>,
        opcode: Ident<'t>,
    ) -> Result<Instruction<'t>> {
        if !opcode.text.starts_with(|c: char| c.is_ascii_lowercase()) {
            let message = format!("expected an instruction, found {}", quoted(opcode.text));
            return self.refuse_at(opcode.span, message);
        }
        let loc = self.locs.current;
        let is_call = opcode.text == "call" || opcode.text.starts_with("call.");
        let mut operands = Vec::new();
        if !self.take_if(b';')? {
            operands = self.items(|parser| parser.operand(is_call))?;
            if !self.take_if(b';')? {
                let place = format!("`,` or `;` after an operand of {}", quoted(opcode.text));
                return Err(self.expected(&place));
            }
        }
        Ok(Instruction { guard, opcode, operands, span: self.since(first), loc })
    }
}
