//! What a launch prints: a buffer of a fixed size, in which new text replaces the oldest.
//!
//! Specification: CUDA C++ Programming Guide, formatted output. How many bytes an entry takes is not documented. Here it is
//! 8 for the format and 8 for each argument, or the length of the text if that is more.

use std::collections::VecDeque;

use crate::checkers::context::fault;
use crate::report::fault::{Fault, FaultKind, Severity};

/// A piece of text, and what it takes of the buffer.
#[derive(Clone, Debug)]
struct Entry {
    text: String,
    bytes: u64,
}

/// The buffer.
#[derive(Clone, Debug)]
pub struct Printed {
    entries: VecDeque<Entry>,
    /// What the entries take.
    bytes: u64,
    /// What they may take.
    limit_bytes: u64,
    /// How many entries there were, those that were replaced included.
    pub count: u64,
}

impl Printed {
    pub fn new(limit_bytes: u64) -> Printed {
        Printed { entries: VecDeque::new(), bytes: 0, limit_bytes, count: 0 }
    }

    /// Adds what one call prints, with so many arguments.
    pub fn push(&mut self, text: &[u8], arguments: usize) {
        let bytes = (8 * (1 + arguments)).max(text.len()) as u64;
        self.entries.push_back(Entry { text: String::from_utf8_lossy(text).into_owned(), bytes });
        self.bytes += bytes;
        self.count += 1;
        while self.bytes > self.limit_bytes {
            self.bytes -= self.entries.pop_front().map_or(self.bytes, |entry| entry.bytes);
        }
    }

    pub fn text(&self) -> String {
        self.entries.iter().map(|entry| &entry.text[..]).collect()
    }

    /// What to say if something was replaced.
    pub fn fault(&self) -> Option<Fault> {
        let lost = self.count - self.entries.len() as u64;
        let message = format!(
            "the kernel prints more than its buffer of {} bytes holds, so the text of its first {lost} calls of `printf` is lost",
            self.limit_bytes
        );
        (lost > 0).then(|| fault(FaultKind::LostOutput, Severity::Warning, message, Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_text_replaces_the_oldest() {
        let mut printed = Printed::new(64);
        for text in ["a\n", "b\n", "c\n", "d\n"] {
            printed.push(text.as_bytes(), 1);
        }
        assert_eq!((printed.text(), printed.fault()), ("a\nb\nc\nd\n".to_owned(), None));
        printed.push(b"0123456789012345678901234\n", 0);
        assert_eq!(printed.text(), "c\nd\n0123456789012345678901234\n");
        assert!(printed.fault().unwrap().message.contains("first 2 calls"));
    }
}
