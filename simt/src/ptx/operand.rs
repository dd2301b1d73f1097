//! Operands of instructions.
//!
//! Left out, and refused by name: addresses of textures and tensors (`[name, {x, y}]`), and array elements
//! (`name[3]`) outside brackets, which no compiler writes.
//! Specification: PTX ISA, section 6 (instruction operands).

use super::ast::Operand;
use super::lexer::Kind;
use super::literal::Value;
use super::parser::{Parser, Result};

impl<'t> Parser<'t> {
    /// One operand; a list in parentheses only where `is_call`.
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

    /// An operand that is no list of operands.
    fn scalar(&mut self) -> Result<Operand<'t>> {
        let first = self.token;
        match first.kind {
            Kind::Punct(b'[') => self.address(),
            Kind::Punct(b'!') => {
                self.take()?;
                if self.token.kind == Kind::Word && !self.at_constant() {
                    return Ok(Operand::Not(self.name("a predicate register after `!`")?));
                }
                let value = self.negated_constant(first)?;
                Ok(self.literal_operand(value, first.span))
            }
            _ if self.at_constant() => {
                let value = self.constant()?;
                Ok(self.literal_operand(value, first.span))
            }
            Kind::Word => self.named(),
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

    /// `%r1`, `%tid.x`, `symbol`, `symbol+4` or `_`
    fn named(&mut self) -> Result<Operand<'t>> {
        let name = self.ident()?;
        if name.text == "_" {
            return Ok(Operand::Sink(name.span));
        }
        match self.token.kind {
            Kind::Punct(b'+' | b'-') => Ok(Operand::Offset(name, self.offset()?)),
            Kind::Punct(b'[') => {
                Err(self.error(format!("an element of an array is written `[{}+BYTES]`", name.text)))
            }
            _ => Ok(Operand::Name(name)),
        }
    }

    /// `[%rd1+4]`, `[symbol]` or `[16]`
    fn address(&mut self) -> Result<Operand<'t>> {
        let first = self.take()?.span;
        let is_absolute = self.at_constant();
        let base = if is_absolute { None } else { Some(self.name("a register, a variable or a number")?) };
        let offset = if is_absolute { self.integer("an address")? as i64 } else { self.offset()? };
        if self.token.is(b',') {
            return Err(self.error("the address of a texture or tensor is not supported"));
        }
        self.expect(b']', "after an address")?;
        Ok(Operand::Address { base, offset, span: self.since(first) })
    }
}
