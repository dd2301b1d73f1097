//! Checks that each term is introduced before it is used.
//!
//! A term is introduced by the first `{{#term KEY}}` in the order of the summary. A use is its English name, its plural
//! or one of its other forms, as whole words in prose, headings and captions. Three places do not count: code; the
//! title of the page that introduces the term and the heading above that place, which announce it; and the text of a
//! link to a page of the book, where the term is explained. Terms that the glossary marks as everyday words are not
//! checked.
//!
//! This module cannot see whether the sentence with the term explains it, or whether a word has the meaning of the
//! term.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::glossary::{FILE, Glossary, Term};
use crate::page::{Kind, Piece, pieces};
use crate::pages::{Page, SOURCE};
use crate::problems::Problem;

/// A link within the book; the address of any other link; a tag; a word in code, which a caption may contain.
static NO_USE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\[[^\]]*\]\([^):]*\)|\]\([^)]*\)|<[^>]*>|`[^`]*`").expect("a valid expression")
});

/// A page as a reader sees it. The text has the same length as the page, so that places can be compared.
struct Read<'a> {
    page: &'a Page,
    /// Its prose, with blanks in place of everything else.
    text: String,
    /// The terms that it names, with their places in the text.
    terms: Vec<(&'a str, usize)>,
}

/// Terms that are used before they are introduced, and terms that no page introduces.
pub fn too_early(glossary: &Glossary, pages: &[Page]) -> Vec<Problem> {
    let pages: Vec<Read<'_>> = pages.iter().map(Read::of).collect();
    let checked = glossary.terms().filter(|(_, term)| !term.is_everyday());
    checked.filter_map(|(key, term)| check(key, term, &pages)).collect()
}

fn check(key: &str, term: &Term, pages: &[Read<'_>]) -> Option<Problem> {
    let at = |read: &Read<'_>| read.terms.iter().find(|(name, _)| *name == key).map(|(_, at)| *at);
    let Some((number, defined)) =
        pages.iter().enumerate().find_map(|(number, read)| Some((number, at(read)?)))
    else {
        return Some(Problem {
            file: FILE.to_owned(),
            line: 1,
            what: format!("no page introduces `{key}`: `{{{{#term {key}}}}}`, with an explanation"),
        });
    };
    let uses = uses(term);
    let before = pages[..number].iter().find_map(|read| Some((read, uses.find(&read.text)?.range())));
    let (read, place) = before.or_else(|| Some((&pages[number], pages[number].before(defined, &uses)?)))?;
    Some(Problem {
        file: format!("{SOURCE}/{}", read.page.path),
        line: 1 + read.text[..place.start].matches('\n').count(),
        what: format!(
            "`{}` is used here, and only `{}` introduces the term, with `{{{{#term {key}}}}}`",
            &read.text[place], pages[number].page.path
        ),
    })
}

/// The name of a term in all its forms.
fn uses(term: &Term) -> Regex {
    let forms: Vec<String> = term.names().iter().map(|name| one(name)).collect();
    Regex::new(&format!(r"(?i)\b(?:{})\b", forms.join("|"))).expect("a valid expression")
}

/// A name and its plural, with any blanks between its words.
fn one(name: &str) -> String {
    let words: Vec<String> = name.split(' ').map(regex::escape).collect();
    let name = words.join(r"[\s-]+");
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}(?:y|ies)"),
        _ => format!("{name}(?:e?s)?"),
    }
}

impl<'a> Read<'a> {
    fn of(page: &'a Page) -> Self {
        let (mut text, mut terms) = (String::new(), Vec::new());
        for Piece { kind, .. } in pieces(&page.text).unwrap_or_default() {
            match kind {
                Kind::Prose(prose) => text += prose,
                Kind::Code(other) | Kind::Formula(other) | Kind::Fence { text: other, .. } => {
                    blank(other, &mut text);
                }
                Kind::Directive { text: directive, .. } => {
                    if let Some(key) = directive.strip_prefix("#term ") {
                        terms.push((key.trim(), text.len()));
                    }
                    match directive.split_once('|') {
                        Some((figure, caption)) if figure.starts_with("#figure") => text += caption,
                        _ => blank(directive, &mut text),
                    }
                }
            }
        }
        let text = NO_USE.replace_all(&text, |found: &Captures<'_>| {
            found[0].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect::<String>()
        });
        Read { page, text: text.into_owned(), terms }
    }

    /// A use of a term before its introduction on the same page, unless a heading announces the term.
    fn before(&self, defined: usize, uses: &Regex) -> Option<Range<usize>> {
        let is_excused = |place: &Range<usize>| {
            let start = self.text[..place.start].rfind('\n').map_or(0, |at| at + 1);
            let is_heading = self.text[start..].starts_with('#');
            let is_title = self.text[start..].starts_with("# ");
            is_heading && (is_title || !self.text[place.end..defined].contains("\n#"))
        };
        uses.find_iter(&self.text[..defined]).map(|found| found.range()).find(|place| !is_excused(place))
    }
}

/// Replaces something that is not prose by blanks and its line breaks.
fn blank(other: &str, text: &mut String) {
    text.push(' ');
    text.extend(other.matches('\n'));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks on which lines the term `bank` is used too early.
    #[track_caller]
    fn check(pages: &[&str], lines: &[(&str, usize)]) {
        let glossary = Glossary::parse(
            "[bank]\nenglish = \"memory bank\"\nforms = [\"bank\"]\nchinese = \"\"\nptx = \"\"\nmeans = \"\"\n\
             [ferry]\nenglish = \"ferry\"\neveryday = \"a ship\"\nchinese = \"\"\nptx = \"\"\nmeans = \"\"\n",
        );
        let pages: Vec<Page> = pages
            .iter()
            .enumerate()
            .map(|(number, text)| Page { path: format!("{number}.md"), text: (*text).to_owned() })
            .collect();
        let found: Vec<(String, usize)> = too_early(&glossary.unwrap(), &pages)
            .into_iter()
            .map(|problem| (problem.file.replace("book/src/", ""), problem.line))
            .collect();
        let lines: Vec<(String, usize)> =
            lines.iter().map(|(file, line)| ((*file).to_owned(), *line)).collect();
        assert_eq!(found, lines);
    }

    #[test]
    fn a_use_before_the_introduction_is_found() {
        check(&["a ferry\n\nb Banks\n", "A {{#term bank}}.\n"], &[("0.md", 3)]);
        check(&["memory\nbanks {{#term bank}}\n"], &[("0.md", 1)]);
        check(&["{{#figure f | of banks}}\n\n{{#term bank}}\n"], &[("0.md", 1)]);
        check(&["no word of it\n"], &[("book/glossary.toml", 1)]);
    }

    #[test]
    fn code_links_and_announcing_headings_do_not_count_as_uses() {
        check(&["`bank` $bank$ [Banks](1.md) embankment\n", "A {{#term bank}}, banks.\n"], &[]);
        check(&["# Banks\n\n## Two banks\n\nA {{#term bank}}.\n"], &[]);
        check(&["# A\n\n## Banks\n\n## B\n\nA {{#term bank}}.\n"], &[("0.md", 3)]);
    }
}
