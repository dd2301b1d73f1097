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

    /// The next argument as an integer of so many bits. C promotes those that are narrower than `int`.
    fn integer(&mut self, bits: u32) -> Result<u64, Failure> {
        self.next(bits.max(32) / 8)
    }

    /// A width or precision; `None` if it is left out.
    fn count(&mut self, count: Count) -> Result<Option<i32>, Failure> {
        Ok(match count {
            Count::LeftOut => None,
            Count::Digits(value) => Some(value),
            Count::Argument => Some(self.next(4)? as i32),
        })
    }
}

/// `%`, flags, width, precision, length and conversion.
#[derive(Clone, Copy, Debug)]
struct Directive<'f> {
    /// C's flags, as they are in the text.
    flags: &'f [u8],
    /// Filled at the right end: the flag `-`, or a negative width.
    to_the_left: bool,
    width: usize,
    precision: Option<usize>,
    /// How many bits of an integer count.
    bits: u32,
    conversion: u8,
}

/// A width or a precision in the text.
#[derive(Clone, Copy)]
enum Count {
    LeftOut,
    Digits(i32),
    /// `*`
    Argument,
}

impl<'f> Directive<'f> {
    /// Reads what follows `%`; `None` if it is not a conversion.
    fn parse(
        mut text: &'f [u8],
        arguments: &mut Arguments<'_>,
    ) -> Result<Option<(Directive<'f>, &'f [u8])>, Failure> {
        let flags = take_while(&mut text, |byte| b"-+ #0".contains(&byte));
        let width = parse_count(&mut text);
        let mut precision = Count::LeftOut;
        if let Some(rest) = text.strip_prefix(b".") {
            text = rest;
            precision = match parse_count(&mut text) {
                Count::LeftOut => Count::Digits(0),
                count => count,
            };
        }
        let bits = parse_length(&mut text);
        let Some((&conversion, rest)) = text.split_first() else { return Ok(None) };
        if !b"diuoxXcspfFeEgGaA%".contains(&conversion) {
            return Ok(None);
        }
        // Only now, because a text that is not a conversion takes no argument.
        let width = arguments.count(width)?.unwrap_or(0);
        let precision = arguments.count(precision)?;
        let bounded = |n: u32| (n as usize).min(MAX_OUTPUT);
        let directive = Directive {
            flags,
            to_the_left: flags.contains(&b'-') || width < 0,
            width: bounded(width.unsigned_abs()),
            // A negative precision counts as none.
            precision: precision.and_then(|p| u32::try_from(p).ok()).map(bounded),
            bits,
            conversion,
        };
        Ok(Some((directive, rest)))
    }

    fn has(&self, flag: u8) -> bool {
        self.flags.contains(&flag)
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
            b'd' | b'i' => self.signed(arguments.integer(self.bits)?),
            b'u' | b'o' | b'x' | b'X' => self.unsigned(arguments.integer(self.bits)?),
            _ => number::float(self, f64::from_bits(arguments.next(8)?)),
        })
    }

    fn signed(&self, bits: u64) -> Vec<u8> {
        let unused = 64 - self.bits;
        let value = (bits << unused) as i64 >> unused;
        let digits = self.at_least_precision(value.unsigned_abs().to_string(), value == 0);
        self.number(self.sign(value < 0), &digits, self.precision.is_none())
    }

    fn unsigned(&self, bits: u64) -> Vec<u8> {
        let value = bits & u64::MAX >> (64 - self.bits);
        let digits = match self.conversion {
            b'o' => format!("{value:o}"),
            b'x' => format!("{value:x}"),
            b'X' => format!("{value:X}"),
            _ => value.to_string(),
        };
        let mut digits = self.at_least_precision(digits, value == 0);
        let prefix = match self.conversion {
            _ if !self.has(b'#') => "",
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
            false if self.has(b'+') => "+",
            false if self.has(b' ') => " ",
            false => "",
        }
    }

    /// Prefix and digits, filled to the width, with zeros between the two if `zeros` and the flag allow it.
    fn number(&self, prefix: &str, digits: &str, zeros: bool) -> Vec<u8> {
        let missing = self.width.saturating_sub(prefix.len() + digits.len());
        let fill = if zeros && self.has(b'0') && !self.to_the_left { missing } else { 0 };
        self.padded([prefix.as_bytes(), &vec![b'0'; fill], digits.as_bytes()].concat())
    }

    /// Filled to the width with spaces.
    fn padded(&self, mut text: Vec<u8>) -> Vec<u8> {
        let missing = self.width.saturating_sub(text.len());
        let at = if self.to_the_left { text.len() } else { 0 };
        text.splice(at..at, std::iter::repeat_n(b' ', missing));
        text
    }
}

/// Takes the bytes off the start of a text that pass a test.
fn take_while<'f>(text: &mut &'f [u8], test: impl Fn(u8) -> bool) -> &'f [u8] {
    let length = text.iter().take_while(|&&byte| test(byte)).count();
    let (taken, rest) = text.split_at(length);
    *text = rest;
    taken
}

/// Takes off a width or precision: digits, or `*` for an argument.
fn parse_count(text: &mut &[u8]) -> Count {
    if let Some(rest) = text.strip_prefix(b"*") {
        *text = rest;
        return Count::Argument;
    }
    let digits = take_while(text, |byte| byte.is_ascii_digit());
    let more = |value: i32, digit: &u8| value.saturating_mul(10).saturating_add(i32::from(digit - b'0'));
    if digits.is_empty() { Count::LeftOut } else { Count::Digits(digits.iter().fold(0, more)) }
}

/// Takes off the length of an integer, in bits.
fn parse_length(text: &mut &[u8]) -> u32 {
    let (bits, letters) = match **text {
        [b'h', b'h', ..] => (8, 2),
        [b'h', ..] => (16, 1),
        [b'l', b'l', ..] => (64, 2),
        [b'l' | b'j' | b'z' | b't', ..] => (64, 1),
        _ => (32, 0),
    };
    *text = &text[letters..];
    bits
}
