//! Habits of prose that a program can find, as warnings. None of them is an error, and no word is forbidden: a comment
//! with a reason allows a phrase where it is the right one.
//!
//! `habits` lists the patterns, `texts` says which texts are searched, and `exceptions` reads the comments. Everything
//! that needs judgement is left out, so a text without warnings is not yet a good text.

mod exceptions;
mod habits;
mod texts;

use std::sync::LazyLock;

use anyhow::Result;
use regex::Regex;

pub use exceptions::without as without_exceptions;

use crate::lint::habits::{ADDRESSES, HABITS, Habit};
use crate::lint::texts::Text;
use crate::pages::Page;
use crate::problems::Problem;
use crate::repository::Repository;

/// A phrase that was found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    /// The line, counted from 1.
    line: usize,
    /// The phrase, on one line.
    phrase: String,
    /// What to do about it.
    advice: &'static str,
}

type Patterns = Vec<(Regex, &'static str)>;

static IN_PROSE: LazyLock<Patterns> = LazyLock::new(|| patterns(HABITS));
static ANYWHERE: LazyLock<Patterns> = LazyLock::new(|| patterns(ADDRESSES));

fn patterns(habits: &[Habit]) -> Patterns {
    let compiled =
        |habit: &Habit| Regex::new(&format!("(?im){}", habit.pattern)).expect("a valid expression");
    habits.iter().map(|habit| (compiled(habit), habit.advice)).collect()
}

/// The warnings about the pages, the exercises, the claims, the glossary, and the documents beside them.
pub fn warnings(repository: &Repository, pages: &[Page]) -> Result<Vec<Problem>> {
    let texts = texts::all(repository, pages)?;
    Ok(texts.iter().flat_map(in_text).collect())
}

fn in_text(text: &Text) -> Vec<Problem> {
    let mut found = matches(&text.prose, &IN_PROSE);
    found.extend(matches(&text.whole, &ANYWHERE));
    let left = exceptions::apply(&text.whole, found).into_iter();
    left.map(|Found { line, phrase, advice }| Problem {
        file: text.file.clone(),
        line,
        what: format!("`{phrase}`: {advice}"),
    })
    .collect()
}

/// The phrases in a text. A phrase never extends over two blocks of lines.
fn matches(text: &str, patterns: &Patterns) -> Vec<Found> {
    let mut found = Vec::new();
    for (line, block) in blocks(text) {
        for (pattern, advice) in patterns {
            found.extend(pattern.find_iter(&block).map(|phrase| Found {
                line: line + block[..phrase.start()].matches('\n').count(),
                phrase: phrase.as_str().split_whitespace().collect::<Vec<_>>().join(" "),
                advice,
            }));
        }
    }
    found
}

/// The blocks of lines between blank lines, each with the number of its first line.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut is_inside = false;
    for (at, line) in text.lines().enumerate() {
        let is_blank = line.trim().is_empty();
        match blocks.last_mut() {
            Some((_, block)) if is_inside && !is_blank => block.extend(["\n", line]),
            _ if !is_blank => blocks.push((at + 1, line.to_owned())),
            _ => {}
        }
        is_inside = !is_blank;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, patterns: &Patterns) -> Vec<(usize, String)> {
        matches(text, patterns).into_iter().map(|found| (found.line, found.phrase)).collect()
    }

    #[test]
    fn every_habit_is_found_and_its_correction_is_not() {
        for (habits, patterns) in [(HABITS, &IN_PROSE), (ADDRESSES, &ANYWHERE)] {
            for (habit, one) in habits.iter().zip(patterns.iter()) {
                let (wrong, right) = habit.example;
                assert!(one.0.is_match(wrong), "`{wrong}` is not found by `{}`", habit.pattern);
                assert_eq!(found(right, patterns), [], "`{right}`");
            }
        }
    }

    #[test]
    fn a_phrase_may_be_broken_but_not_across_blocks() {
        assert_eq!(found("a\n\nb in\nvain, in\n\nvain", &IN_PROSE), [(3, "in vain".to_owned())]);
    }

    #[test]
    fn an_exception_lets_a_phrase_pass() {
        let warnings = |comment: &str| {
            let prose = "\nthe yard behind the house\n";
            in_text(&Text {
                file: "a.md".to_owned(),
                prose: prose.to_owned(),
                whole: format!("{comment}{prose}"),
            })
            .len()
        };
        assert_eq!(warnings("<!-- lint: allow behind: a house has a behind -->"), 0);
        assert_eq!((warnings("a"), warnings("<!-- lint: allow dear: -->")), (1, 2));
    }
}
