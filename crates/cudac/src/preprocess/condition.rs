//! The conditions of `#if` and `#elif`: integer expressions of 64 bits.
//!
//! `defined` is resolved before macros are expanded, and a name that is left afterwards is 0 ([cpp.cond]). What `&&`, `||`
//! and `?:` do not need is read, and may divide by zero. Specification: C++17, [cpp.cond], [expr].
//!
//! ```text
//! #if defined(A) && N + 1 > 2       with A defined and N as 3
//!     1 && N + 1 > 2                `defined` is resolved
//!     1 && 3 + 1 > 2                macros are expanded
//! ```

use super::Reader;
use crate::lex::number::{Number, parse};
use crate::lex::{Kind, Token, binding};
use crate::source::budget::{self, Bound};
use crate::source::{Result, Span, error};

impl<'t> Reader<'_, '_, 't> {
    /// Whether a condition holds.
    pub(super) fn condition(&mut self, span: Span, tokens: &[Token<'t>]) -> Result<bool> {
        // First `defined`, because expanding its operand would lose the name that it asks about.
        let mut resolved = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while at < tokens.len() {
            if tokens[at].is_word("defined") || tokens[at].is_word("__has_include") {
                resolved.push(self.defined(tokens, &mut at)?);
            } else {
                resolved.push(tokens[at]);
                at += 1;
            }
        }
        let expanded = self.expand_all(&resolved)?;
        let mut evaluator = Evaluator { tokens: &expanded, at: 0, span, depth: 0, unneeded: 0 };
        let value = evaluator.conditional()?;
        match expanded.get(evaluator.at) {
            // Tokens after the expression are a mistake, such as a forgotten operator.
            Some(extra) => {
                Err(error(extra.span, format_args!("unexpected {} in this condition", extra.quoted())))
            }
            None => Ok(value.bits != 0),
        }
    }

    /// `defined NAME` or `defined(NAME)` as a number. Moves `at` behind it.
    fn defined(&mut self, tokens: &[Token<'t>], at: &mut usize) -> Result<Token<'t>> {
        let head = tokens[*at];
        if head.is_word("__has_include") {
            return Err(error(head.span, "`__has_include` is not supported by this compiler"));
        }
        let has_paren = tokens.get(*at + 1).is_some_and(|token| token.is("("));
        let name = tokens.get(*at + 1 + usize::from(has_paren)).and_then(Token::word);
        let closes = !has_paren || tokens.get(*at + 3).is_some_and(|token| token.is(")"));
        let Some(name) = name.filter(|_| closes) else {
            return Err(error(head.span, "`defined` needs the name of a macro"));
        };
        let value = if self.shared.macros.known.contains_key(&name) { "1" } else { "0" };
        *at += if has_paren { 4 } else { 2 };
        Ok(Token { kind: Kind::Number(self.shared.names.get(value)), ..head })
    }
}

/// An integer of 64 bits, with or without a sign.
#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    is_unsigned: bool,
}

fn signed(bits: i64) -> Value {
    Value { bits, is_unsigned: false }
}

/// Values are computed while reading: there is no tree, because a condition is evaluated once.
struct Evaluator<'e, 't> {
    tokens: &'e [Token<'t>],
    at: usize,
    /// The directive, for messages when there is no token to point at.
    span: Span,
    /// Open parentheses and `?:`. Unary operators are read in a loop and nest without depth.
    depth: usize,
    /// How many operators around this place have decided already, and do not need its value.
    unneeded: usize,
}

impl Evaluator<'_, '_> {
    fn take(&mut self, punct: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|token| token.is(punct));
        self.at += usize::from(found);
        found
    }

    /// Reads a part of which the value may not be needed.
    fn needed_if(&mut self, needed: bool, read: impl FnOnce(&mut Self) -> Result<Value>) -> Result<Value> {
        self.unneeded += usize::from(!needed);
        let value = read(self);
        self.unneeded -= usize::from(!needed);
        value
    }

    /// `?:` groups to the right: both of its branches may be conditional again.
    fn conditional(&mut self) -> Result<Value> {
        self.depth += 1;
        budget::reach(Bound::Directives, self.depth, self.span)?;
        let mut value = self.binary(0)?;
        if self.take("?") {
            let holds = value.bits != 0;
            let yes = self.needed_if(holds, Self::conditional)?;
            if !self.take(":") {
                return Err(error(self.span, "`?` without `:` in this condition"));
            }
            let no = self.needed_if(!holds, Self::conditional)?;
            let bits = if holds { yes.bits } else { no.bits };
            value = Value { bits, is_unsigned: yes.is_unsigned || no.is_unsigned };
        }
        self.depth -= 1;
        Ok(value)
    }

    /// Precedence climbing: reads operators that bind more strongly than `weakest`. Equal ones group to the left, since
    /// the right operand stops before them.
    fn binary(&mut self, weakest: u8) -> Result<Value> {
        let mut left = self.unary()?;
        while let Some(Kind::Punct(operator)) = self.tokens.get(self.at).map(|token| &token.kind) {
            let operator = *operator;
            let Some(binds) = binding(operator).filter(|binds| *binds > weakest) else { break };
            self.at += 1;
            let decides = operator == "&&" && left.bits == 0 || operator == "||" && left.bits != 0;
            let right = self.needed_if(!decides, |evaluator| evaluator.binary(binds))?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if self.unneeded > 0 => signed(0),
                None => return Err(error(self.span, "this condition divides by zero")),
            };
        }
        Ok(left)
    }

    /// Operators apply from the inside out, hence in reverse.
    fn unary(&mut self) -> Result<Value> {
        let mut operators = Vec::new();
        while let Some(Kind::Punct(operator @ ("!" | "-" | "+" | "~"))) =
            self.tokens.get(self.at).map(|token| &token.kind)
        {
            operators.push(*operator);
            self.at += 1;
        }
        let value = self.primary()?;
        Ok(operators.iter().rev().fold(value, |value, operator| match *operator {
            "!" => signed(i64::from(value.bits == 0)),
            "-" => Value { bits: value.bits.wrapping_neg(), ..value },
            "~" => Value { bits: !value.bits, ..value },
            _ => value,
        }))
    }

    fn primary(&mut self) -> Result<Value> {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(error(self.span, "this condition ends too early"));
        };
        self.at += 1;
        match &token.kind {
            Kind::Punct("(") => {
                let value = self.conditional()?;
                if self.take(")") {
                    Ok(value)
                } else {
                    Err(error(token.span, "this parenthesis is not closed"))
                }
            }
            // A name that is no macro is 0, and so is `false` ([cpp.cond]).
            Kind::Word(name) => Ok(signed(i64::from(name.as_str() == "true"))),
            Kind::Character(value) => Ok(signed(i64::from(*value as i8))),
            Kind::Number(text) => match parse(text.as_str()) {
                // Every integer has 64 bits here. One that is too large for a sign has none.
                Ok(Number::Integer { value, is_unsigned, .. }) => {
                    Ok(Value { bits: value as i64, is_unsigned: is_unsigned || value > i64::MAX as u64 })
                }
                Ok(Number::Float { .. }) => {
                    Err(error(token.span, "a condition has no floating-point numbers"))
                }
                Err(message) => Err(error(token.span, message)),
            },
            _ => Err(error(token.span, format_args!("unexpected {} in this condition", token.quoted()))),
        }
    }
}

/// Wraps where C++ leaves the result undefined; `None` if it divides by zero. The smallest number divided by -1 counts
/// as that, too.
fn apply(operator: &str, left: Value, right: Value) -> Option<Value> {
    let (a, b) = (left.bits, right.bits);
    // The usual arithmetic conversions; a shift has the type of its left side.
    let is_unsigned = left.is_unsigned || right.is_unsigned;
    let less = |a: i64, b: i64| if is_unsigned { (a as u64) < b as u64 } else { a < b };
    let holds = |holds: bool| Some(signed(i64::from(holds)));
    let bits = match operator {
        "||" => return holds(a != 0 || b != 0),
        "&&" => return holds(a != 0 && b != 0),
        "==" => return holds(a == b),
        "!=" => return holds(a != b),
        "<" => return holds(less(a, b)),
        ">" => return holds(less(b, a)),
        "<=" => return holds(!less(b, a)),
        ">=" => return holds(!less(a, b)),
        "<<" => return Some(Value { bits: a.wrapping_shl(b as u32), ..left }),
        ">>" if left.is_unsigned => {
            return Some(Value { bits: (a as u64).wrapping_shr(b as u32) as i64, ..left });
        }
        ">>" => return Some(signed(a.wrapping_shr(b as u32))),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if is_unsigned => (a as u64).checked_div(b as u64)? as i64,
        "%" if is_unsigned => (a as u64).checked_rem(b as u64)? as i64,
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        _ => return None,
    };
    Some(Value { bits, is_unsigned })
}
