//! Finds what may not be written into a page by hand: program output, kernels, and measured numbers.
//!
//! It judges by form: a digit before a unit, and a block that is longer than a quotation. Text that has this form but
//! was not measured, such as a constant of the architecture, is listed in `book/literals.toml` with its reason.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::{Context, Result, bail};
use regex::Regex;
use serde::Deserialize;

use crate::page::{Kind, Piece};
use crate::repository::Repository;

/// The file with the exceptions.
pub const FILE: &str = "book/literals.toml";

/// The largest number of lines in a block that is written by hand.
const QUOTED_LINES: usize = 3;

/// The exceptions, each with its reason.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exceptions {
    /// Phrases with a digit and a unit.
    #[serde(default)]
    literals: BTreeMap<String, String>,
    /// Pages that need no figure.
    #[serde(default)]
    without_figure: BTreeMap<String, String>,
}

/// A digit and a unit, with marks of emphasis or one word of a counter's name between them. The digit may be part of
/// `2^24` or `10 000`.
static MEASURED: LazyLock<Regex> = LazyLock::new(|| {
    let units = [
        "ms",
        "µs",
        "μs",
        "ns",
        "us",
        "seconds?",
        "microseconds?",
        "milliseconds?",
        "[GTMk]i?B",
        "[GTM]B/s",
        "bytes?",
        "sectors?",
        "requests?",
        "percent",
        "warps?",
        "lanes?",
        "instructions?",
        "conflicts?",
        "branches",
        "divergent",
        "atomics?",
        "rounds?",
        "times",
        "cycles?",
        "registers?",
        "active",
    ];
    let between = r"(?:&nbsp;|[\s\u{a0}*`-])*";
    let of = "(?:load|store|global|shared|PTX|active|different|divergent|requested)";
    Regex::new(&format!(r"[0-9](?:[0-9.,]*[0-9])?{between}(?:{of}{between})?(?:%|(?:{})\b)", units.join("|")))
        .expect("a valid expression")
});

/// The address of a link, which is not searched.
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\]\([^)]*\)|<[^>]*>").expect("a valid expression"));

impl Exceptions {
    /// Reads them.
    pub fn read(repository: &Repository) -> Result<Self> {
        toml::from_str(&repository.read(FILE)?).with_context(|| format!("`{FILE}` cannot be read"))
    }

    /// The measured numbers in a piece of prose: the place of each, and the phrase.
    pub fn by_hand(&self, prose: &str) -> Vec<(usize, String)> {
        let readable = ADDRESS.replace_all(prose, |found: &regex::Captures<'_>| " ".repeat(found[0].len()));
        let found = MEASURED.find_iter(&readable);
        found
            .map(|found| (found.start(), found.as_str().to_owned()))
            .filter(|(start, phrase)| !self.is_literal(&readable[..start + phrase.len()], phrase))
            .collect()
    }

    /// Whether a phrase is listed, alone or with words before it; `before` is the text that ends with the phrase.
    fn is_literal(&self, before: &str, phrase: &str) -> bool {
        let (before, phrase) = (one_line(before), one_line(phrase));
        self.literals.keys().any(|literal| {
            *literal == phrase || (literal.len() > phrase.len() && before.ends_with(literal.as_str()))
        })
    }

    /// Whether a page may do without a figure.
    pub fn excuses_figure(&self, page: &str) -> bool {
        self.without_figure.contains_key(page)
    }

    /// Exceptions that allow nothing: phrases and pages that the book does not contain, and pages that have a figure.
    pub fn unused(&self, pages: &[(String, String)]) -> Vec<String> {
        let literals = self
            .literals
            .keys()
            .filter(|literal| !pages.iter().any(|(_, text)| one_line(text).contains(literal.as_str())));
        let needs_none =
            |page: &str| pages.iter().any(|(name, text)| name == page && !text.contains("{{#figure"));
        let without = self.without_figure.keys().filter(|page| !needs_none(page));
        literals
            .chain(without)
            .map(|unused| format!("`{unused}` in `{FILE}` excuses nothing: take it out"))
            .collect()
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text that a reader of a page sees, with every line at its place: prose, words in code, and captions of figures.
pub fn readable(pieces: &[Piece<'_>]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece.kind {
            Kind::Prose(prose) | Kind::Code(prose) => text += prose,
            Kind::Fence { text: other, .. } | Kind::Formula(other) => blank(other, &mut text),
            Kind::Directive { text: directive, .. } => match directive.split_once('|') {
                Some((figure, caption)) if figure.starts_with("#figure") => text += caption,
                _ => blank(directive, &mut text),
            },
        }
    }
    text
}

/// Replaces something that is not text by a mark and its line breaks.
fn blank(other: &str, text: &mut String) {
    text.push('…');
    text.extend(other.matches('\n'));
}

/// Fails if a fenced block contains something that must be included from a file.
pub fn check_fence(info: &str, text: &str) -> Result<()> {
    let lines = text.trim().lines().count() - 2;
    let language = info.split([',', ' ']).next().unwrap_or_default();
    if language != "sh" && lines > QUOTED_LINES {
        bail!(
            "a block of {lines} lines in `{language}` is written by hand: include code with `{{{{#code …}}}}` and output with `{{{{#output …}}}}`"
        );
    }
    Ok(())
}

/// The units that the text writes after a number of a record.
const UNITS: [&str; 9] = ["µs", "ms", "ns", "s", "GB/s", "TB", "GB", "MB", "kB"];

/// The text that follows a number of a record. If it begins with a unit, no line breaks between the two.
pub fn joined_to_number(text: &str) -> Cow<'_, str> {
    let rest = text.strip_prefix([' ', '\n']).unwrap_or_default();
    let is_unit = UNITS.iter().any(|unit| {
        rest.strip_prefix(unit)
            .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '/'))
    });
    if is_unit { format!("\u{a0}{rest}").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(prose: &str) -> Vec<String> {
        let literals = [("32 lanes".to_owned(), "a constant".to_owned())].into();
        let exceptions = Exceptions { literals, ..Exceptions::default() };
        exceptions.by_hand(prose).into_iter().map(|(_, phrase)| phrase).collect()
    }

    #[test]
    fn measured_numbers_are_found_even_with_other_text_before_the_unit() {
        assert_eq!(
            found("it takes 4.5 ms and 4,736 sectors, 3.9 times fewer"),
            ["4.5 ms", "4,736 sectors", "3.9 times"]
        );
        assert_eq!(found("at 98 % or 98% or\n12\nwarps"), ["98 %", "98%", "12\nwarps"]);
        assert_eq!(found("`12` warps, **3** load requests"), ["12` warps", "3** load requests"]);
    }

    #[test]
    fn no_line_breaks_between_a_number_and_its_unit() {
        assert_eq!(joined_to_number(" µs, or"), "\u{a0}µs, or");
        assert_eq!(joined_to_number("\nGB/s."), "\u{a0}GB/s.");
        assert_eq!(joined_to_number(" s/2"), " s/2");
        assert_eq!(joined_to_number(" sectors"), " sectors");
        assert_eq!(joined_to_number(", s"), ", s");
    }

    #[test]
    fn lines_keep_their_numbers_and_captions_are_text() {
        let page = "a {{= b}} 1\nwarps $c$\n```sh\nd\n```\n{{#figure f | 2 lanes}}\n";
        let text = readable(&crate::page::pieces(page).unwrap());
        assert_eq!(text.matches('\n').count(), page.matches('\n').count());
        assert_eq!(found(&text), ["1\nwarps", "2 lanes"]);
    }

    #[test]
    fn constants_words_and_addresses_are_not_measured_numbers() {
        assert!(found("a warp has 32 lanes; two warps; [a](x.md#3-warps); sm_70; chapter 3").is_empty());
        assert_eq!(found("132 lanes"), ["132 lanes"]);
    }

    #[test]
    fn long_blocks_have_to_be_included() {
        assert!(check_fence("cpp", "```cpp\na\nb\nc\n```\n").is_ok());
        assert!(check_fence("cpp", "```cpp\na\nb\nc\nd\n```\n").is_err());
        assert!(check_fence("", "```\na\nb\nc\nd\n```\n").is_err());
        assert!(check_fence("sh", "```sh\na\nb\nc\nd\n```\n").is_ok());
    }
}
