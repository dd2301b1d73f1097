//! Which files are searched for habits, and which parts of each are prose.
//!
//! Everything else is replaced by blanks, so that the lines keep their numbers: code, formulas, directives, addresses,
//! and the fields of a TOML file that no reader sees. Comments in kernels and the output of programs are not searched.

use std::ops::Range;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::{Captures, Regex};
use toml::de::{DeTable, DeValue};

use crate::exercises::{self, folders};
use crate::page::pieces;
use crate::pages::{Page, SOURCE};
use crate::repository::Repository;
use crate::{glossary, prose};

/// A file with prose in it.
pub struct Text {
    /// Its name, from the repository's root.
    pub file: String,
    /// The whole text.
    pub whole: String,
    /// Its prose, with every line at its place in the file.
    pub prose: String,
}

/// The documents in Markdown that are not pages.
const DOCUMENTS: [&str; 3] = ["README.md", "CONTRIBUTING.md", "docs/writing-pages.md"];

/// The fields of a TOML file that readers see.
const FIELDS: [&str; 7] = ["title", "task", "hints", "learned", "look", "ask", "means"];

/// A word in code, a link's address, a tag or a comment.
static NO_PROSE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"`[^`]*`|\]\([^)]*\)|<[^>]*>").expect("a valid expression"));

/// All texts that are searched.
pub fn all(repository: &Repository, pages: &[Page]) -> Result<Vec<Text>> {
    let mut texts: Vec<Text> =
        pages.iter().map(|page| markdown(&format!("{SOURCE}/{}", page.path), &page.text)).collect();
    for name in DOCUMENTS {
        texts.push(markdown(name, &repository.read(name)?));
    }
    for name in exercises::files(repository).into_iter().chain([glossary::FILE.to_owned()]) {
        texts.push(fields(&name, &repository.read(&name)?)?);
    }
    for name in claims(repository) {
        texts.push(ledger(&name, &repository.read(&name)?));
    }
    Ok(texts)
}

/// The files with the chapters' claims.
fn claims(repository: &Repository) -> Vec<String> {
    let chapters = folders(repository, "chapters").into_iter();
    let ledgers = chapters.map(|chapter| format!("chapters/{chapter}/output/sim_claims.txt"));
    ledgers.filter(|name| repository.has(name)).collect()
}

/// A page or a document. If it cannot be divided into pieces, it has no prose here; the error is reported when the page
/// is expanded.
fn markdown(name: &str, text: &str) -> Text {
    let prose = pieces(text).map(|pieces| prose::readable(&pieces)).unwrap_or_default();
    Text { file: name.to_owned(), whole: text.to_owned(), prose: blanked(&prose) }
}

/// The fields of a TOML file that readers see.
fn fields(name: &str, text: &str) -> Result<Text> {
    let table = DeTable::parse(text).with_context(|| format!("`{name}` cannot be read"))?;
    let mut shown = Vec::new();
    in_table(table.get_ref(), false, &mut shown);
    // Replaced byte by byte, so that a span in one text is a span in the other.
    let mut prose: String = text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    for span in shown {
        // A backslash at the end of a line joins it to the next.
        prose.replace_range(span.clone(), &text[span].replace("\\\n", " \n"));
    }
    Ok(Text { file: name.to_owned(), whole: text.to_owned(), prose: blanked(&prose) })
}

fn in_table(table: &DeTable<'_>, is_shown: bool, shown: &mut Vec<Range<usize>>) {
    for (key, value) in table {
        in_value(value, is_shown || FIELDS.contains(&key.get_ref().as_ref()), shown);
    }
}

fn in_value(value: &toml::Spanned<DeValue<'_>>, is_shown: bool, shown: &mut Vec<Range<usize>>) {
    match value.get_ref() {
        DeValue::String(_) if is_shown => shown.push(value.span()),
        DeValue::Array(values) => values.iter().for_each(|value| in_value(value, is_shown, shown)),
        DeValue::Table(table) => in_table(table, is_shown, shown),
        _ => {}
    }
}

/// The text of a chapter's claims, without the commands.
fn ledger(name: &str, text: &str) -> Text {
    let lines = text.lines().map(|line| if line.trim_start().starts_with("$ ") { "" } else { line });
    let prose: Vec<&str> = lines.collect();
    Text { file: name.to_owned(), whole: text.to_owned(), prose: blanked(&prose.join("\n")) }
}

/// Prose without code and addresses.
fn blanked(prose: &str) -> String {
    let blank = |found: &Captures<'_>| format!("…{}", "\n".repeat(found[0].matches('\n').count()));
    NO_PROSE.replace_all(prose, blank).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_formulas_directives_and_addresses_are_not_prose() {
        let page = "a `b` $c$ {{#ref d}}\n[e](f\ng)\n```sh\nh\n```\n{{#figure i | j `k`}}\n";
        let text = markdown("a.md", page);
        assert_eq!(text.prose.matches('\n').count(), page.matches('\n').count());
        for c in page.chars().filter(char::is_ascii_lowercase) {
            assert_eq!(text.prose.contains(c), "aej".contains(c), "{c}: {}", text.prose);
        }
    }

    #[test]
    fn only_the_fields_of_a_toml_file_that_readers_see_are_prose() {
        let toml = "# a\nkernel = \"b\"\ntask = \"\"\"\nµ c \\\n`d`\"\"\"\n[look]\nrace = \"e\"\n[[question]]\nname = \"f\"\nask = \"g\"\n";
        let text = fields("a.toml", toml).unwrap();
        let words: Vec<&str> =
            text.prose.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
        assert_eq!(words, ["µ", "c", "e", "g"]);
        assert_eq!(
            text.prose.lines().position(|line| line.contains('g')),
            toml.lines().position(|line| line.contains("\"g\""))
        );
    }

    #[test]
    fn the_commands_of_a_ledger_are_not_prose() {
        let text = ledger("a", "N0.1  holds\n  the note: a\n  $ cargo run b\n");
        assert_eq!(text.prose.matches('b').count(), 0);
    }
}
