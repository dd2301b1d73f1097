//! Operands of instructions.
//!
//! No instruction that uses textures is supported, but a file that has such instructions may have kernels without them, so
//! their addresses (`[name, {x, y}]`) are parsed like those of tensors. Not supported, and refused by name: array elements whose index is a register (`name[%r1]`), which no compiler writes. Specification: PTX ISA, section 6
//! (instruction operands).

use super::ast::Operand;
use super::lexer::TokenKind;
use super::literal::Value;
use super::parser::{Parser, Result};

impl<'t> Parser<'t> {
    /// One operand. A list in parentheses is allowed only if `is_call` is set.
    pub fn operand(&mut self, is_call: bool) -> Result<Operand<'t>> {
        let first = self.token.span;
        if is_call && self.take_if(b'(')? {
            let items = self.list(b')', "after the list of a call", Self::scalar)?;
            return Ok(Operand::List(items, self.since(first)));
        }
        if self.take_if(b'{')? {
            let items = self.list(b'}', "after the elements of a vector", Self::scalar)?;
            return Ok(Operand::Vector(items, self.since(first)));
        }
        let operand = self.scalar()?;
        if !self.take_if(b'|')? {
            return Ok(operand);
        }
        let second = self.scalar()?;
        Ok(Operand::Pair(Box::new(operand), Box::new(second)))
    }

    /// An operand that is not a list of operands.
    fn scalar(&mut self) -> Result<Operand<'t>> {
        let first = self.token;
        match first.kind {
            TokenKind::Punct(b'[') => self.address(),
            TokenKind::Punct(b'!') => {
                self.take()?;
                if self.token.kind == TokenKind::Word && !self.at_constant() {
                    return Ok(Operand::Not(self.name("a predicate register after `!`")?));
                }
                let value = self.negated_constant(first)?;
                Ok(self.literal_operand(value, first.span))
            }
            _ if self.at_constant() => {
                let value = self.constant()?;
                Ok(self.literal_operand(value, first.span))
            }
            TokenKind::Word => self.named(),
            _ => Err(self.expected("an operand")),
        }
    }

    fn literal_operand(&self, value: Value, first: super::Span) -> Operand<'t> {
        let span = self.since(first);
        match value {
            Value::Int { bits, .. } => Operand::Int(bits, span),
            Value::F32(bits) => Operand::F32(bits, span),
            Value::F64(bits) => Operand::F64(bits, span),
        }
    }

    /// `%r1`, `%tid.x`, `symbol`, `symbol+4`, `symbol[3]` or `_`
    fn named(&mut self) -> Result<Operand<'t>> {
        let name = self.ident()?;
        if name.text == "_" {
            return Ok(Operand::Sink(name.span));
        }
        match self.token.kind {
            TokenKind::Punct(b'+' | b'-') => Ok(Operand::Offset(name, self.offset()?)),
            TokenKind::Punct(b'[') => {
                self.take()?;
                let index = self.integer("a constant index")? as i64;
                self.expect(b']', "after the index of an element")?;
                Ok(Operand::Element(name, index))
            }
            _ => Ok(Operand::Name(name)),
        }
    }

    /// `[%rd1+4]`, `[symbol]`, `[16]` or `[map, {x, y}]`
    fn address(&mut self) -> Result<Operand<'t>> {
        let first = self.take()?.span;
        let is_absolute = self.at_constant();
        let base = if is_absolute { None } else { Some(self.name("a register, a variable or a number")?) };
        let offset = if is_absolute { self.integer("an address")? as i64 } else { self.offset()? };
        if self.take_if(b',')? {
            let items = self.list(b']', "after the coordinates", |parser| {
                parser.nested(|parser| parser.operand(false))
            })?;
            return Ok(Operand::Tensor { base, offset, items, span: self.since(first) });
        }
        self.expect(b']', "after an address")?;
        Ok(Operand::Address { base, offset, span: self.since(first) })
    }
}
