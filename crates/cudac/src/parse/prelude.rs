//! What nvcc includes by itself before a program: host code may use the names of some headers in `std` without including them.
//!
//! It is apart from the parser, which it does not need. Left out: names that are not in `std`, which are found when they are
//! used.

use crate::lex::Token;
use crate::preprocess::{Preprocessor, ended};
use crate::source::Span;

/// Puts the tokens of the headers that nvcc includes by itself before those of a text; before those of several units, as
/// a list of its own, with the headers that they share. Only names in `std` need what nvcc includes: others are found
/// when they are used.
pub(super) fn add<'t>(text: &mut Preprocessor<'_, 't>, units: &mut Vec<Vec<Token<'t>>>) {
    let uses_std = units.iter().flatten().any(|token| token.is_word("std"));
    let mut first = Vec::new();
    if text.macros.is_program && uses_std {
        let prelude = text.files.add("what nvcc includes", crate::builtins::host::PRELUDE);
        first = text.run_own(prelude, 0, true);
    }
    if let Some(mut shared) = text.shared.take() {
        shared.extend(first);
        units.insert(0, ended(shared, Span::default()));
    } else {
        first.append(&mut units[0]);
        units[0] = first;
    }
}
