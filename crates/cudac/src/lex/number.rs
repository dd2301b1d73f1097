//! The value and the type of a number.
//!
//! Specification: C++17, [lex.icon] and [lex.fcon].
//!
//! The type of an integer follows from its value as well ([lex.icon], table 7), and is chosen in `check::constant`;
//! here are only the parts of the spelling that decide. Left out: suffixes of the library (`1s`), and hexadecimal
//! floating-point numbers of more than 16 digits.

/// What a number in the text is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// `is_unsigned` and `longs` (how many `l`) are from the suffix. `is_decimal` matters because only a number in
    /// another base may become unsigned without being asked ([lex.icon]).
    Integer { value: u64, is_unsigned: bool, longs: u8, is_decimal: bool },
    /// `is_single` says that it ends in `f`. The value is then that of the nearest `float`.
    Float { value: f64, is_single: bool },
}

/// Reads a number, or says what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Number, &'static str> {
    // Most numbers are small and decimal.
    if text.len() < 10 && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let value = text.bytes().fold(0, |value, digit| 10 * value + u64::from(digit - b'0'));
        return Ok(Number::Integer { value, is_unsigned: false, longs: 0, is_decimal: true });
    }
    // Separators mean nothing, and no letter of a number differs in meaning from its capital.
    let digits: String = text.chars().filter(|c| *c != '\'').map(|c| c.to_ascii_lowercase()).collect();
    let is_hex = digits.starts_with("0x");
    let exponent = if is_hex { 'p' } else { 'e' };
    if digits.contains('.') || digits.contains(exponent) {
        return float(&digits, is_hex);
    }
    // In a hexadecimal number, letters up to `f` are digits, so only `u` and `l` can end it.
    let suffix = digits
        .find(|c: char| matches!(c, 'u' | 'l') || !is_hex && !c.is_ascii_digit() && c != 'b' && c != 'x');
    let (number, suffix) = digits.split_at(suffix.unwrap_or(digits.len()));
    let (radix, number) = match number {
        _ if is_hex => (16, &number[2..]),
        _ if number.starts_with("0b") => (2, &number[2..]),
        // The digits 8 and 9 are then refused, as in C++.
        _ if number.len() > 1 && number.starts_with('0') => (8, &number[1..]),
        _ => (10, number),
    };
    let (is_unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        // `1f` is a mistake that nvcc reports as a user-defined literal, which helps nobody.
        "f" => return Err("a number that ends in `f` needs a point, as in `1.0f`"),
        _ => return Err("this suffix of a number is unknown"),
    };
    let value =
        u64::from_str_radix(number, radix).map_err(|_| "this is no number, or too large for 64 bits")?;
    Ok(Number::Integer { value, is_unsigned, longs, is_decimal: radix == 10 })
}

/// A number with a point or an exponent. `l` (for `long double`) is accepted and means `double`, as in nvcc's device
/// code.
fn float(digits: &str, is_hex: bool) -> Result<Number, &'static str> {
    let is_single = digits.ends_with('f') && (!is_hex || digits.contains('p'));
    let number = if is_single { &digits[..digits.len() - 1] } else { digits.trim_end_matches('l') };
    let value = match (is_hex, is_single) {
        (true, _) => hexadecimal(number, is_single),
        // Rounded once: a detour through a double could round twice.
        (false, true) => number.parse::<f32>().ok().map(f64::from),
        (false, false) => number.parse().ok(),
    };
    value.map(|value| Number::Float { value, is_single }).ok_or("this is no number")
}

/// `0xH.HpD`; digits after the sixteenth are not needed by any constant that people write.
fn hexadecimal(text: &str, is_single: bool) -> Option<f64> {
    let (mantissa, exponent) = text[2..].split_once('p')?;
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + part.len() > 16 || whole.len() + part.len() == 0 {
        return None;
    }
    let bits = u64::from_str_radix(&format!("{whole}{part}"), 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let exponent = exponent.checked_sub(4 * part.len() as i32)?;
    Some(rounded(bits, exponent.clamp(-4000, 4000), is_single))
}

/// `bits` times two to the power of `exponent`, rounded once: to as many bits as the type has, and no further down than
/// its least exponent. Of two neighbours that are equally near, the even one.
fn rounded(bits: u64, exponent: i32, is_single: bool) -> f64 {
    let (digits, least) = if is_single { (24, -149) } else { (53, -1074) };
    let length = 64 - bits.leading_zeros() as i32;
    let shift = (length - digits).max(least - exponent).max(0) as u32;
    let wide = u128::from(bits);
    let (kept, rest) = if shift > 64 { (0, 0) } else { (wide >> shift, wide & ((1 << shift) - 1)) };
    let half = if shift == 0 || shift > 64 { u128::MAX } else { 1 << (shift - 1) };
    let up = rest > half || rest == half && kept % 2 == 1;
    let exponent = exponent + shift as i32;
    // In two steps, as a power of two may be too small for a number that its product is not.
    let value = (kept + u128::from(up)) as f64 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
    if is_single { f64::from(value as f32) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_values_and_types() {
        let integer = |value, is_unsigned, longs, is_decimal| {
            Ok(Number::Integer { value, is_unsigned, longs, is_decimal })
        };
        assert_eq!(parse("42"), integer(42, false, 0, true));
        assert_eq!(parse("0xffffffffu"), integer(0xffff_ffff, true, 0, false));
        assert_eq!(parse("0b101"), integer(5, false, 0, false));
        assert_eq!(parse("017ULL"), integer(15, true, 2, false));
        assert_eq!(parse("1'000"), integer(1000, false, 0, true));
        assert_eq!(parse("1.5f"), Ok(Number::Float { value: 1.5, is_single: true }));
        assert_eq!(parse("1e3"), Ok(Number::Float { value: 1000.0, is_single: false }));
        let hexadecimal = |text, wanted| {
            let Ok(Number::Float { value, .. }) = parse(text) else { panic!("{text}") };
            assert_eq!(f64::to_bits(value), f64::to_bits(wanted), "{text}: {value}");
        };
        hexadecimal("0x1.8p1", 3.0);
        hexadecimal("0x1.0000010001p0f", f64::from(1.0f32.next_up()));
        hexadecimal("0x1.000001p0f", 1.0);
        hexadecimal("0x1.000003p0f", f64::from(1.0f32.next_up().next_up()));
        hexadecimal("0x1.000001p0", 1.0 + 2f64.powi(-24));
        hexadecimal("0x1p-1074", f64::from_bits(1));
        hexadecimal("0x1p-1075", 0.0);
        hexadecimal("0x1.8p-149f", f64::from(f32::from_bits(2)));
        hexadecimal("0x1p-150f", 0.0);
        hexadecimal("0x1p128f", f64::INFINITY);
        hexadecimal("0x1.fffffffffffffp1023", f64::MAX);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["1f", "1q", "0x", "09", "99999999999999999999", "1e", "0xp", "0b2", "0x.p1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
