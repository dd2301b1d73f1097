//! What nvcc includes by itself before a program: host code may use the names of some headers in `std` without including them.
//!
//! It is apart from the parser, which it does not need. Left out: names that are not in `std`, which are found when they are
//! used.

use crate::lex::Token;
use crate::preprocess::Preprocessor;

/// The tokens of a text after those of the headers that nvcc includes by itself. Only names in `std` need that: others are
/// found when they are used.
pub(super) fn with_prelude<'t>(text: &mut Preprocessor<'_, 't>, tokens: Vec<Token<'t>>) -> Vec<Token<'t>> {
    if !text.macros.is_program || !tokens.iter().any(|token| token.is_word("std")) {
        return tokens;
    }
    let prelude = text.files.add("what nvcc includes", crate::builtins::host::PRELUDE);
    let mut all = text.run_own(prelude, 0, true);
    all.extend(tokens);
    all
}
