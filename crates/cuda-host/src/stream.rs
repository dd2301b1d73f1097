//! Streams of C++ that are written to: `std::cout`, `std::cerr`, streams into a file, and streams into a text.
//!
//! A stream is a struct of six `int`s in the memory of the program: its number, the digits of floats, the width of the
//! next value, flags, the character that fills the width, and what has gone wrong with it. Specification: C++17, [ostream.formatted].

use cudac::host::Scalar;

use crate::function::Function;
use crate::machine::{Machine, Result};
use crate::print;

const FIXED: u64 = 1;
const SCIENTIFIC: u64 = 2;
const LEFT: u64 = 4;
const HEX: u64 = 16;

/// Which member says what has gone wrong, and the bit of a stream that cannot be written.
const STATE: u64 = 5;
const BAD: u64 = 1;

impl Machine<'_> {
    /// `stream << value`
    pub(crate) fn put_value(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let [stream, value, rest @ ..] = values else { return Ok(0) };
        let mut fields = [0; 6];
        for (nth, field) in fields.iter_mut().enumerate() {
            *field = self.load(Scalar::I32, stream + 4 * nth as u64)?;
        }
        let [number, digits, width, flags, fill, failed] = fields;
        if failed != 0 {
            return Ok(0);
        }
        let shown = match function {
            Function::PutText => self.text(*value)?,
            Function::PutBytes => self.bytes_of(*value, rest.first().copied().unwrap_or(0))?,
            Function::PutCharacter => vec![*value as u8],
            Function::PutFloat => {
                let letter = match flags & (FIXED | SCIENTIFIC) {
                    0 => b'g',
                    FIXED => b'f',
                    _ => b'e',
                };
                print::float(f64::from_bits(*value), digits as i32, letter).into_bytes()
            }
            _ if flags & HEX != 0 => format!("{value:x}").into_bytes(),
            Function::PutInteger => (*value as i64).to_string().into_bytes(),
            _ => value.to_string().into_bytes(),
        };
        let missing = (width.min(4096) as usize).saturating_sub(shown.len());
        let filler = vec![fill as u8; missing];
        let parts = if flags & LEFT != 0 { [shown, filler] } else { [filler, shown] };
        if width != 0 {
            self.store(Scalar::I32, stream + 8, 0)?;
        }
        let shown = parts.concat();
        let is_file = number > 2 && self.files.open.contains_key(&number);
        let is_written = match number {
            0 => false,
            _ if is_file => self.write(number, &shown)?,
            _ => self.put(number, &shown).map(|()| true)?,
        };
        if !is_written {
            self.store(Scalar::I32, stream + 4 * STATE, BAD)?;
        }
        Ok(0)
    }

    /// Streams into a text: a new one, its size, its bytes, setting it to other bytes, and its end.
    pub(crate) fn of_text(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        if function == Function::NewText {
            self.check_handles(
                self.streams.len(),
                "streams into texts",
                "leave the block of each when its text is done",
            )?;
            self.last_stream += 1;
            self.streams.insert(self.last_stream, Vec::new());
            return Ok(self.last_stream);
        }
        let Some(text) = self.streams.get(&at(0)) else { return Ok(0) };
        let old = text.len();
        match function {
            Function::TextSize => return Ok(old as u64),
            Function::TextCopy => {
                let bytes = text.clone();
                for (offset, byte) in bytes.iter().enumerate() {
                    self.store(Scalar::U8, at(1) + offset as u64, u64::from(*byte))?;
                }
            }
            Function::TextSet => {
                let new = self.bytes_of(at(1), at(2))?;
                self.streams_bytes = self.streams_bytes - old + new.len();
                self.streams.insert(at(0), new);
            }
            _ => {
                self.streams_bytes -= old;
                self.streams.remove(&at(0));
            }
        }
        Ok(0)
    }
}
