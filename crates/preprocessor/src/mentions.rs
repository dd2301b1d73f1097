//! Which page mentions which claim, and which page introduces a term.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::page::{Kind, pieces};
use crate::pages::Page;

/// A link to a page of the book, without the anchor on that page.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\]\(([^()\s:#]+\.(?:md|html))").expect("a valid expression"));

/// The pages, by what they mention.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    titles: BTreeMap<String, String>,
    claims: BTreeMap<String, Vec<String>>,
    terms: BTreeMap<String, String>,
    figures: BTreeSet<String>,
    lives: BTreeSet<String>,
    /// The launches, each with the drawings above its live figures.
    drawings: BTreeSet<(String, String)>,
    /// The pages that list a chapter's exercises.
    lists: BTreeMap<String, String>,
}

impl Mentions {
    /// Reads all pages, in the order of the book.
    pub fn of(pages: &[Page]) -> Self {
        let mut mentions = Self::default();
        for page in pages {
            let title = page.text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(&page.path);
            mentions.titles.insert(page.path.clone(), title.trim().to_owned());
            let mut drawing = None;
            // A page that cannot be divided into pieces is reported when it is expanded.
            for piece in pieces(&page.text).unwrap_or_default() {
                let Kind::Directive { text, .. } = piece.kind else {
                    if !matches!(piece.kind, Kind::Prose(text) if text.trim().is_empty()) {
                        drawing = None;
                    }
                    continue;
                };
                mentions.take(text, &page.path);
                let mut words = text.split_whitespace();
                match (words.next(), words.next(), drawing) {
                    (Some("#figure"), Some(figure), _) => drawing = Some(figure),
                    (Some("#live"), Some(live), Some(figure)) => {
                        mentions.drawings.insert((live.to_owned(), figure.to_owned()));
                    }
                    _ => {}
                }
            }
        }
        mentions
    }

    fn take(&mut self, directive: &str, page: &str) {
        let mut words = directive.split_whitespace();
        let (name, Some(word)) = (words.next().unwrap_or_default(), words.next()) else { return };
        match name {
            "#ref" | "#claim" | "#asks" => {
                let pages = self.claims.entry(word.to_owned()).or_default();
                if pages.last().is_none_or(|last| last != page) {
                    pages.push(page.to_owned());
                }
            }
            "#term" => {
                self.terms.entry(word.to_owned()).or_insert_with(|| page.to_owned());
            }
            "#exercises" => {
                self.lists.entry(word.to_owned()).or_insert_with(|| page.to_owned());
            }
            "#live" => {
                self.lives.insert(word.to_owned());
            }
            "#figure" => {
                self.figures.insert(word.to_owned());
            }
            _ => {}
        }
    }

    /// The pages that mention a claim.
    pub fn claim(&self, id: &str) -> &[String] {
        self.claims.get(id).map_or(&[], Vec::as_slice)
    }

    /// The page that introduces a term.
    pub fn term(&self, key: &str) -> Option<&str> {
        self.terms.get(key).map(String::as_str)
    }

    /// The page that lists the exercises of a chapter.
    pub fn list_of(&self, chapter: &str) -> Option<&str> {
        self.lists.get(chapter).map(String::as_str)
    }

    /// Whether this page exists.
    pub fn has(&self, page: &str) -> bool {
        self.titles.contains_key(page)
    }

    /// Whether a page plays a launch of `book/live.toml`.
    pub fn plays(&self, live: &str) -> bool {
        self.lives.contains(live)
    }

    /// Whether this figure is above a live figure of the launch, on any page.
    pub fn draws(&self, live: &str, figure: &str) -> bool {
        self.drawings.contains(&(live.to_owned(), figure.to_owned()))
    }

    /// Whether a page shows a figure.
    pub fn shows(&self, figure: &str) -> bool {
        self.figures.contains(figure)
    }

    /// The links in a page's prose that lead to no page of the book: the place of each, and its address.
    pub fn dead_links(&self, page: &str, prose: &str) -> Vec<(usize, String)> {
        let links = LINK.captures_iter(prose).map(|link| link.get(1).expect("a link has an address"));
        let dead = links.filter(|link| !self.titles.contains_key(&from(page, link.as_str())));
        dead.map(|link| (link.start(), link.as_str().to_owned())).collect()
    }

    /// A page's title.
    pub fn title<'a>(&'a self, page: &'a str) -> &'a str {
        self.titles.get(page).map_or(page, String::as_str)
    }
}

/// The page to which a link on another page leads.
fn from(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/").replace(".html", ".md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_relative_to_its_page() {
        assert_eq!(from("ch03_syncwarp/mask.md", "tile.md"), "ch03_syncwarp/tile.md");
        assert_eq!(from("ch03_syncwarp/mask.md", "../glossary.html"), "glossary.md");
        assert_eq!(from("ch03_syncwarp.md", "./ch03_syncwarp/tile.md"), "ch03_syncwarp/tile.md");
    }
}
