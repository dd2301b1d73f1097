//! Spans: where something is in the PTX text.
//!
//! Every node of the tree has a span, so that every error, fault and counter can name its line. Spans are byte offsets.
//! Lines and columns are computed only when they are needed.

use super::Error;

/// A range of bytes in a PTX text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from byte `start` to byte `end`, not including the latter.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest span that contains both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The starts of the lines of a text, for looking up many lines.
#[derive(Clone, Debug, Default)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// The offsets of bytes that continue a character. Columns do not count them.
    continuations: Vec<u32>,
}

impl LineIndex {
    /// Finds the start of each line of `text`.
    pub fn new(text: &str) -> LineIndex {
        let after_breaks =
            text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1);
        let continues = |&(_, byte): &(usize, u8)| byte & 0xc0 == 0x80;
        let continuations = text.bytes().enumerate().filter(continues).map(|(at, _)| at as u32);
        LineIndex {
            starts: std::iter::once(0).chain(after_breaks).collect(),
            continuations: continuations.collect(),
        }
    }

    /// An error at the start of `span`.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Error {
        let line = self.line(span.start);
        let start = self.starts.get(line as usize - 1).copied().unwrap_or(0);
        let before = |offset: u32| self.continuations.partition_point(|&at| at < offset) as u32;
        let column = span.start - start - (before(span.start) - before(start)) + 1;
        Error { message: message.into(), line, column }
    }

    /// The line of a byte offset, counted from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "a\n\u{e9}b \u{65e5}c\n\nd";
        let lines = LineIndex::new(text);
        let (mut line, mut column) = (1, 1);
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            let error = lines.error(Span::new(at, at), "x");
            assert_eq!((error.line, error.column), (line, column), "byte {at}");
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
    }
}
