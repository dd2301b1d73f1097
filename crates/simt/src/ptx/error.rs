//! The error for a text that cannot be read, with its position.

use super::span::{LineIndex, Span};

/// A PTX text that cannot be read or is not supported. What a kernel does wrong is a fault, and not this error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct Error {
    /// What is wrong and what to do, in lower case and without a full stop.
    pub message: String,
    /// The line of the PTX text, counted from 1.
    pub line: u32,
    /// The column, counted from 1, in characters.
    pub column: u32,
}

impl Error {
    /// An error at the start of `span` in `text`. For many errors in one text, `LineIndex::error` is faster.
    pub fn at(text: &str, span: Span, message: impl Into<String>) -> Error {
        LineIndex::new(text).error(span, message)
    }
}
