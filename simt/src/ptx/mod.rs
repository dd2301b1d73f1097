//! PTX text to tree.
//!
//! A recursive-descent parser with spans everywhere. It reads the whole of what the CUDA compiler writes,
//! `-G` builds included, and never panics: whatever it cannot read is an [`Error`] with a line and a column.
//! It knows the grammar and not one instruction; those are [`crate::isa`]'s.

pub mod ast;
mod constant;
mod error;
mod function;
mod initializer;
mod instruction;
mod lexer;
mod literal;
mod loc;
mod module;
mod operand;
mod parser;
mod span;
mod variable;

pub use error::Error;
pub use module::parse;
pub use span::{LineIndex, Span};
