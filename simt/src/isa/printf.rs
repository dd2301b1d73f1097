//! The device's `printf`: a format string and an argument buffer become text.
//!
//! A kernel calls `vprintf(format, buffer)`. The buffer holds the arguments as C promotes them, each aligned to its
//! size: 4 bytes for `int` and `unsigned`, 8 for `long long`, `double` and pointers. [`format()`] renders the
//! conversions `d i u o x X c s p f F e E g G a A %` with C's flags, width, precision and length modifiers. Text that
//! is not a conversion is printed unchanged. Left out: `%n`, wide characters and `long double`. Nothing here panics,
//! and no format produces more than [`MAX_OUTPUT`] bytes.
//!
//! Specification: CUDA C++ Programming Guide, section "Formatted Output"; C17, section 7.21.6.1.

mod number;
#[cfg(test)]
mod tests;

/// The longest text that one call produces; the rest is cut off.
pub const MAX_OUTPUT: usize = 4096;

/// Where the arguments and strings come from: memory that only the caller knows how to read.
pub trait Memory {
    /// `bytes` (4 or 8) bytes of the argument buffer at `offset`, little-endian; `None` if they cannot be read.
    fn argument(&mut self, offset: u64, bytes: u32) -> Option<u64>;
    /// The string at `address`, without its final zero byte, at most `limit` bytes; `None` if it cannot be read.
    fn string(&mut self, address: u64, limit: usize) -> Option<Vec<u8>>;
}

/// What a call printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The text, as bytes, because a string may contain anything.
    pub text: Vec<u8>,
    /// How many arguments were taken: what `vprintf` returns.
    pub arguments: u32,
}

/// Why a call printed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The argument buffer cannot be read at this offset.
    Argument(u64),
    /// The string at this address cannot be read.
    Text(u64),
}

/// Renders `format` with the arguments in `memory`.
pub fn format(format: &[u8], memory: &mut dyn Memory) -> Result<Printed, Failure> {
    let mut arguments = Arguments { memory, offset: 0, taken: 0 };
    let mut text = Vec::new();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%'
            && let Some((directive, after)) = Directive::parse(after, &mut arguments)?
        {
            text.extend(directive.render(&mut arguments)?);
            rest = after;
        } else {
            text.push(byte);
            rest = after;
        }
        if text.len() >= MAX_OUTPUT {
            text.truncate(MAX_OUTPUT);
            break;
        }
    }
    Ok(Printed { text, arguments: arguments.taken })
}

/// The arguments, one after the other.
struct Arguments<'m> {
    memory: &'m mut dyn Memory,
    offset: u64,
    taken: u32,
}

impl Arguments<'_> {
    /// The next argument of `bytes`, aligned to them.
    fn next(&mut self, bytes: u32) -> Result<u64, Failure> {
        let offset = self.offset.next_multiple_of(u64::from(bytes));
        let value = self.memory.argument(offset, bytes).ok_or(Failure::Argument(offset))?;
        self.offset = offset + u64::from(bytes);
        self.taken += 1;
        Ok(value)
    }

    fn int(&mut self) -> Result<i32, Failure> {
        Ok(self.next(4)? as i32)
    }
}

/// C's flags.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag, any of which may be there")]
struct Flags {
    /// `-`: to the left.
    left: bool,
    /// `+`: always a sign.
    plus: bool,
    /// A space where there is no sign.
    space: bool,
    /// `#`: the alternative form: `0x`, always a point, trailing zeros kept.
    alternative: bool,
    /// `0`: filled with zeros.
    zero: bool,
}

/// How many bits of an integer count, and how many bytes its argument takes.
#[derive(Clone, Copy, Debug)]
struct Length {
    bits: u32,
    bytes: u32,
}

/// `%`, flags, width, precision, length and conversion.
#[derive(Clone, Copy, Debug)]
struct Directive {
    flags: Flags,
    width: usize,
    precision: Option<usize>,
    length: Length,
    conversion: u8,
}

impl Directive {
    /// Reads what follows `%`; `None` if it is not a conversion.
    fn parse<'f>(
        mut text: &'f [u8],
        arguments: &mut Arguments<'_>,
    ) -> Result<Option<(Directive, &'f [u8])>, Failure> {
        // The text is read twice, so that `*` takes no argument if the text turns out not to be a conversion.
        if !is_conversion(text) {
            return Ok(None);
        }
        let mut flags = parse_flags(&mut text);
        let width = parse_number(&mut text, arguments)?.unwrap_or(0);
        flags.left |= width < 0;
        let precision = match text.split_first() {
            Some((b'.', rest)) => {
                text = rest;
                parse_number(&mut text, arguments)?.or(Some(0))
            }
            _ => None,
        };
        let length = parse_length(&mut text);
        let Some((&conversion, rest)) = text.split_first() else { return Ok(None) };
        let bounded = |n: u32| (n as usize).min(MAX_OUTPUT);
        let directive = Directive {
            flags,
            width: bounded(width.unsigned_abs()),
            // A negative precision counts as none.
            precision: precision.and_then(|p| u32::try_from(p).ok()).map(bounded),
            length,
            conversion,
        };
        Ok(Some((directive, rest)))
    }

    fn render(&self, arguments: &mut Arguments<'_>) -> Result<Vec<u8>, Failure> {
        Ok(match self.conversion {
            b'%' => b"%".to_vec(),
            b'c' => self.padded(vec![arguments.next(4)? as u8]),
            b's' => {
                let address = arguments.next(8)?;
                let limit = self.precision.unwrap_or(MAX_OUTPUT);
                self.padded(arguments.memory.string(address, limit).ok_or(Failure::Text(address))?)
            }
            b'p' => self.pointer(arguments.next(8)?),
            b'd' | b'i' => self.signed(arguments.next(self.length.bytes)?),
            b'u' | b'o' | b'x' | b'X' => self.unsigned(arguments.next(self.length.bytes)?),
            _ => number::float(self, f64::from_bits(arguments.next(8)?)),
        })
    }

    fn signed(&self, bits: u64) -> Vec<u8> {
        let unused = 64 - self.length.bits;
        let value = (bits << unused) as i64 >> unused;
        let digits = self.at_least_precision(value.unsigned_abs().to_string(), value == 0);
        self.number(self.sign(value < 0), &digits, self.precision.is_none())
    }

    fn unsigned(&self, bits: u64) -> Vec<u8> {
        let value = bits & u64::MAX >> (64 - self.length.bits);
        let digits = match self.conversion {
            b'o' => format!("{value:o}"),
            b'x' => format!("{value:x}"),
            b'X' => format!("{value:X}"),
            _ => value.to_string(),
        };
        let mut digits = self.at_least_precision(digits, value == 0);
        let prefix = match self.conversion {
            _ if !self.flags.alternative => "",
            b'x' if value != 0 => "0x",
            b'X' if value != 0 => "0X",
            // The alternative form of octal numbers begins with a zero.
            b'o' if !digits.starts_with('0') => {
                digits.insert(0, '0');
                ""
            }
            _ => "",
        };
        self.number(prefix, &digits, self.precision.is_none())
    }

    /// As on a device: `0x` and the digits; a null pointer is `(nil)`.
    fn pointer(&self, address: u64) -> Vec<u8> {
        match address {
            0 => self.padded(b"(nil)".to_vec()),
            _ => self.number("0x", &format!("{address:x}"), true),
        }
    }

    fn at_least_precision(&self, digits: String, is_zero: bool) -> String {
        match self.precision {
            Some(0) if is_zero => String::new(),
            Some(precision) => format!("{digits:0>precision$}"),
            None => digits,
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match negative {
            true => "-",
            false if self.flags.plus => "+",
            false if self.flags.space => " ",
            false => "",
        }
    }

    /// Prefix and digits, filled to the width, with zeros between the two if `zeros` and the flag allow it.
    fn number(&self, prefix: &str, digits: &str, zeros: bool) -> Vec<u8> {
        let missing = self.width.saturating_sub(prefix.len() + digits.len());
        let fill = if zeros && self.flags.zero && !self.flags.left { missing } else { 0 };
        self.padded([prefix.as_bytes(), &vec![b'0'; fill], digits.as_bytes()].concat())
    }

    /// Filled to the width with spaces.
    fn padded(&self, mut text: Vec<u8>) -> Vec<u8> {
        let missing = self.width.saturating_sub(text.len());
        let at = if self.flags.left { text.len() } else { 0 };
        text.splice(at..at, std::iter::repeat_n(b' ', missing));
        text
    }
}

/// Whether the text after `%` is a conversion, to its last letter.
fn is_conversion(text: &[u8]) -> bool {
    let mut rest = text;
    parse_flags(&mut rest);
    skip_number(&mut rest);
    if let Some((b'.', after)) = rest.split_first() {
        rest = after;
        skip_number(&mut rest);
    }
    parse_length(&mut rest);
    rest.first().is_some_and(|letter| b"diuoxXcspfFeEgGaA%".contains(letter))
}

fn parse_flags(text: &mut &[u8]) -> Flags {
    let mut flags = Flags::default();
    while let Some((&byte, rest)) = text.split_first() {
        match byte {
            b'-' => flags.left = true,
            b'+' => flags.plus = true,
            b' ' => flags.space = true,
            b'#' => flags.alternative = true,
            b'0' => flags.zero = true,
            _ => break,
        }
        *text = rest;
    }
    flags
}

fn skip_number(text: &mut &[u8]) {
    if let Some((b'*', rest)) = text.split_first() {
        *text = rest;
        return;
    }
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    *text = &text[digits..];
}

/// A width or precision: digits, or `*` for an argument.
fn parse_number(text: &mut &[u8], arguments: &mut Arguments<'_>) -> Result<Option<i32>, Failure> {
    let before = *text;
    skip_number(text);
    let number = &before[..before.len() - text.len()];
    match number {
        [] => Ok(None),
        [b'*'] => Ok(Some(arguments.int()?)),
        digits => {
            let value = digits
                .iter()
                .fold(0_i32, |value, digit| value.saturating_mul(10).saturating_add(i32::from(digit - b'0')));
            Ok(Some(value))
        }
    }
}

fn parse_length(text: &mut &[u8]) -> Length {
    let (bits, letters) = match **text {
        [b'h', b'h', ..] => (8, 2),
        [b'h', ..] => (16, 1),
        [b'l', b'l', ..] => (64, 2),
        [b'l' | b'j' | b'z' | b't', ..] => (64, 1),
        _ => (32, 0),
    };
    *text = &text[letters..];
    // C promotes numbers that are narrower than `int`.
    Length { bits, bytes: if bits == 64 { 8 } else { 4 } }
}
