//! The operands of `asm`.
//!
//! The instructions are not read, apart from the references to operands; the emulator or the driver does that with the
//! PTX. `m` and `b` exist in this compiler's own functions only: an address with its state space, and a predicate. They
//! let the optimiser turn a generic address into one of global memory, and a comparison into the predicate that an
//! instruction takes. Specification: Inline PTX Assembly in CUDA.
//!
//! ```text
//! h r l     registers of 16, 32 and 64 bits; a pointer is `l`
//! f d       float, double
//! n         a constant, written into the text
//! m         an address: %0 is [%rd1+4], %s0 its state space, %a0 the register alone
//! b         a truth value in a predicate
//! ```

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
        // Numbered through: outputs first, as the references count them.
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
            // As in GCC, a statement without outputs is volatile: nobody could want it otherwise.
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
        let has_sign = is_output && text.starts_with(['=', '+']);
        let letters = &text[usize::from(has_sign)..];
        let known = if is_own { "hrlfdnmb" } else { "hrlfdn" };
        let constraint = match letters.chars().next() {
            Some(letter) if letters.len() == 1 && known.contains(letter) => letter,
            _ => {
                return Err(unsupported(value_span, format_args!("the constraint `{text}`")).with_help(
                    "`h`, `r`, `l`, `f` and `d` are registers of 16, 32, 64 bits, `float` and `double`",
                ));
            }
        };
        if is_output != has_sign {
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

    /// Sizes have to agree exactly: PTX would take a register of another type, and give it other bits.
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
            // A pointer counts as an integer of 64 bits.
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

/// What a `%` in the text of an `asm` stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Percent {
    /// Itself: it is doubled, or begins a register's name, as in `%globaltimer`.
    Sign,
    /// `%1`: an operand.
    Operand(usize),
    /// `%s1`: the state space of an operand that is an address.
    Space(usize),
    /// `%a1`: such an operand without its offset.
    Base(usize),
    /// Nothing: there is no number.
    Unknown,
}

/// What a `%` before this text stands for, and the text that follows. Shared by this stage, which counts, and by
/// `lower::asm`, which puts registers in.
pub(crate) fn percent(after: &str) -> (Percent, &str) {
    let bytes = after.as_bytes();
    let letter = bytes.first().copied().unwrap_or_default();
    let is_named = letter.is_ascii_alphabetic();
    if letter == b'%' {
        return (Percent::Sign, &after[1..]);
    }
    // `%s1` and `%a1` are a letter and a digit; registers have longer names.
    if is_named && bytes.get(1).is_some_and(|second| !second.is_ascii_digit()) {
        return (Percent::Sign, after);
    }
    let start = usize::from(matches!(letter, b's' | b'a'));
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = after[start..].split_at(digits);
    let what = match (number.parse(), letter) {
        (Ok(number), b's') => Percent::Space(number),
        (Ok(number), b'a') => Percent::Base(number),
        (Ok(number), _) => Percent::Operand(number),
        (Err(_), _) => Percent::Unknown,
    };
    (what, rest)
}

/// Every `%N` has to be an operand.
fn check_references(text: &str, count: usize, span: Span) -> Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let what;
        (what, rest) = percent(&rest[at + 1..]);
        match what {
            Percent::Operand(number) | Percent::Space(number) | Percent::Base(number) if number >= count => {
                return Err(error(
                    span,
                    format_args!("`%{number}` in `asm` is no operand; there are {count}"),
                ));
            }
            Percent::Unknown => {
                return Err(error(span, "`%` in `asm` needs the number of an operand")
                    .with_help("write `%%` for a `%`"));
            }
            _ => {}
        }
    }
    Ok(())
}
