//! The operands of `asm`.
//!
//! `m` and `b` exist in this compiler's own functions only: an address with its state space, and a predicate.
//! Specification: Inline PTX Assembly in CUDA.

use super::Checker;
use super::scope::ScopeId;
use super::typed::{Asm, AsmOperand};
use super::types::Shape;
use crate::parse::tree;
use crate::source::{Result, Span, error, unsupported};

impl<'t> Checker<'_, 't> {
    pub(super) fn asm(&mut self, scope: ScopeId, written: &tree::Asm<'t>, span: Span) -> Result<Asm<'t>> {
        let Ok(text) = std::str::from_utf8(written.text) else {
            return Err(error(written.text_span, "the instructions are no text"));
        };
        let is_own = self.frames.last().is_some_and(|frame| frame.is_own);
        let mut operands = Vec::new();
        for (operand, is_output) in written
            .outputs
            .iter()
            .map(|operand| (operand, true))
            .chain(written.inputs.iter().map(|operand| (operand, false)))
        {
            operands.push(self.asm_operand(scope, operand, is_output, is_own, span)?);
        }
        check_references(text, operands.len(), written.text_span)?;
        Ok(Asm {
            text,
            is_volatile: written.is_volatile || written.outputs.is_empty(),
            touches_memory: written.touches_memory,
            is_own,
            operands: self.arena.list(&operands),
            outputs: written.outputs.len(),
        })
    }

    fn asm_operand(
        &mut self,
        scope: ScopeId,
        written: &tree::AsmOperand<'t>,
        is_output: bool,
        is_own: bool,
        span: Span,
    ) -> Result<AsmOperand<'t>> {
        let text = String::from_utf8_lossy(written.constraint).into_owned();
        let value_span = written.value.span;
        let is_updated = is_output && text.starts_with('+');
        let letters = if is_output { text.trim_start_matches(['=', '+']) } else { &text[..] };
        let known = if is_own { "hrlfdnmb" } else { "hrlfdn" };
        let constraint = match letters.chars().next() {
            Some(letter) if letters.len() == 1 && known.contains(letter) => letter,
            _ => {
                return Err(unsupported(value_span, format_args!("the constraint `{text}`")).with_help(
                    "`h`, `r`, `l`, `f` and `d` are registers of 16, 32, 64 bits, `float` and `double`",
                ));
            }
        };
        if is_output == (letters.len() == text.len()) {
            return Err(error(
                value_span,
                "an output's constraint begins with `=` or `+`, and an input's does not",
            ));
        }
        let value = self.expr(scope, written.value)?;
        let value = if is_output {
            if !value.is_place() || value.ty.is_const() {
                return Err(error(value_span, "an output of `asm` has to be a variable"));
            }
            self.mark_changed(value);
            value
        } else {
            self.value(value)
        };
        self.check_constraint(constraint, value, span)?;
        Ok(AsmOperand { constraint, is_updated, value })
    }

    fn check_constraint(
        &mut self,
        constraint: char,
        value: super::typed::Expr<'t>,
        _span: Span,
    ) -> Result<()> {
        let ty = value.ty;
        let is_address = matches!(self.types.shape(ty), Shape::Pointer(_));
        let is_integer = self.types.is_integral(ty) || is_address;
        let size = self.types.size(ty);
        let fits = match constraint {
            'h' => is_integer && size == 2,
            'r' => is_integer && size == 4,
            'l' => is_integer && size == 8,
            'f' => self.types.is_float(ty) && size == 4,
            'd' => self.types.is_float(ty) && size == 8,
            'm' => is_address,
            'b' => self.types.is_bool(ty),
            _ => {
                return if self.evaluate(value).is_some() {
                    Ok(())
                } else {
                    Err(error(value.span, "the constraint `n` needs a constant"))
                };
            }
        };
        if fits {
            return Ok(());
        }
        let needed = match constraint {
            'h' => "an integer of 16 bits",
            'r' => "an integer of 32 bits",
            'l' => "an integer of 64 bits or a pointer",
            'f' => "a `float`",
            _ => "a `double`",
        };
        let message = format!(
            "the constraint `{constraint}` needs {needed}, but this has the type `{}`",
            self.show(ty)
        );
        Err(error(value.span, message))
    }
}

/// Whether a `%` before this text is part of a register's name, as in `%globaltimer`, which needs no second `%`.
pub(crate) fn is_register(after: &str) -> bool {
    let mut bytes = after.bytes();
    // `%s1` is the space of an operand, and `%a1` its address without the offset.
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.next().is_some_and(|b| !b.is_ascii_digit())
}

/// Every `%N` has to be an operand.
fn check_references(text: &str, count: usize, span: Span) -> Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        rest = &rest[at + 1..];
        if is_register(rest) {
            continue;
        }
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        let skipped = rest.strip_prefix(['s', 'a']).unwrap_or(rest);
        let digits: String = skipped.chars().take_while(char::is_ascii_digit).collect();
        match digits.parse::<usize>() {
            Ok(number) if number < count => {}
            Ok(number) => {
                return Err(error(
                    span,
                    format_args!("`%{number}` in `asm` is no operand; there are {count}"),
                ));
            }
            Err(_) => {
                return Err(error(span, "`%` in `asm` needs the number of an operand")
                    .with_help("write `%%` for a `%`"));
            }
        }
    }
    Ok(())
}
