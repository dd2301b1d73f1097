//! `sprintf` and `scanf`, from the standard input, a file and a text.
//!
//! Specification: ISO C17, 7.21.6.2. Left out: `%n`.

use cudac::host::{Formatted, Scalar};

use crate::machine::{Machine, Result, Stop};

/// Where `scanf` takes its bytes from.
#[derive(Default)]
struct Source {
    bytes: Vec<u8>,
    at: usize,
    /// What was put back and comes before the rest, the next byte last.
    pushed: Vec<u8>,
    is_at_end: bool,
}

impl Source {
    /// The next byte, which stays.
    fn peek(&mut self) -> Option<u8> {
        let next = self.pushed.last().or_else(|| self.bytes.get(self.at)).copied();
        self.is_at_end |= next.is_none();
        next
    }

    fn skip(&mut self) {
        if self.pushed.pop().is_none() {
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.skip();
        }
    }

    /// The bytes that fit, up to so many.
    fn take(&mut self, most: usize, fits: impl Fn(u8, &[u8]) -> bool) -> Vec<u8> {
        let mut taken = Vec::new();
        while taken.len() < most
            && let Some(byte) = self.peek().filter(|byte| fits(*byte, &taken))
        {
            taken.push(byte);
            self.skip();
        }
        taken
    }
}

impl Machine<'_> {
    pub(crate) fn formatted(&mut self, of: Formatted, text: usize, values: &[(Scalar, u64)]) -> Result<u64> {
        let first = |nth: usize| values.get(nth).map_or(0, |(_, bits)| *bits);
        let rest = |nth: usize| values.get(nth..).unwrap_or_default();
        match of {
            Formatted::Sprintf => {
                let made = self.made(text, rest(1))?;
                self.put_text(first(0), &made, u64::MAX)
            }
            Formatted::Snprintf => {
                let made = self.made(text, rest(2))?;
                self.put_text(first(0), &made, first(1))
            }
            Formatted::Scanf => self.scan_file(0, text, values),
            Formatted::Fscanf => {
                let number = self.file(first(0))?;
                self.scan_file(number, text, rest(1))
            }
            Formatted::Sscanf => {
                let bytes = self.text(first(0))?;
                self.scan(&mut Source { bytes, ..Source::default() }, text, rest(1))
            }
        }
    }

    /// The bytes of the file are with the format while it is read, so that nothing is copied.
    fn scan_file(&mut self, number: u64, text: usize, places: &[(Scalar, u64)]) -> Result<u64> {
        if !self.may_read(number)? {
            return Ok(u64::MAX);
        }
        let mut from = Source::default();
        let Some(open) = self.files.open.get_mut(&number) else { return Ok(u64::MAX) };
        (from.at, from.pushed) = (open.at as usize, std::mem::take(&mut open.pushed));
        let mut content = open.content.and_then(|content| self.files.contents.get_mut(&content));
        if let Some(content) = &mut content {
            from.bytes = std::mem::take(&mut content.bytes);
        }
        let read = self.scan(&mut from, text, places);
        let Some(open) = self.files.open.get_mut(&number) else { return read };
        (open.at, open.pushed) = (from.at as u64, from.pushed);
        open.is_at_end |= from.is_at_end;
        if let Some(content) = open.content.and_then(|content| self.files.contents.get_mut(&content)) {
            content.bytes = from.bytes;
        }
        read
    }

    /// Stores a text and a zero in at most so many bytes; how long the text is.
    fn put_text(&mut self, to: u64, text: &[u8], room: u64) -> Result<u64> {
        let shown = (text.len() as u64).min(room.saturating_sub(1)) as usize;
        for (nth, byte) in text[..shown].iter().chain([&0]).enumerate().take_while(|_| room > 0) {
            self.store(Scalar::U8, to.wrapping_add(nth as u64), u64::from(*byte))?;
        }
        Ok(text.len() as u64)
    }

    /// Reads what a format asks for; how many values were stored, or -1 if there was nothing.
    fn scan(&mut self, from: &mut Source, text: usize, places: &[(Scalar, u64)]) -> Result<u64> {
        let program = self.program;
        let mut format = program.texts[text].iter().copied().peekable();
        let mut places = places.iter().map(|(_, place)| *place);
        let mut stored = 0;
        while let Some(byte) = format.next() {
            if byte.is_ascii_whitespace() {
                from.skip_blanks();
                continue;
            }
            if byte != b'%' {
                if from.peek() != Some(byte) {
                    break;
                }
                from.skip();
                continue;
            }
            let mut is_stored = true;
            let (mut most, mut longs) = (0usize, 0);
            let letter = loop {
                match format.next().unwrap_or(b'%') {
                    b'*' => is_stored = false,
                    digit @ b'0'..=b'9' => most = (10 * most + usize::from(digit - b'0')).min(1 << 20),
                    b'l' | b'z' | b'j' | b't' => longs += 1,
                    b'h' => longs -= 1,
                    letter => break letter,
                }
            };
            let most = if most == 0 { usize::MAX } else { most };
            if letter == b'%' {
                from.skip_blanks();
                if from.take(1, |byte, _| byte == b'%').is_empty() {
                    break;
                }
                continue;
            }
            let found = match letter {
                b'[' => {
                    let set = set(&mut format);
                    Some(from.take(most, |byte, _| set[usize::from(byte)])).filter(|found| !found.is_empty())
                }
                _ => converted(from, letter, most)?,
            };
            let Some(found) = found else { break };
            if !is_stored {
                continue;
            }
            let place = places.next().unwrap_or(0);
            self.store_scanned(place, letter, longs, &found)?;
            stored += 1;
        }
        let is_nothing = stored == 0 && from.peek().is_none();
        Ok(if is_nothing { u64::MAX } else { stored })
    }

    fn store_scanned(&mut self, place: u64, letter: u8, longs: i32, found: &[u8]) -> Result<()> {
        let text = String::from_utf8_lossy(found).into_owned();
        match letter {
            b's' | b'[' => self.put_text(place, found, u64::MAX).map(|_| ()),
            b'c' => self.store(Scalar::U8, place, found.first().copied().map_or(0, u64::from)),
            b'f' | b'e' | b'g' => {
                let value: f64 = text.parse().unwrap_or(0.0);
                match longs {
                    0 => self.store(Scalar::F32, place, u64::from((value as f32).to_bits())),
                    _ => self.store(Scalar::F64, place, value.to_bits()),
                }
            }
            _ => {
                let (text, radix) = match text.strip_prefix("0x").filter(|_| letter == b'x') {
                    Some(digits) => (digits, 16),
                    None => (&text[..], if letter == b'x' { 16 } else { 10 }),
                };
                let value = i128::from_str_radix(text, radix).unwrap_or(0) as u64;
                let ty = match longs {
                    0 => Scalar::I32,
                    1.. => Scalar::I64,
                    -1 => Scalar::I16,
                    _ => Scalar::I8,
                };
                self.store(ty, place, value)
            }
        }
    }
}

/// The bytes in brackets, up to the end of these; all others if they begin with `^`.
fn set(format: &mut impl Iterator<Item = u8>) -> [bool; 256] {
    let (mut bytes, mut is_other) = (Vec::new(), false);
    for byte in format {
        match byte {
            b'^' if bytes.is_empty() && !is_other => is_other = true,
            b']' if !bytes.is_empty() => break,
            _ => bytes.push(byte),
        }
    }
    let (mut set, mut at) = ([false; 256], 0);
    while let Some(&first) = bytes.get(at) {
        let last = match bytes.get(at + 1..at + 3) {
            Some(&[b'-', last]) => {
                at += 2;
                last
            }
            _ => first,
        };
        (first..=last).for_each(|byte| set[usize::from(byte)] = true);
        at += 1;
    }
    set.map(|is_in| is_in != is_other)
}

/// The bytes of one value, or nothing if there is none.
fn converted(from: &mut Source, letter: u8, most: usize) -> Result<Option<Vec<u8>>> {
    if letter != b'c' {
        from.skip_blanks();
    }
    let sign = |byte: u8, before: &[u8]| matches!(byte, b'-' | b'+') && before.is_empty();
    let found = match letter {
        b'd' | b'i' | b'u' => from.take(most, |byte, before| byte.is_ascii_digit() || sign(byte, before)),
        b'x' => from.take(most, |byte, _| byte.is_ascii_hexdigit() || byte == b'x'),
        b's' => from.take(most, |byte, _| !byte.is_ascii_whitespace()),
        b'c' => from.take(1, |_, _| true),
        b'f' | b'e' | b'g' => from.take(most, |byte, before| {
            let follows = matches!(before.last(), None | Some(b'e' | b'E'));
            byte.is_ascii_digit()
                || matches!(byte, b'.' | b'e' | b'E')
                || matches!(byte, b'-' | b'+') && follows
        }),
        other => {
            let message = format!("`%{}` is not supported in the format of `scanf`", char::from(other));
            return Err(Stop::error(message));
        }
    };
    Ok(Some(found).filter(|found| !found.is_empty()))
}
