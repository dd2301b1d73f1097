//! Constant expressions: arithmetic that is done when the text is read.
//!
//! Integers know every operator here, floating-point constants only a sign. Left out, and refused by name or
//! as a token that does not fit: casts, comparisons, `&&`, `||` and `?:`, which no compiler writes.
//! Specification: PTX ISA, sections 4.5.4 to 4.5.6.

use super::Error;
use super::lexer::{Kind, Token};
use super::literal::{self, Value};
use super::parser::{Parser, Result};

/// The lanes of a warp, the one predefined constant.
const WARP_SZ: u64 = 32;

/// How strongly `* / %` bind, the strongest of the operators with two sides.
const PRODUCT: u8 = 6;

impl Parser<'_> {
    /// Whether the next token starts a constant.
    pub fn at_constant(&self) -> bool {
        match self.token.kind {
            Kind::Number | Kind::Punct(b'-' | b'+' | b'~' | b'!' | b'(') => true,
            Kind::Word => self.token.text == "WARP_SZ",
            _ => false,
        }
    }

    /// An integer or floating-point constant.
    pub fn constant(&mut self) -> Result<Value> {
        self.binary(0)
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
                Err(Error::at(self.text, first.span, format!("expected {what}, found {}", first.quoted())))
            }
        }
    }

    /// A small number of a directive.
    pub fn number(&mut self, what: &str) -> Result<u32> {
        if self.token.kind == Kind::Number
            && let Ok(Value::Int { bits, .. }) = literal::parse(self.token.text)
            && let Ok(number) = u32::try_from(bits)
        {
            self.take()?;
            return Ok(number);
        }
        Err(self.expected(what))
    }

    /// `+4`, `-4` or `+-8` behind an address, any number of them; 0 for none.
    pub fn offset(&mut self) -> Result<i64> {
        let mut sum = 0i64;
        while self.token.is(b'+') || self.token.is(b'-') {
            let sign = self.take()?;
            let first = self.token;
            if !self.at_constant() {
                return Err(self.expected("an integer offset"));
            }
            let Value::Int { bits, .. } = self.binary(PRODUCT)? else {
                let message = format!("an offset is an integer, not {}", first.quoted());
                return Err(Error::at(self.text, first.span, message));
            };
            sum = if sign.is(b'-') { sum.wrapping_sub(bits as i64) } else { sum.wrapping_add(bits as i64) };
        }
        Ok(sum)
    }

    /// An expression whose operators bind at least as strongly as `least`.
    fn binary(&mut self, least: u8) -> Result<Value> {
        let left = self.unary()?;
        self.rest_of_binary(left, least)
    }

    /// What follows the left side of an expression.
    fn rest_of_binary(&mut self, mut left: Value, least: u8) -> Result<Value> {
        while let Some((operator, strength)) = self.operator()
            && strength >= least
        {
            let first = self.take()?;
            if matches!(operator, b'<' | b'>') {
                self.take()?;
            }
            let right = self.binary(strength + 1)?;
            left = apply(operator, left, right).map_err(|why| Error::at(self.text, first.span, why))?;
        }
        Ok(left)
    }

    /// The operator that comes next, and how strongly it binds.
    fn operator(&self) -> Option<(u8, u8)> {
        let Kind::Punct(operator) = self.token.kind else { return None };
        let strength = match operator {
            b'|' => 1,
            b'^' => 2,
            b'&' => 3,
            b'<' | b'>' if self.is_doubled(operator) => 4,
            b'+' | b'-' => 5,
            b'*' | b'/' | b'%' => PRODUCT,
            _ => return None,
        };
        Some((operator, strength))
    }

    fn unary(&mut self) -> Result<Value> {
        match self.token.kind {
            Kind::Number => self.literal(),
            Kind::Word if self.token.text == "WARP_SZ" => {
                self.take()?;
                Ok(Value::Int { bits: WARP_SZ, unsigned: false })
            }
            Kind::Punct(b'(') => {
                self.take()?;
                let value = self.nested(Self::constant)?;
                self.expect(b')', "after a constant expression")?;
                Ok(value)
            }
            Kind::Punct(b'-' | b'+' | b'~' | b'!') => {
                let sign = self.take()?;
                let value = self.nested(Self::unary)?;
                self.signed(sign, value)
            }
            _ => Err(self.expected("a constant")),
        }
    }

    /// A constant that starts with `!`, which the caller has consumed.
    pub fn negated_constant(&mut self, sign: Token<'_>) -> Result<Value> {
        let value = self.unary()?;
        let value = self.signed(sign, value)?;
        self.rest_of_binary(value, 0)
    }

    fn literal(&mut self) -> Result<Value> {
        let value = literal::parse(self.token.text)
            .map_err(|why| self.error(format!("{} is not a number: {why}", self.token.quoted())))?;
        self.take()?;
        Ok(value)
    }

    fn signed(&self, sign: Token<'_>, value: Value) -> Result<Value> {
        let Kind::Punct(operator) = sign.kind else { return Ok(value) };
        Ok(match (operator, value) {
            (b'+', value) => value,
            (b'-', Value::Int { bits, unsigned }) => Value::Int { bits: bits.wrapping_neg(), unsigned },
            (b'-', Value::F32(bits)) => Value::F32(bits ^ 1 << 31),
            (b'-', Value::F64(bits)) => Value::F64(bits ^ 1 << 63),
            (b'~', Value::Int { bits, unsigned }) => Value::Int { bits: !bits, unsigned },
            (b'!', Value::Int { bits, .. }) => Value::Int { bits: u64::from(bits == 0), unsigned: false },
            _ => {
                let message = format!("{} takes an integer", sign.quoted());
                return Err(Error::at(self.text, sign.span, message));
            }
        })
    }
}

/// One operator with two sides; a result is unsigned where a side is, but a shift keeps its left side's sign.
fn apply(operator: u8, left: Value, right: Value) -> std::result::Result<Value, &'static str> {
    let (Value::Int { bits: a, unsigned: ua }, Value::Int { bits: b, unsigned: ub }) = (left, right) else {
        return Err("arithmetic on floating-point constants is not supported; write the result");
    };
    let unsigned = ua || ub;
    let shift = || u32::try_from(b).ok().filter(|&count| count < 64).ok_or("a shift of 64 bits or more");
    let by_zero = "a division by zero";
    let bits = match operator {
        b'|' => a | b,
        b'^' => a ^ b,
        b'&' => a & b,
        b'+' => a.wrapping_add(b),
        b'-' => a.wrapping_sub(b),
        b'*' => a.wrapping_mul(b),
        b'<' => a << shift()?,
        b'>' if ua => a >> shift()?,
        b'>' => ((a as i64) >> shift()?) as u64,
        _ if b == 0 => return Err(by_zero),
        b'/' if unsigned => a / b,
        b'/' => (a as i64).wrapping_div(b as i64) as u64,
        _ if unsigned => a % b,
        _ => (a as i64).wrapping_rem(b as i64) as u64,
    };
    let unsigned = if matches!(operator, b'<' | b'>') { ua } else { unsigned };
    Ok(Value::Int { bits, unsigned })
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
    }

    #[test]
    fn division_and_right_shift_go_by_the_sign() {
        check("-7/2", -3);
        check("-7 % 4", -3);
        check("-16>>2", -4);
        check("0xFFFFFFFFFFFFFFFF>>60", 15);
        check("0xFFFFFFFFFFFFFFFFU/0x8000000000000000", 1);
        check("(-9223372036854775807-1)/-1", i64::MIN);
    }

    #[test]
    fn what_has_no_value_is_refused() {
        check_error("1/0", "a division by zero");
        check_error("1 % 0", "a division by zero");
        check_error("1<<64", "a shift of 64 bits or more");
        check_error("1.5+1", "arithmetic on floating-point constants is not supported; write the result");
        check_error("~1.5", "`~` takes an integer");
        check_error(
            "(1",
            "the text ends where `)` after a constant expression is expected; is the file complete?",
        );
        check_error("(.s64)1", "expected a constant, found `.s64`");
        check_error("08", "`08` is not a number: a digit of it is wrong");
        check_error(&"-".repeat(100), "nested more than 64 deep");
        check_error(&"(".repeat(100), "nested more than 64 deep");
    }
}
