//! The grammar of opcodes: which modifiers an instruction takes, in which order.
//!
//! A form is written once, as the specification writes it, and that text is the declaration: it decides what
//! is accepted, and it is what the table of supported PTX lists. Segments are parted by dots; `(a|b)` is a
//! choice, a trailing `?` makes a segment optional:
//!
//! ```text
//! setp.(eq|ne|lt|le|gt|ge).(and|or|xor)?.(u32|s32)
//! ```
//!
//! Modifiers that only steer caches are listed like any other, so nothing is silently ignored.

use crate::ptx::ast::Type;

/// The modifiers of an opcode, by the segment of the form that matched them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modifiers<'t> {
    parts: Vec<Option<&'t str>>,
}

impl<'t> Modifiers<'t> {
    /// What segment `index` matched, counted from 0 for the mnemonic; empty where it was left out.
    pub fn text(&self, index: usize) -> &'t str {
        self.parts.get(index).copied().flatten().unwrap_or("")
    }

    /// Whether the optional segment `index` is there.
    pub fn has(&self, index: usize) -> bool {
        self.parts.get(index).is_some_and(Option::is_some)
    }

    /// What the segments matched, in order, without those left out.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = &'t str> + '_ {
        self.parts.iter().copied().flatten()
    }

    /// Segment `index` read as a type. The form's grammar lists only types there.
    pub fn ty(&self, index: usize) -> Type {
        parse_type(self.text(index)).expect("the form's grammar lists only types here")
    }
}

/// The type that a modifier names, without its dot.
pub fn parse_type(text: &str) -> Option<Type> {
    Some(match text {
        "u8" => Type::U8,
        "u16" => Type::U16,
        "u32" => Type::U32,
        "u64" => Type::U64,
        "s8" => Type::S8,
        "s16" => Type::S16,
        "s32" => Type::S32,
        "s64" => Type::S64,
        "f16" => Type::F16,
        "f16x2" => Type::F16x2,
        "bf16" => Type::Bf16,
        "bf16x2" => Type::Bf16x2,
        "f32" => Type::F32,
        "f64" => Type::F64,
        "b8" => Type::B8,
        "b16" => Type::B16,
        "b32" => Type::B32,
        "b64" => Type::B64,
        "b128" => Type::B128,
        "pred" => Type::Pred,
        _ => return None,
    })
}

/// Matches an opcode against a form's syntax.
pub fn matches<'t>(syntax: &str, opcode: &'t str) -> Option<Modifiers<'t>> {
    let segments: Vec<&str> = syntax.split('.').collect();
    let words: Vec<&str> = opcode.split('.').collect();
    let mut parts = vec![None; segments.len()];
    match_from(&segments, &words, &mut parts).then_some(Modifiers { parts })
}

fn match_from<'t>(segments: &[&str], words: &[&'t str], parts: &mut [Option<&'t str>]) -> bool {
    let Some((segment, later)) = segments.split_first() else { return words.is_empty() };
    if let Some((&word, rest)) = words.split_first()
        && choices(segment).any(|choice| choice == word)
    {
        parts[0] = Some(word);
        if match_from(later, rest, &mut parts[1..]) {
            return true;
        }
    }
    parts[0] = None;
    segment.ends_with('?') && match_from(later, words, &mut parts[1..])
}

fn choices(segment: &str) -> impl Iterator<Item = &str> {
    segment.trim_end_matches('?').trim_start_matches('(').trim_end_matches(')').split('|')
}

/// Every opcode that a form's syntax accepts, in the order of its choices.
pub fn expand(syntax: &str) -> Vec<String> {
    syntax.split('.').fold(vec![String::new()], |opcodes, segment| {
        let optional = segment.ends_with('?').then_some("");
        let words: Vec<&str> = optional.into_iter().chain(choices(segment)).collect();
        opcodes.iter().flat_map(|opcode| words.iter().map(|word| join(opcode, word))).collect()
    })
}

fn join(opcode: &str, word: &str) -> String {
    match (opcode.is_empty(), word.is_empty()) {
        (_, true) => opcode.to_string(),
        (true, _) => word.to_string(),
        _ => format!("{opcode}.{word}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_left_out_is_empty() {
        let modifiers = matches("add.sat?.(s32|f32)", "add.s32").unwrap();
        assert_eq!((modifiers.has(1), modifiers.ty(2)), (false, Type::S32));
        assert!(matches("add.sat?.(s32|f32)", "add.sat.f32").unwrap().has(1));
        assert_eq!(matches("add.sat?.(s32|f32)", "add.sat"), None);
        assert_eq!(matches("add.sat?.(s32|f32)", "add.s32.sat"), None);
    }

    #[test]
    fn what_is_expanded_matches() {
        let syntax = "setp.(eq|ne).(and|or)?.ftz?.f32";
        let opcodes = expand(syntax);
        assert_eq!(opcodes.len(), 2 * 3 * 2);
        assert!(opcodes.iter().all(|opcode| matches(syntax, opcode).is_some()));
    }
}
