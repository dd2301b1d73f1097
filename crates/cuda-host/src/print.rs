//! `printf` and `std::cout`.
//!
//! Specification: ISO C17, 7.21.6.1. Left out: `%n`, and wide characters.

use cudac::host::Scalar;

use crate::machine::{Machine, Result, Stop};

/// A text is at most this long.
const MAX_TEXT_BYTES: usize = 16 << 20;

/// What is between `%` and the letter.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the format")]
struct Format {
    left: bool,
    plus: bool,
    blank: bool,
    zero: bool,
    sharp: bool,
    width: usize,
    precision: Option<usize>,
}

impl Machine<'_> {
    /// Prints to a stream: 2 is the standard error, those from 3 on are texts and files, and all others are the standard output.
    pub(crate) fn put(&mut self, stream: u64, bytes: &[u8]) -> Result<()> {
        if stream > 2 && self.files.open.contains_key(&stream) {
            return self.write(stream, bytes).map(|_| ());
        }
        if let Some(native) = self.native.as_ref().filter(|_| stream == 1) {
            return Ok(native.process.print(bytes)?);
        }
        let made = self.output.len() + self.errors.len() + self.streams_bytes;
        if made + bytes.len() > self.limits.output_bytes {
            return self.too_much_output();
        }
        match (stream, self.streams.get_mut(&stream)) {
            (2, _) => self.errors.extend_from_slice(bytes),
            (_, Some(text)) => {
                text.extend_from_slice(bytes);
                self.streams_bytes += bytes.len();
            }
            _ => self.output.extend_from_slice(bytes),
        }
        Ok(())
    }

    pub(crate) fn too_much_output<T>(&self) -> Result<T> {
        let message = format!("the program prints more than {} bytes", self.limits.output_bytes);
        self.bounded(message, "print less; is there a loop that prints for ever?")
    }

    /// A text in the memory of the host, up to its zero.
    pub(crate) fn text(&mut self, address: u64) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            let byte = self.load(Scalar::U8, address.wrapping_add(text.len() as u64))? as u8;
            if byte == 0 {
                return Ok(text);
            }
            if text.len() >= MAX_TEXT_BYTES {
                let message = format!("a text has more than {MAX_TEXT_BYTES} bytes before its zero");
                return self.bounded(message, "end it with a zero, or write it in parts with `fwrite`");
            }
            text.push(byte);
        }
    }

    /// `printf`, whose stream is 1, and `fprintf`, whose stream is a `FILE*`; how many bytes it printed, or -1.
    pub(crate) fn print(&mut self, stream: u64, text: usize, values: &[(Scalar, u64)]) -> Result<u64> {
        let number = if stream == 1 { 1 } else { self.file(stream)? };
        let made = self.made(text, values)?;
        Ok(if self.write(number, &made)? { made.len() as u64 } else { u64::MAX })
    }

    /// The text that `printf` prints.
    pub(crate) fn made(&mut self, text: usize, values: &[(Scalar, u64)]) -> Result<Vec<u8>> {
        let program = self.program;
        let format = &program.texts[text];
        let mut values = values.iter().copied();
        let mut made = Vec::new();
        let mut at = 0;
        while let Some(&byte) = format.get(at) {
            at += 1;
            if byte != b'%' {
                made.push(byte);
                continue;
            }
            let (spec, letter) = spec(format, &mut at, &mut values);
            let shown = match letter {
                b'%' => "%".to_owned(),
                // Bytes, which need be no UTF-8.
                b's' | b'c' => {
                    let value = values.next().map_or(0, |(_, bits)| bits);
                    let mut text = if letter == b'c' { vec![value as u8] } else { self.text(value)? };
                    text.truncate(spec.precision.filter(|_| letter == b's').unwrap_or(usize::MAX));
                    let blanks = vec![b' '; spec.width.saturating_sub(text.len())];
                    made.extend(if spec.left { [text, blanks] } else { [blanks, text] }.concat());
                    continue;
                }
                b'p' => format!("{:#x}", values.next().map_or(0, |(_, bits)| bits)),
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => integer(spec, letter, values.next()),
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => real(spec, letter, values.next()),
                other => {
                    return Err(Stop::error(format!(
                        "`%{}` is not supported in a format",
                        char::from(other)
                    )));
                }
            };
            made.extend(padded(spec, &shown, letter).into_bytes());
        }
        Ok(made)
    }
}

/// Reads what follows a `%`, and the letter.
fn spec(format: &[u8], at: &mut usize, values: &mut impl Iterator<Item = (Scalar, u64)>) -> (Format, u8) {
    let mut spec = Format::default();
    let peek = |at: usize| format.get(at).copied().unwrap_or(b'%');
    loop {
        match peek(*at) {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.blank = true,
            b'0' => spec.zero = true,
            b'#' => spec.sharp = true,
            _ => break,
        }
        *at += 1;
    }
    let mut number = |at: &mut usize| {
        if peek(*at) == b'*' {
            *at += 1;
            return values.next().map_or(0, |(_, bits)| (bits as usize).min(4096));
        }
        let mut value = 0usize;
        while peek(*at).is_ascii_digit() {
            value = (value * 10 + usize::from(peek(*at) - b'0')).min(4096);
            *at += 1;
        }
        value
    };
    spec.width = number(at);
    if peek(*at) == b'.' {
        *at += 1;
        spec.precision = Some(number(at));
    }
    while matches!(peek(*at), b'l' | b'h' | b'z' | b'j' | b't' | b'L') {
        *at += 1;
    }
    let letter = peek(*at);
    *at += 1;
    (spec, letter)
}

fn integer(spec: Format, letter: u8, value: Option<(Scalar, u64)>) -> String {
    let (ty, bits) = value.unwrap_or((Scalar::I32, 0));
    let is_short = ty.bytes() < 8;
    let unsigned = if is_short { bits & 0xffff_ffff } else { bits };
    let signed = if is_short { i64::from(bits as i32) } else { bits as i64 };
    let mut text = match letter {
        b'x' => format!("{unsigned:x}"),
        b'X' => format!("{unsigned:X}"),
        b'o' => format!("{unsigned:o}"),
        b'u' => unsigned.to_string(),
        _ => signed.unsigned_abs().to_string(),
    };
    if let Some(digits) = spec.precision {
        text = format!("{text:0>digits$}");
    }
    let is_signed = matches!(letter, b'd' | b'i');
    match letter {
        b'x' if spec.sharp && unsigned != 0 => text.insert_str(0, "0x"),
        b'X' if spec.sharp && unsigned != 0 => text.insert_str(0, "0X"),
        b'o' if spec.sharp && !text.starts_with('0') => text.insert(0, '0'),
        _ => {}
    }
    format!("{}{text}", sign(spec, is_signed && signed < 0, is_signed))
}

fn sign(spec: Format, is_negative: bool, is_signed: bool) -> &'static str {
    match () {
        () if is_negative => "-",
        () if spec.plus && is_signed => "+",
        () if spec.blank && is_signed => " ",
        () => "",
    }
}

fn real(spec: Format, letter: u8, value: Option<(Scalar, u64)>) -> String {
    let value = f64::from_bits(value.map_or(0, |(_, bits)| bits));
    let digits = spec.precision.unwrap_or(6);
    let size = value.abs();
    let text = match letter {
        _ if size.is_nan() => "nan".to_owned(),
        _ if size.is_infinite() => "inf".to_owned(),
        b'f' | b'F' => format!("{size:.digits$}"),
        b'e' | b'E' => scientific(size, digits),
        b'a' | b'A' => hexadecimal(size, spec),
        _ => general(size, digits, spec.sharp),
    };
    let text = if letter.is_ascii_uppercase() { text.to_uppercase() } else { text };
    format!("{}{text}", sign(spec, value.is_sign_negative() && !value.is_nan(), true))
}

/// `%e`
fn scientific(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let Some((number, exponent)) = text.split_once('e') else { return text };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    format!("{number}e{sign}{exponent:0>2}")
}

/// `%a`, as glibc writes it: one digit before the point, which is 1 for every number except zero and those below the smallest
/// normal one; without a precision, as many digits as the number has.
fn hexadecimal(value: f64, spec: Format) -> String {
    const FRACTION: u64 = (1 << 52) - 1;
    let (field, fraction) = (value.to_bits() >> 52, value.to_bits() & FRACTION);
    let exponent = match field {
        0 if fraction == 0 => 0,
        0 => -1022,
        _ => field as i32 - 1023,
    };
    let mut bits = u64::from(field > 0) << 52 | fraction;
    // To the nearest number with so many digits; if there are two, to the even one.
    if let Some(digits @ 0..13) = spec.precision {
        let dropped = 52 - 4 * digits;
        let (rest, half) = (bits & ((1 << dropped) - 1), 1 << (dropped - 1));
        let is_odd = bits >> dropped & 1 != 0;
        bits = ((bits >> dropped) + u64::from(rest > half || rest == half && is_odd)) << dropped;
    }
    let all = format!("{:013x}", bits & FRACTION);
    let digits = match spec.precision {
        Some(digits) => format!("{:0<digits$}", &all[..digits.min(13)]),
        None => all.trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() && !spec.sharp { "" } else { "." };
    format!("0x{}{point}{digits}p{exponent:+}", bits >> 52)
}

/// `%g`
fn general(value: f64, digits: usize, keeps_zeros: bool) -> String {
    let digits = digits.max(1);
    let rounded = scientific(value, digits - 1);
    let exponent =
        rounded.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()).unwrap_or(0);
    let is_small = exponent < -4 || exponent >= digits as i32;
    let text =
        if is_small { rounded } else { format!("{value:.*}", (digits as i32 - 1 - exponent) as usize) };
    if keeps_zeros || !text.contains('.') {
        return text;
    }
    let (number, rest) = text.split_at(text.find('e').unwrap_or(text.len()));
    format!("{}{rest}", number.trim_end_matches('0').trim_end_matches('.'))
}

/// Fills a number or a text up to its width. Zeros are put behind the sign and the `0x`; `inf` and `nan` get none, nor do
/// integers with a precision.
fn padded(spec: Format, text: &str, letter: u8) -> String {
    let width = spec.width;
    if spec.left {
        return format!("{text:<width$}");
    }
    let (sign, rest) = text.split_at(usize::from(text.starts_with(['-', '+', ' '])));
    let is_integer = matches!(letter, b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p');
    let is_finite = !matches!(rest, "inf" | "nan" | "INF" | "NAN");
    if !spec.zero || letter == b'%' || !is_finite || is_integer && spec.precision.is_some() {
        return format!("{text:>width$}");
    }
    let is_prefixed = rest.starts_with("0x") || rest.starts_with("0X");
    let (prefix, digits) = rest.split_at(if is_prefixed { 2 } else { 0 });
    let width = width.saturating_sub(sign.len() + prefix.len());
    format!("{sign}{prefix}{digits:0>width$}")
}

/// A number as `std::cout` prints it; the letter is that of `printf`.
pub(crate) fn float(value: f64, digits: i32, letter: u8) -> String {
    let spec = Format { precision: Some(digits.clamp(0, 4096) as usize), ..Format::default() };
    real(spec, letter, Some((Scalar::F64, value.to_bits())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, value: (Scalar, u64)) -> String {
        let mut at = 1;
        let (spec, letter) = spec(format.as_bytes(), &mut at, &mut std::iter::empty());
        let text = match letter {
            b'd' | b'u' | b'x' | b'X' | b'o' => integer(spec, letter, Some(value)),
            _ => real(spec, letter, Some(value)),
        };
        padded(spec, &text, letter)
    }

    #[test]
    fn numbers_are_printed_as_c_prints_them() {
        let int = |value: i32| (Scalar::I32, value as u64);
        let double = |value: f64| (Scalar::F64, value.to_bits());
        for (format, value, expected) in [
            ("%d", int(-5), "-5"),
            ("%05d", int(-42), "-0042"),
            ("%-4d|", int(7), "7   "),
            ("%+d", int(7), "+7"),
            ("%u", int(-1), "4294967295"),
            ("%#x", int(255), "0xff"),
            ("%.3d", int(7), "007"),
            ("%.2f", double(2.675), "2.67"),
            ("%8.3f", double(-1.5), "  -1.500"),
            ("%e", double(12345.678), "1.234568e+04"),
            ("%g", double(0.0001), "0.0001"),
            ("%g", double(1e-5), "1e-05"),
            ("%g", double(1_000_000.0), "1e+06"),
            ("%g", double(100_000.0), "100000"),
            ("%g", double(0.5), "0.5"),
            ("%.10g", double(0.1), "0.1"),
            ("%f", double(f64::NAN), "nan"),
            ("%05f", double(f64::NEG_INFINITY), " -inf"),
            ("%#06x", int(255), "0x00ff"),
            ("%#X", int(255), "0XFF"),
            ("%#o", int(8), "010"),
            ("%05.3d", int(7), "  007"),
        ] {
            assert_eq!(shown(format, value), expected, "{format}");
        }
        assert_eq!(float(16.0, 6, b'g'), "16");
        assert_eq!(float(0.125, 2, b'f'), "0.12");
    }

    /// What glibc prints.
    #[test]
    fn hexadecimal_numbers_show_every_bit() {
        for (format, value, expected) in [
            ("%a", 0.1, "0x1.999999999999ap-4"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", 0.0, "0x0p+0"),
            ("%a", -0.0, "-0x0p+0"),
            ("%A", -3.5, "-0X1.CP+1"),
            ("%a", f64::from_bits(1), "0x0.0000000000001p-1022"),
            ("%a", f64::MAX, "0x1.fffffffffffffp+1023"),
            ("%a", f64::from(0.1f32), "0x1.99999ap-4"),
            ("%.2a", 0.1, "0x1.9ap-4"),
            ("%.0a", 1.5, "0x2p+0"),
            ("%.0a", 2.75, "0x1p+1"),
            ("%.1a", 1.999, "0x2.0p+0"),
            ("%.15a", 1.5, "0x1.800000000000000p+0"),
            ("%.13a", 1.5, "0x1.8000000000000p+0"),
            ("%#a", 1.0, "0x1.p+0"),
            ("%+a", 1.0, "+0x1p+0"),
            ("% a", 1.0, " 0x1p+0"),
            ("%12a", 1.5, "    0x1.8p+0"),
            ("%-12a", 1.5, "0x1.8p+0    "),
            ("%012a", -1.5, "-0x0001.8p+0"),
            ("%6a", f64::INFINITY, "   inf"),
            ("%06A", f64::NEG_INFINITY, "  -INF"),
            ("%a", f64::NAN, "nan"),
        ] {
            assert_eq!(shown(format, (Scalar::F64, value.to_bits())), expected, "{format} of {value}");
        }
    }
}
