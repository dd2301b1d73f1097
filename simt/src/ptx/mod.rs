//! PTX text to tree.
//!
//! A recursive-descent parser with spans everywhere. It reads the whole of what the CUDA compiler writes,
//! `-G` builds included, and never panics: whatever it cannot read is an [`Error`] with a line and a column.
//! It knows the grammar and not one instruction; those are [`crate::isa`]'s.

pub mod ast;
mod error;
mod span;

pub use error::Error;
pub use span::{LineIndex, Span};
