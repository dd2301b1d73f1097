//! The terms of the book in English, Chinese and PTX, from `book/glossary.toml`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::html::{anchor, escape, sentence};
use crate::repository::Repository;

/// The file with the terms.
pub const FILE: &str = "book/glossary.toml";

/// All terms by key.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Glossary(BTreeMap<String, Term>);

/// A term.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    english: String,
    chinese: String,
    ptx: String,
    means: String,
    /// Further words for it, such as a verb. Plurals need not be listed.
    #[serde(default)]
    forms: Vec<String>,
    /// Why its name may be used before it is introduced: it is a word of everyday language, or one that the reader
    /// already knows.
    everyday: Option<String>,
}

impl Term {
    /// All words for it.
    pub fn names(&self) -> Vec<&str> {
        std::iter::once(&self.english).chain(&self.forms).map(String::as_str).collect()
    }

    /// Whether a reader understands its name without a definition.
    pub fn is_everyday(&self) -> bool {
        self.everyday.is_some()
    }
}

impl Glossary {
    /// Reads the file.
    pub fn read(repository: &Repository) -> Result<Self> {
        Self::parse(&repository.read(FILE)?)
    }

    /// Parses the text of the file.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).with_context(|| format!("`{FILE}` cannot be read"))
    }

    /// All terms by key.
    pub fn terms(&self) -> impl Iterator<Item = (&str, &Term)> {
        self.0.iter().map(|(key, term)| (key.as_str(), term))
    }

    /// A term followed by its Chinese; `glossary` is the address of the glossary's page.
    pub fn term(&self, key: &str, glossary: &str) -> Result<String> {
        let term = self.0.get(key).with_context(|| {
            let keys: Vec<&str> = self.0.keys().map(String::as_str).collect();
            format!("`{FILE}` has no term `{key}`; it has {}", keys.join(", "))
        })?;
        // The blank is inside the element, so it is hidden together with the Chinese.
        Ok(format!(
            "<a class=\"term\" href=\"{glossary}#{}\">{}<span lang=\"zh\"> {}</span></a>",
            anchor(key),
            escape(&term.english),
            escape(&term.chinese)
        ))
    }

    /// The table of the glossary's page, in alphabetical order; `used` returns where a term is introduced.
    pub fn render(&self, used: &dyn Fn(&str) -> String) -> String {
        let mut terms: Vec<(&String, &Term)> = self.0.iter().collect();
        terms.sort_by_key(|(_, term)| term.english.to_lowercase());
        let row = |(key, term): (&String, &Term)| {
            format!(
                "<tr id=\"{}\"><td>{}</td><td lang=\"zh\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                anchor(key),
                escape(&term.english),
                escape(&term.chinese),
                ptx(&term.ptx),
                sentence(&term.means),
                used(key)
            )
        };
        let head = "<div class=\"table-wrapper\">\n<table class=\"glossary\">\n<thead><tr><th>English</th><th>中文</th>\
                    <th>PTX</th><th>meaning</th><th>page</th></tr></thead>\n<tbody>\n";
        let rows: Vec<String> = terms.into_iter().map(row).collect();
        format!("{head}{}</tbody>\n</table>\n</div>\n", rows.concat())
    }
}

fn ptx(names: &str) -> String {
    let names = names.split(", ").filter(|name| !name.is_empty());
    names.map(|name| format!("<code>{}</code>", escape(name))).collect::<Vec<_>>().join(", ")
}
