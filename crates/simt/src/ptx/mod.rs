//! From PTX text to a syntax tree.
//!
//! This is a recursive-descent parser that keeps the span of everything. It reads all that the CUDA compiler writes,
//! including `-G` builds, and never panics: what it cannot read is an [`Error`] with a line and a column. It knows the
//! grammar, but not a single instruction; these are in [`crate::isa`].

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
