//! Why a text was refused, and where.

use super::span::Span;

/// A PTX text that cannot be read or is not supported: never a fault of the kernel's own doing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct Error {
    /// What is wrong and what to do, lower case, without a full stop.
    pub message: String,
    /// Line of the PTX text, counted from 1.
    pub line: u32,
    /// Column, counted from 1, in characters.
    pub column: u32,
}

impl Error {
    /// An error at the start of `span` in `text`.
    pub fn at(text: &str, span: Span, message: impl Into<String>) -> Error {
        let (line, column) = span.line_column(text);
        Error { message: message.into(), line, column }
    }
}
