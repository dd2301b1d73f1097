//! The facts that the book's pages show of runs: moments of live figures, the launches of listings, the answers to questions,
//! and what a page knows of an exercise.
//!
//! `cargo xtask facts` writes them to `book/facts`; the tests collect them again and compare. So the preprocessor, which each
//! build of the book compiles, contains neither the emulator nor the compiler.

mod answers;
mod excerpt;
mod exercises;
mod launches;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// Where the facts are, from the root of the repository.
pub const FOLDER: &str = "book/facts";

/// The launches that pages play.
const LIVE: &str = "book/live.toml";
/// The launches of listings that no page plays.
const LISTINGS: &str = "book/listings.toml";

/// Collects the facts: the name of each file, and its text.
pub fn facts(root: &Path) -> Result<[(&'static str, String); 4]> {
    let all: [(&str, fn(&mut Files) -> Result<Facts>); 4] = [
        ("live.json", launches::live),
        ("listings.json", launches::listings),
        ("answers.json", answers::answers),
        ("exercises.json", exercises::exercises),
    ];
    let mut texts = all.map(|(name, _)| (name, String::new()));
    for ((name, collect), (_, text)) in all.into_iter().zip(&mut texts) {
        let mut files = Files { root, sums: BTreeMap::new() };
        let facts = collect(&mut files).with_context(|| format!("for `{FOLDER}/{name}`"))?;
        let generated = "by `cargo xtask facts`; do not edit";
        *text = lines(&json!({ "generated": generated, "from": files.sums, "facts": facts }), 3) + "\n";
    }
    Ok(texts)
}

/// What is known of each thing, by its name.
type Facts = BTreeMap<String, Value>;

/// The files of the repository that facts are made from.
struct Files<'r> {
    root: &'r Path,
    /// The SHA-256 of each file that was read, as the preprocessor compares them.
    sums: BTreeMap<String, String>,
}

impl Files<'_> {
    fn read(&mut self, name: &str) -> Result<String> {
        let text = text(&self.root.join(name))?;
        self.sums.insert(name.to_owned(), nvrtc::sha256(&text));
        Ok(text)
    }

    /// What stands between the name of a directive and its braces, wherever a page has one.
    fn directives(&self, name: &str) -> Result<Vec<String>> {
        let (start, mut found) = (format!("{{{{#{name} "), Vec::new());
        for page in pages(&self.root.join("book/src"))? {
            let text = text(&page)?;
            let all = text.split(&start).skip(1).filter_map(|rest| rest.split_once("}}"));
            found.extend(all.map(|(words, _)| words.trim().to_owned()));
        }
        Ok(found)
    }
}

fn text(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(text.replace("\r\n", "\n"))
}

/// The files of Markdown in a folder.
fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(pages(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    Ok(found)
}

/// JSON with a line for each field, down to so many objects inside one another.
fn lines(value: &Value, depth: usize) -> String {
    let Some(fields) = value.as_object().filter(|fields| depth > 0 && !fields.is_empty()) else {
        return value.to_string();
    };
    let line = |(name, value): (&String, &Value)| format!("{}: {}", json!(name), lines(value, depth - 1));
    format!("{{\n{}\n}}", fields.iter().map(line).collect::<Vec<_>>().join(",\n"))
}
