//! `%f`, `%e`, `%g` and `%a`: a double as text, every digit exact.
//!
//! The standard library rounds a decimal expansion correctly at any precision, ties to even. The layouts are C's.
//! Specification: C17, section 7.21.6.1.

use super::Directive;

/// Renders a double by the directive's conversion.
pub fn float(directive: &Directive<'_>, value: f64) -> Vec<u8> {
    let upper = directive.conversion.is_ascii_uppercase();
    let sign = directive.sign(value.is_sign_negative());
    let magnitude = value.abs();
    let (prefix, digits) = match directive.conversion.to_ascii_lowercase() {
        _ if value.is_nan() => (sign, "nan".to_string()),
        _ if value.is_infinite() => (sign, "inf".to_string()),
        b'f' => (sign, fixed(directive, magnitude)),
        b'e' => (sign, scientific(directive, magnitude, directive.precision.unwrap_or(6))),
        b'g' => (sign, general(directive, magnitude)),
        _ => return hexadecimal(directive, sign, magnitude, upper),
    };
    let digits = if upper { digits.to_ascii_uppercase() } else { digits };
    directive.number(prefix, &digits, value.is_finite())
}

fn fixed(directive: &Directive<'_>, magnitude: f64) -> String {
    let precision = directive.precision.unwrap_or(6);
    with_point(directive, precision, format!("{magnitude:.precision$}"))
}

/// Adds a point after the last digit if the flag `#` requires one and there is none.
fn with_point(directive: &Directive<'_>, precision: usize, mut digits: String) -> String {
    if directive.has(b'#') && precision == 0 {
        digits.push('.');
    }
    digits
}

fn scientific(directive: &Directive<'_>, magnitude: f64, precision: usize) -> String {
    let (digits, exponent) = mantissa_and_exponent(magnitude, precision);
    format!("{}{}", with_point(directive, precision, digits), exponent_text(exponent))
}

fn mantissa_and_exponent(magnitude: f64, precision: usize) -> (String, i32) {
    let text = format!("{magnitude:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_string(), exponent.parse().unwrap_or(0))
}

/// The exponent has a sign and at least two digits.
fn exponent_text(exponent: i32) -> String {
    format!("e{exponent:+03}")
}

/// The shorter of `%e` and `%f`, without zeros at the end unless the flag `#` keeps them.
fn general(directive: &Directive<'_>, magnitude: f64) -> String {
    let significant = directive.precision.unwrap_or(6).max(1);
    // The exponent after rounding decides: 9.9999999 with 6 digits is 10.0000.
    let (digits, exponent) = mantissa_and_exponent(magnitude, significant - 1);
    let is_fixed = exponent >= -4 && i64::from(exponent) < significant as i64;
    let (digits, exponent) = if is_fixed {
        let precision = (significant as i64 - 1 - i64::from(exponent)) as usize;
        (with_point(directive, precision, format!("{magnitude:.precision$}")), String::new())
    } else {
        (with_point(directive, significant - 1, digits), exponent_text(exponent))
    };
    let keeps_zeros = directive.has(b'#') || !digits.contains('.');
    let digits = if keeps_zeros { &digits } else { digits.trim_end_matches('0').trim_end_matches('.') };
    format!("{digits}{exponent}")
}

/// `0x1.8p+1`: one digit before the point, which is 1 for every number except zero and the subnormal ones.
fn hexadecimal(directive: &Directive<'_>, sign: &str, magnitude: f64, upper: bool) -> Vec<u8> {
    let bits = magnitude.to_bits();
    let (field, mut fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let (mut leading, exponent) = match field {
        0 if fraction == 0 => (0, 0),
        0 => (0, -1022),
        _ => (1, field as i32 - 1023),
    };
    let precision = match directive.precision {
        Some(precision) if precision < 13 => {
            (leading, fraction) = rounded(leading << 52 | fraction, precision as u32);
            precision
        }
        Some(precision) => precision,
        // Without a precision: as many digits as the number has.
        None if fraction == 0 => 0,
        None => 13 - fraction.trailing_zeros() as usize / 4,
    };
    let digits = format!("{:0<precision$}", &format!("{fraction:013x}")[..precision.min(13)]);
    let point = if precision > 0 || directive.has(b'#') { "." } else { "" };
    let text = format!("{leading}{point}{digits}p{exponent:+}");
    let (prefix, text) = if upper { ("0X", text.to_ascii_uppercase()) } else { ("0x", text) };
    directive.number(&format!("{sign}{prefix}"), &text, true)
}

/// The leading digit and the fraction, rounded to `digits` hexadecimal digits, ties to even.
fn rounded(bits: u64, digits: u32) -> (u64, u64) {
    let dropped = 52 - 4 * digits;
    let (kept, rest, half) = (bits >> dropped, bits & ((1 << dropped) - 1), 1_u64 << (dropped - 1));
    let up = rest > half || (rest == half && kept & 1 != 0);
    let bits = (kept + u64::from(up)) << dropped;
    (bits >> 52, bits & ((1 << 52) - 1))
}
