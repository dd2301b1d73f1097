//! Constant expressions, which are evaluated when the text is parsed.
//!
//! The operators are those of C, with the same precedence, and casts to `(.s64)` and `(.u64)`. Integers have all of
//! them. Floating-point constants have the sign, the four kinds of arithmetic, and comparisons. Not supported:
//! `mask(symbol)`. Specification: PTX ISA, sections 4.5.4 to 4.5.6.

use std::cmp::Ordering;

use super::Error;
use super::lexer::{Token, TokenKind};
use super::literal::{self, Value};
use super::parser::{Parser, Result};

/// The number of lanes in a warp, which is the only predefined constant.
const WARP_SZ: u64 = 32;

/// The binary operators and their precedence. Of two that begin alike, the longer one comes first.
const OPERATORS: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<<", 8),
    (">>", 8),
    ("<=", 7),
    (">=", 7),
    ("<", 7),
    (">", 7),
    ("+", SUM_PRECEDENCE),
    ("-", SUM_PRECEDENCE),
    ("*", PRODUCT_PRECEDENCE),
    ("/", PRODUCT_PRECEDENCE),
    ("%", PRODUCT_PRECEDENCE),
];

/// The precedence of `+`.
const SUM_PRECEDENCE: u8 = 9;

/// The precedence of `*`, the highest of the binary operators.
const PRODUCT_PRECEDENCE: u8 = 10;

impl Parser<'_> {
    /// Whether a constant begins at the next token.
    pub fn at_constant(&self) -> bool {
        match self.token.kind {
            TokenKind::Number | TokenKind::Punct(b'-' | b'+' | b'~' | b'!' | b'(') => true,
            TokenKind::Word => self.token.text == "WARP_SZ",
            _ => false,
        }
    }

    /// An integer or floating-point constant: `a ? b : c`, or anything with higher precedence.
    pub fn constant(&mut self) -> Result<Value> {
        let value = self.binary(0)?;
        self.rest_of_choice(value)
    }

    /// What follows the condition of a conditional expression, if it is one.
    fn rest_of_choice(&mut self, condition: Value) -> Result<Value> {
        let first = self.token;
        if !self.take_if(b'?')? {
            return Ok(condition);
        }
        let left = self.nested(Self::constant)?;
        self.expect(b':', "between the two values of a choice")?;
        let right = self.nested(Self::constant)?;
        match (condition, left, right) {
            (Value::Int { bits, .. }, left @ Value::Int { .. }, right @ Value::Int { .. }) => {
                Ok(if bits == 0 { right } else { left })
            }
            _ => self.refuse_at(first.span, "the operands of `?` must be integers"),
        }
    }

    /// An integer constant.
    pub fn integer(&mut self, what: &str) -> Result<u64> {
        let first = self.token;
        if !self.at_constant() {
            return Err(self.expected(what));
        }
        match self.constant()? {
            Value::Int { bits, .. } => Ok(bits),
            Value::F32(_) | Value::F64(_) => {
                self.refuse_at(first.span, format!("expected {what}, found {}", first.quoted()))
            }
        }
    }

    /// A small number in a directive.
    pub fn number(&mut self, what: &str) -> Result<u32> {
        if self.token.kind == TokenKind::Number
            && let Ok(Value::Int { bits, .. }) = literal::parse(self.token.text)
            && let Ok(number) = u32::try_from(bits)
        {
            self.take()?;
            return Ok(number);
        }
        Err(self.expected(what))
    }

    /// The sum of any number of offsets such as `+4` or `+-8` after an address; 0 if there are none. The assembler does
    /// not accept `-8` here.
    pub fn offset(&mut self) -> Result<i64> {
        let mut sum = 0i64;
        while self.token.is(b'+') {
            self.take()?;
            let first = self.token;
            if !self.at_constant() {
                return Err(self.expected("an integer offset"));
            }
            let Value::Int { bits, .. } = self.binary(PRODUCT_PRECEDENCE)? else {
                let message = format!("an offset is an integer, not {}", first.quoted());
                return self.refuse_at(first.span, message);
            };
            sum = sum.wrapping_add(bits as i64);
        }
        if self.token.is(b'-') {
            return self.refuse("an offset must be added; write `+-4` instead of `-4`");
        }
        Ok(sum)
    }

    /// An expression whose operators have at least the precedence `least`.
    fn binary(&mut self, least: u8) -> Result<Value> {
        let left = self.unary()?;
        self.rest_of_binary(left, least)
    }

    /// What follows the left operand of an expression.
    fn rest_of_binary(&mut self, mut left: Value, least: u8) -> Result<Value> {
        while let Some((operator, strength)) = self.operator()
            && strength >= least
        {
            let first = self.take()?;
            if operator.len() == 2 {
                self.take()?;
            }
            let right = self.binary(strength + 1)?;
            left = apply(operator, left, right).map_err(|why| Error::at(self.text, first.span, why))?;
        }
        Ok(left)
    }

    /// The next operator and its precedence.
    fn operator(&self) -> Option<(&'static str, u8)> {
        let TokenKind::Punct(first) = self.token.kind else { return None };
        let comes = |operator: &str| match *operator.as_bytes() {
            [only] => only == first,
            [one, two] => one == first && self.following() == Some(two),
            _ => false,
        };
        OPERATORS.into_iter().find(|(operator, _)| comes(operator))
    }

    fn unary(&mut self) -> Result<Value> {
        match self.token.kind {
            TokenKind::Number => self.literal(),
            TokenKind::Word if self.token.text == "WARP_SZ" => {
                self.take()?;
                Ok(Value::Int { bits: WARP_SZ, unsigned: false })
            }
            TokenKind::Punct(b'(') => {
                self.take()?;
                if matches!(self.token.text, ".s64" | ".u64") {
                    return self.cast();
                }
                let value = self.nested(Self::constant)?;
                self.expect(b')', "after a constant expression")?;
                Ok(value)
            }
            TokenKind::Punct(b'-' | b'+' | b'~' | b'!') => {
                let sign = self.take()?;
                let value = self.nested(Self::unary)?;
                self.signed(sign, value)
            }
            _ => Err(self.expected("a constant")),
        }
    }

    /// `(.u64)` or `(.s64)` and its operand, after the parenthesis.
    fn cast(&mut self) -> Result<Value> {
        let ty = self.take()?;
        self.expect(b')', "after the type of a cast")?;
        match self.nested(Self::unary)? {
            Value::Int { bits, .. } => Ok(Value::Int { bits, unsigned: ty.text == ".u64" }),
            Value::F32(_) | Value::F64(_) => {
                self.refuse_at(ty.span, format!("the operand of {} must be an integer", ty.quoted()))
            }
        }
    }

    /// A constant that begins with `!`, which the caller has consumed.
    pub fn negated_constant(&mut self, sign: Token<'_>) -> Result<Value> {
        let value = self.unary()?;
        let value = self.signed(sign, value)?;
        let value = self.rest_of_binary(value, 0)?;
        self.rest_of_choice(value)
    }

    fn literal(&mut self) -> Result<Value> {
        let value = literal::parse(self.token.text)
            .map_err(|why| self.error(format!("{} is not a number: {why}", self.token.quoted())))?;
        self.take()?;
        Ok(value)
    }

    fn signed(&self, sign: Token<'_>, value: Value) -> Result<Value> {
        let TokenKind::Punct(operator) = sign.kind else { return Ok(value) };
        Ok(match (operator, value) {
            (b'+', value) => value,
            (b'-', Value::Int { bits, unsigned }) => Value::Int { bits: bits.wrapping_neg(), unsigned },
            (b'-', Value::F32(bits)) => Value::F32(bits ^ 1 << 31),
            (b'-', Value::F64(bits)) => Value::F64(bits ^ 1 << 63),
            (b'~', Value::Int { bits, unsigned }) => Value::Int { bits: !bits, unsigned },
            (b'!', Value::Int { bits, .. }) => Value::Int { bits: u64::from(bits == 0), unsigned: false },
            _ => {
                let message = format!("the operand of {} must be an integer", sign.quoted());
                return self.refuse_at(sign.span, message);
            }
        })
    }
}

/// The result of one binary operator. It is unsigned if an operand is, except that a shift keeps the sign of its left
/// operand and that truth values are signed.
fn apply(operator: &str, left: Value, right: Value) -> std::result::Result<Value, &'static str> {
    match (left, right) {
        (Value::Int { bits: a, unsigned: ua }, Value::Int { bits: b, unsigned: ub }) => {
            apply_int(operator, a, ua, b, ub)
        }
        (Value::F64(a), Value::F64(b)) => apply_float(operator, f64::from_bits(a), f64::from_bits(b)),
        (Value::F32(_), _) | (_, Value::F32(_)) => {
            Err("a `0f…` constant cannot be an operand of an operator; write the result")
        }
        _ => Err("one operand is an integer and the other a floating-point constant"),
    }
}

fn truth(holds: bool) -> Value {
    Value::Int { bits: u64::from(holds), unsigned: false }
}

fn apply_int(operator: &str, a: u64, ua: bool, b: u64, ub: bool) -> std::result::Result<Value, &'static str> {
    let unsigned = ua || ub;
    let shift = || u32::try_from(b).ok().filter(|&count| count < 64).ok_or("a shift of 64 bits or more");
    let order = if unsigned { a.cmp(&b) } else { (a as i64).cmp(&(b as i64)) };
    let bits = match operator {
        "||" => return Ok(truth(a != 0 || b != 0)),
        "&&" => return Ok(truth(a != 0 && b != 0)),
        "==" => return Ok(truth(order.is_eq())),
        "!=" => return Ok(truth(order.is_ne())),
        "<" => return Ok(truth(order.is_lt())),
        "<=" => return Ok(truth(order.is_le())),
        ">" => return Ok(truth(order.is_gt())),
        ">=" => return Ok(truth(order.is_ge())),
        "<<" => return Ok(Value::Int { bits: a << shift()?, unsigned: ua }),
        ">>" if ua => return Ok(Value::Int { bits: a >> shift()?, unsigned: ua }),
        ">>" => return Ok(Value::Int { bits: ((a as i64) >> shift()?) as u64, unsigned: ua }),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        _ if b == 0 => return Err("a division by zero"),
        "/" if unsigned => a / b,
        "/" => (a as i64).wrapping_div(b as i64) as u64,
        _ if unsigned => a % b,
        _ => (a as i64).wrapping_rem(b as i64) as u64,
    };
    Ok(Value::Int { bits, unsigned })
}

fn apply_float(operator: &str, a: f64, b: f64) -> std::result::Result<Value, &'static str> {
    let order = a.partial_cmp(&b);
    let value = match operator {
        "==" => return Ok(truth(order.is_some_and(Ordering::is_eq))),
        "!=" => return Ok(truth(!order.is_some_and(Ordering::is_eq))),
        "<" => return Ok(truth(a < b)),
        "<=" => return Ok(truth(a <= b)),
        ">" => return Ok(truth(a > b)),
        ">=" => return Ok(truth(a >= b)),
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" if b == 0.0 => return Err("a division by zero"),
        "/" => a / b,
        _ => return Err("the operands of this operator must be integers"),
    };
    Ok(Value::F64(value.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: i64) {
        let value = Parser::new(text).and_then(|mut parser| parser.integer("an integer"));
        assert_eq!(value.map(|bits| bits as i64), Ok(want), "{text}");
    }

    fn check_error(text: &str, want: &str) {
        let error = Parser::new(text).and_then(|mut parser| parser.constant()).unwrap_err();
        assert_eq!(error.message, want, "{text}");
    }

    #[test]
    fn operators_bind_as_in_c() {
        check("1+2*3", 7);
        check("(1+2)*3", 9);
        check("10-4-3", 3);
        check("1|6^3&2", 5);
        check("1<<4+1", 32);
        check("-5+3", -2);
        check("- -5", 5);
        check("~0", -1);
        check("!0+1", 2);
        check("WARP_SZ-1", 31);
        check("1 + 2 * 3 > 4 && 1 ? 2 : 3", 2);
        check("1 ? 2 : 3 ? 4 : 5", 2);
        check("0 ? 2 : 0 ? 4 : 5", 5);
        check("1 < 2 < 3", 1);
        check("1 | 2 ^ 3 & 1 == 1", 3);
        check("1 == 1 == 1", 1);
        check("1 << 2 >= 4", 1);
        check("(1&&0)||(3!=3)", 0);
        check("0 || 2", 1);
        check("!1 ? 5 : 6", 6);
    }

    #[test]
    fn division_and_right_shift_depend_on_the_sign() {
        check("-7/2", -3);
        check("-7 % 4", -3);
        check("-16>>2", -4);
        check("-1 < 0", 1);
        check("-1 < 0U", 0);
        check("((.u64)-1)/2", i64::MAX);
        check("(.s64)0xFFFFFFFFFFFFFFFF / 2", 0);
        check("0xFFFFFFFFFFFFFFFF>>60", 15);
        check("0xFFFFFFFFFFFFFFFFU/0x8000000000000000", 1);
        check("(-9223372036854775807-1)/-1", i64::MIN);
    }

    #[test]
    fn floating_point_constants_are_computed_and_compared() {
        let float = |text: &str| Parser::new(text).and_then(|mut parser| parser.constant());
        assert_eq!(float("1.5 + 2.5 * 2.0"), Ok(Value::F64(6.5f64.to_bits())));
        assert_eq!(float("-(1.5)"), Ok(Value::F64((-1.5f64).to_bits())));
        check("1.5 > 0.5", 1);
        check("1.5 == 0.5 ? 7 : 8", 8);
    }

    #[test]
    fn expressions_without_a_value_are_refused() {
        check_error("1/0", "a division by zero");
        check_error("1 % 0", "a division by zero");
        check_error("1<<64", "a shift of 64 bits or more");
        check_error("1.5+1", "one operand is an integer and the other a floating-point constant");
        check_error("1.5/0.0", "a division by zero");
        check_error(
            "0f3F800000+1.0",
            "a `0f…` constant cannot be an operand of an operator; write the result",
        );
        check_error("1 ? 1.5 : 2.5", "the operands of `?` must be integers");
        check_error("(.u64)1.5", "the operand of `.u64` must be an integer");
        check_error("~1.5", "the operand of `~` must be an integer");
        check_error(
            "(1",
            "expected `)` after a constant expression, but the text ends; is the file complete?",
        );
        check_error("(.f64)1", "expected a constant, found `.f64`");
        check_error("08", "`08` is not a number: one of its digits is wrong");
        check_error(&"-".repeat(100), "nested more than 64 deep");
        check_error(&"(".repeat(100), "nested more than 64 deep");
    }
}
