//! Which atomics return a value that nobody reads: the compiler writes `atom` with a register that it never names again
//! where CUDA's function was called for its effect.
//!
//! It is told by the text. A name that stands in a function once is that of a result which no other instruction reads.
//! Left out: results that are read but do not matter, and a name that another register of an inner block has as well.

use std::collections::BTreeMap;

use crate::compile::program::{Code, Program};
use crate::isa::op::Op;

/// Marks the atomics of a function whose result nobody reads.
pub fn mark(program: &mut Program, code: &Code) {
    let range = code.start as usize..code.end as usize;
    let returns = |op: &Op| matches!(op, Op::Atomic(atomic) if atomic.returns);
    if !program.insts[range.clone()].iter().any(|inst| returns(&inst.op)) {
        return;
    }
    let span = |index: usize| program.origins[index].span;
    let body = &program.text[span(range.start).start as usize..span(range.end - 1).end as usize];
    let mut counts = BTreeMap::new();
    words(body).for_each(|word| *counts.entry(word).or_insert(0) += 1);
    for index in range {
        let text = &program.text[span(index).start as usize..span(index).end as usize];
        let result = words(text).find(|word| word.starts_with('%') && !is_guard(text, word));
        if let Op::Atomic(atomic) = &mut program.insts[index].op
            && atomic.returns
        {
            atomic.is_read = result.is_none_or(|result| counts.get(result) != Some(&1));
        }
    }
}

/// Names, numbers and opcodes of a text, in order.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}

/// Whether a word of an instruction is the predicate before it.
fn is_guard(text: &str, word: &str) -> bool {
    let guard = text.trim_start().strip_prefix('@').map(|rest| rest.trim_start_matches(['!', ' ']));
    guard.is_some_and(|guard| guard.as_ptr() == word.as_ptr())
}
