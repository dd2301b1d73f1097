//! The conditions of `#if` and `#elif`: integer expressions of 64 bits.
//!
//! `defined` is resolved before macros are expanded, and a name that is left afterwards is 0 ([cpp.cond]). All operands
//! are evaluated, also those that `&&`, `||` and `?:` do not need. Left out: unsigned arithmetic, which differs only
//! for values of more than 63 bits. Specification: C++17, [cpp.cond].
//!
//! ```text
//! #if defined(A) && N + 1 > 2       with A defined and N as 3
//!     1 && N + 1 > 2                `defined` is resolved
//!     1 && 3 + 1 > 2                macros are expanded
//! ```

use super::{MAX_NESTING, Reader};
use crate::lex::number::{Number, parse};
use crate::lex::{Kind, Token, binding};
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
        let mut evaluator = Evaluator { tokens: &expanded, at: 0, span, depth: 0 };
        let value = evaluator.conditional()?;
        match expanded.get(evaluator.at) {
            // Tokens after the expression are a mistake, such as a forgotten operator.
            Some(extra) => {
                Err(error(extra.span, format_args!("unexpected {} in this condition", extra.quoted())))
            }
            None => Ok(value != 0),
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

/// Values are computed while reading: there is no tree, because a condition is evaluated once.
struct Evaluator<'e, 't> {
    tokens: &'e [Token<'t>],
    at: usize,
    /// The directive, for messages when there is no token to point at.
    span: Span,
    /// Open parentheses and `?:`. Unary operators are read in a loop and nest without depth.
    depth: usize,
}

impl Evaluator<'_, '_> {
    fn take(&mut self, punct: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|token| token.is(punct));
        self.at += usize::from(found);
        found
    }

    /// `?:` groups to the right: both of its branches may be conditional again.
    fn conditional(&mut self) -> Result<i64> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(error(
                self.span,
                format_args!("this condition is nested more than {MAX_NESTING} deep"),
            ));
        }
        let condition = self.binary(0)?;
        let mut value = condition;
        if self.take("?") {
            let yes = self.conditional()?;
            if !self.take(":") {
                return Err(error(self.span, "`?` without `:` in this condition"));
            }
            let no = self.conditional()?;
            value = if condition != 0 { yes } else { no };
        }
        self.depth -= 1;
        Ok(value)
    }

    /// Precedence climbing: reads operators that bind more strongly than `weakest`. Equal ones group to the left, since
    /// the right operand stops before them.
    fn binary(&mut self, weakest: u8) -> Result<i64> {
        let mut left = self.unary()?;
        while let Some(Kind::Punct(operator)) = self.tokens.get(self.at).map(|token| &token.kind) {
            let operator = *operator;
            let Some(binds) = binding(operator).filter(|binds| *binds > weakest) else { break };
            self.at += 1;
            let right = self.binary(binds)?;
            left = apply(operator, left, right)
                .ok_or_else(|| error(self.span, "this condition divides by zero"))?;
        }
        Ok(left)
    }

    /// Operators apply from the inside out, hence in reverse.
    fn unary(&mut self) -> Result<i64> {
        let mut operators = Vec::new();
        while let Some(Kind::Punct(operator @ ("!" | "-" | "+" | "~"))) =
            self.tokens.get(self.at).map(|token| &token.kind)
        {
            operators.push(*operator);
            self.at += 1;
        }
        let value = self.primary()?;
        Ok(operators.iter().rev().fold(value, |value, operator| match *operator {
            "!" => i64::from(value == 0),
            "-" => value.wrapping_neg(),
            "~" => !value,
            _ => value,
        }))
    }

    fn primary(&mut self) -> Result<i64> {
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
            Kind::Word(name) => Ok(i64::from(name.as_str() == "true")),
            Kind::Character(value) => Ok(i64::from(*value)),
            Kind::Number(text) => match parse(text.as_str()) {
                // Every integer is one of 64 bits here, whatever its suffix says.
                Ok(Number::Integer { value, .. }) => Ok(value as i64),
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
fn apply(operator: &str, a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        _ => return None,
    })
}
