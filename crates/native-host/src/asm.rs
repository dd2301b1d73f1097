//! Rewrites `asm` statements of cudac's texts so that clang takes them.
//!
//! ```text
//! cudac                                                         clang
//! operand "m"(address), `%1` in the text, suffix `%s1`          "l"(address), `[%1]`, no suffix
//! operand "b"(predicate), `%1` in the text                      "r"((unsigned)(predicate)), and `setp` before it
//! operand "=b"(result), `%0` in the text                        "=r"(result), and `selp` after it
//! ```
//!
//! cudac's `m` becomes an address with the state space that it knows; clang's text has a generic address, which is the same memory.

use std::fmt::Write as _;

/// What an operand of cudac is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    Plain,
    Address,
    PredicateIn,
    PredicateOut,
}

/// A text whose `asm` statements clang takes.
pub(crate) fn rewritten(text: &str) -> String {
    let mut rest = text;
    let mut made = String::with_capacity(text.len() * 2);
    while let Some(at) = rest.find("asm") {
        let (before, from) = rest.split_at(at);
        made.push_str(before);
        let is_word = !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let head = &from[3..];
        let open = head.find('(').filter(|open| matches!(head[..*open].trim(), "" | "volatile"));
        let Some(open) = open.filter(|_| is_word) else {
            made.push_str("asm");
            rest = head;
            continue;
        };
        let inside = &head[open + 1..];
        let end = closing(inside);
        made.push_str("asm");
        made.push_str(&head[..=open]);
        made.push_str(&statement(&inside[..end]));
        rest = &inside[end..];
    }
    made.push_str(rest);
    let made = made.split('\n').map(in_macro).collect::<Vec<_>>().join("\n");
    // A result of one bit is a register of 32.
    made.replace("bool result;", "unsigned result;").replace("bool all;", "unsigned all;")
}

/// A line of a macro that makes a statement of what it is given, of which one operand is an address.
fn in_macro(line: &str) -> String {
    let number =
        line.split_once("%s").and_then(|(_, after)| after.chars().next()).filter(char::is_ascii_digit);
    let Some(number) = number else { return line.to_owned() };
    let text = line.replace(&format!("%s{number}"), "").replace("\"m\"(", "\"l\"(");
    text.replace(&format!("%{number}"), &format!("[%{number}]"))
}

/// Where the parenthesis is that closes what is open at the beginning.
fn closing(text: &str) -> usize {
    let is_end = |depth: i32, letter: char| depth == 0 && letter == ')';
    position(text, is_end).unwrap_or(text.len())
}

/// The first character outside of quotes that is what is looked for, given how deep in parentheses it is.
fn position(text: &str, is_wanted: impl Fn(i32, char) -> bool) -> Option<usize> {
    let (mut depth, mut is_quoted, mut before) = (0, false, ' ');
    for (at, letter) in text.char_indices() {
        if letter == '"' && before != '\\' {
            is_quoted = !is_quoted;
        } else if !is_quoted {
            if is_wanted(depth, letter) {
                return Some(at);
            }
            depth += match letter {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
        }
        before = letter;
    }
    None
}

/// The parts of a text between characters that are outside of quotes and parentheses.
fn parts(text: &str, between: char) -> Vec<&str> {
    let mut rest = text;
    let mut made = Vec::new();
    while let Some(at) = position(rest, |depth, letter| depth == 0 && letter == between) {
        made.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    made.push(rest);
    made
}

fn statement(inside: &str) -> String {
    let sections = parts(inside, ':');
    let (template, operands) = sections.split_first().expect("there is at least one part");
    let kinds: Vec<Operand> = operands.iter().take(2).flat_map(|list| kinds(list)).collect();
    let mut text = (*template).to_owned();
    let (mut before, mut after) = (String::new(), String::new());
    for (number, kind) in kinds.iter().enumerate() {
        text = text.replace(&format!("%s{number}"), "");
        match kind {
            Operand::Plain => {}
            Operand::Address => {
                text = text.replace(&format!("%a{number}"), "\u{1}");
                text = text.replace(&format!("%{number}"), &format!("[%{number}]"));
                text = text.replace('\u{1}', &format!("%{number}"));
            }
            Operand::PredicateIn => {
                text = text.replace(&format!("%{number}"), &format!("%%p{number}"));
                let _ = write!(before, ".reg .pred %%p{number}; setp.ne.u32 %%p{number}, %{number}, 0; ");
            }
            Operand::PredicateOut => {
                text = text.replace(&format!("%{number}"), &format!("%%p{number}"));
                let _ = write!(before, ".reg .pred %%p{number}; ");
                let _ = write!(after, " selp.u32 %{number}, 1, 0, %%p{number};");
            }
        }
    }
    if !before.is_empty() {
        text = format!("\"{{ {before}\" {} \"{after} }}\" ", text.trim());
    }
    let operands = operands.iter().map(|list| {
        list.replace("\"m\"(", "\"l\"(").replace("\"=b\"(", "\"=r\"(").replace("\"b\"(", "\"r\"((unsigned)")
    });
    std::iter::once(text).chain(operands).collect::<Vec<_>>().join(":")
}

/// What the operands of a list are.
fn kinds(list: &str) -> Vec<Operand> {
    let kind = |operand: &&str| match operand.trim() {
        "" => None,
        operand if operand.starts_with("\"m\"") => Some(Operand::Address),
        operand if operand.starts_with("\"b\"") => Some(Operand::PredicateIn),
        operand if operand.starts_with("\"=b\"") => Some(Operand::PredicateOut),
        _ => Some(Operand::Plain),
    };
    parts(list, ',').iter().filter_map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn addresses_are_generic() {
        assert_eq!(
            rewritten(
                r#"asm volatile("atom" scope "%s1.add.u32 %0, %1, %2;" : "=r"(old) : "m"(address), "r"(value) : "memory");"#
            ),
            r#"asm volatile("atom" scope ".add.u32 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(value) : "memory");"#
        );
        assert_eq!(
            rewritten(r#"asm("isspacep.global %0, %a1;" : "=r"(x) : "m"(y));"#),
            r#"asm("isspacep.global %0, %1;" : "=r"(x) : "l"(y));"#
        );
    }

    #[test]
    fn predicates_are_numbers() {
        assert_eq!(
            rewritten(r#"asm("vote.any.pred %0, %1;" : "=b"(result) : "b"(predicate));"#),
            concat!(
                r#"asm("{ .reg .pred %%p0; .reg .pred %%p1; setp.ne.u32 %%p1, %1, 0; " "vote.any.pred %%p0, %%p1;" "#,
                r#"" selp.u32 %0, 1, 0, %%p0; }" : "=r"(result) : "r"((unsigned)predicate));"#
            )
        );
    }

    #[test]
    fn a_macro_gets_what_its_statement_needs() {
        assert_eq!(
            rewritten(r#"SCOPED(scope, "st", "%s0." type " %0, %1;", : : "m"(p), c(value))"#),
            r#"SCOPED(scope, "st", "." type " [%0], %1;", : : "l"(p), c(value))"#
        );
    }

    #[test]
    fn everything_else_stays() {
        let text = "int plasm(int); asm(\"trap;\"); int x = asm_like(1);";
        assert_eq!(rewritten(text), text);
    }
}
