//! The values of numbers in the text.
//!
//! A value records whether it is signed, because division, comparison and shifts in constant expressions depend on
//! that. Specification: PTX ISA, sections 4.5.1 (integer constants) and 4.5.2 (floating-point constants).

/// A constant of PTX.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// A 64-bit integer. It is unsigned if it is too large for `.s64` or has a `U`, and signed otherwise.
    Int { bits: u64, unsigned: bool },
    /// The bits of an `f32`, which only `0f…` can write.
    F32(u32),
    /// The bits of an `f64`.
    F64(u64),
}

/// The value of a number token, or why it has none.
pub(super) fn parse(text: &str) -> Result<Value, &'static str> {
    match text.as_bytes() {
        [b'0', b'f' | b'F', digits @ ..] => hex_float(digits, 8).map(|bits| Value::F32(bits as u32)),
        [b'0', b'd' | b'D', digits @ ..] => hex_float(digits, 16).map(Value::F64),
        [b'0', b'x' | b'X', digits @ ..] => integer(digits, 16),
        [b'0', b'b' | b'B', digits @ ..] => integer(digits, 2),
        digits if digits.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => decimal_float(text),
        [b'0', digits @ ..] if !matches!(digits, [] | [b'U']) => integer(digits, 8),
        digits => integer(digits, 10),
    }
}

fn integer(digits: &[u8], radix: u32) -> Result<Value, &'static str> {
    let (digits, suffix) = match digits {
        [digits @ .., b'U'] => (digits, true),
        digits => (digits, false),
    };
    let bits = number(digits, radix)?;
    Ok(Value::Int { bits, unsigned: suffix || bits > i64::MAX as u64 })
}

fn hex_float(digits: &[u8], length: usize) -> Result<u64, &'static str> {
    if digits.len() != length {
        return Err("`0f` must be followed by 8 hexadecimal digits, `0d` by 16");
    }
    number(digits, 16)
}

fn number(digits: &[u8], radix: u32) -> Result<u64, &'static str> {
    if digits.is_empty() {
        return Err("it has no digits");
    }
    digits.iter().try_fold(0_u64, |number, &digit| {
        let digit = char::from(digit).to_digit(radix).ok_or("one of its digits is wrong")?;
        let shifted =
            number.checked_mul(u64::from(radix)).and_then(|number| number.checked_add(u64::from(digit)));
        shifted.ok_or("it does not fit into 64 bits")
    })
}

fn decimal_float(text: &str) -> Result<Value, &'static str> {
    let value: f64 = text.parse().map_err(|_| "one of its digits is wrong")?;
    if value.is_infinite() {
        return Err("it is too large for 64 bits; infinity is `0d7FF0000000000000`");
    }
    Ok(Value::F64(value.to_bits()))
}

/// The `f64` that equals an `f32`. A NaN keeps its payload, which a conversion by the processor might change.
pub(super) fn widen(bits: u32) -> f64 {
    let value = f32::from_bits(bits);
    if !value.is_nan() {
        return f64::from(value);
    }
    let sign = u64::from(bits >> 31) << 63;
    let payload = u64::from(bits & 0x007F_FFFF) << 29;
    f64::from_bits(sign | 0x7FF0_0000_0000_0000 | payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: Value) {
        assert_eq!(parse(text), Ok(want), "{text}");
    }

    fn signed(value: u64) -> Value {
        Value::Int { bits: value, unsigned: false }
    }

    fn unsigned(value: u64) -> Value {
        Value::Int { bits: value, unsigned: true }
    }

    #[test]
    fn integers() {
        check("0", signed(0));
        check("42", signed(42));
        check("0x2A", signed(42));
        check("0X2aU", unsigned(42));
        check("052", signed(42));
        check("0b101010", signed(42));
        check("0U", unsigned(0));
        check("9223372036854775807", signed(i64::MAX as u64));
        check("9223372036854775808", unsigned(1 << 63));
        check("0xFFFFFFFFFFFFFFFF", unsigned(u64::MAX));
    }

    #[test]
    fn floats() {
        check("0f3F800000", Value::F32(0x3F80_0000));
        check("0F7f800001", Value::F32(0x7F80_0001));
        check("0d3FF0000000000000", Value::F64(1f64.to_bits()));
        check("1.5e3", Value::F64(1500f64.to_bits()));
        check("1.", Value::F64(1f64.to_bits()));
        check(".5", Value::F64(0.5f64.to_bits()));
        check("0e0", Value::F64(0));
    }

    #[test]
    fn what_is_not_a_number() {
        for text in [
            "0x",
            "0b2",
            "08",
            "12abc",
            "0f3F8",
            "0f3F80000U",
            "0dXFF0000000000000",
            "1.5.2",
            "1e999",
            "0x1G",
            "1U2",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("18446744073709551616"), Err("it does not fit into 64 bits"));
    }

    #[test]
    fn widening_is_exact() {
        assert_eq!(widen(0x3F80_0000).to_bits(), 1f64.to_bits());
        assert_eq!(widen(0x0000_0001).to_bits(), 0x36A0_0000_0000_0000);
        assert_eq!(widen(0xFF80_0001).to_bits(), 0xFFF0_0000_2000_0000);
    }
}
