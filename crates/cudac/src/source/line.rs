//! A line of one of the files that a program consists of.

/// A line of a file: the file's number and, from 1, the line's. It is one number because every expression of host code
/// has one. The default is no line.
///
/// ```text
/// 31  22 21     0
///  file    line
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(u32);

const LINE_BITS: u32 = 22;

impl Line {
    /// No line: it is in one of this compiler's own functions, or in no text.
    pub const NONE: Line = Line(0);

    /// A line of a file, both as far as there are bits for them.
    pub fn new(file: u16, line: u32) -> Line {
        let file = u32::from(file).min((1 << (32 - LINE_BITS)) - 1);
        Line(file << LINE_BITS | line.min((1 << LINE_BITS) - 1))
    }

    /// The number of its file; that of the text that was compiled is 0.
    pub fn file(self) -> usize {
        (self.0 >> LINE_BITS) as usize
    }

    /// Its number in the file, from 1, or 0.
    pub fn number(self) -> u32 {
        self.0 & ((1 << LINE_BITS) - 1)
    }

    /// Whether it is one.
    pub fn is_known(self) -> bool {
        self.0 != 0
    }
}
